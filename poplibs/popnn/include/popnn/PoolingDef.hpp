#pragma once

namespace popnn {

/// The kinds of pooling: the largest, the mean or the sum of a window.
enum class PoolingType { MAX, AVG, SUM };

} // namespace popnn
