#pragma once

#include <poplar/RemoteBuffer.hpp>
#include <utility>

namespace snap {

/// Wraps a poplar::RemoteBuffer under snap's name.
class RemoteBuffer : public poplar::RemoteBuffer {
public:
  ///@{

  /// Makes an empty name, or wraps a remote buffer.
  RemoteBuffer() = default;
  RemoteBuffer(poplar::RemoteBuffer buffer) : poplar::RemoteBuffer(std::move(buffer)) {}
  ///@}
};

} // namespace snap
