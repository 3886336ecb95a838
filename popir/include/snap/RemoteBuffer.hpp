#pragma once

#include <poplar/RemoteBuffer.hpp>
#include <utility>

namespace snap {

/// A poplar::RemoteBuffer under another name.
class RemoteBuffer : public poplar::RemoteBuffer {
public:
  RemoteBuffer() = default;
  RemoteBuffer(poplar::RemoteBuffer buffer) : poplar::RemoteBuffer(std::move(buffer)) {}
};

} // namespace snap
