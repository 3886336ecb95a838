#pragma once

namespace poplar {

/// The formats in which a graph or tensors are written.
enum class SerializationFormat { Binary, JSON };

} // namespace poplar
