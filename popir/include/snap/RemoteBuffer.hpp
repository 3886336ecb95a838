#pragma once

#include <poplar/RemoteBuffer.hpp>
#include <utility>

namespace snap {

/// Wraps a poplar::RemoteBuffer under snap's name.
class RemoteBuffer : public poplar::RemoteBuffer {
public:
  RemoteBuffer() = default;
  RemoteBuffer(poplar::RemoteBuffer buffer) : poplar::RemoteBuffer(std::move(buffer)) {}
};

} // namespace snap
