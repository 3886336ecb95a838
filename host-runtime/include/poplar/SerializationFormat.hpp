#pragma once

namespace poplar {

/// How a graph or tensors are written.
enum class SerializationFormat { Binary, JSON };

} // namespace poplar
