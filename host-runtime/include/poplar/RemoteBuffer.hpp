#pragma once

#include "poplar/DataStream.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace copse {
namespace graph {
struct Access;
struct RemoteBufferState;
} // namespace graph
} // namespace copse

namespace poplar {

/// Rows of elements in memory outside the IPU, made by Graph::addRemoteBuffer (guide, 2.6.2).
/// Every function but the comparison throws poplar_error on a default-constructed one.
class RemoteBuffer {
public:
  RemoteBuffer();
  std::string handle() const;
  std::size_t numElements() const; ///< of one row
  std::size_t getRepeats() const;  ///< number of rows
  Type elementType() const;
  bool isRearrangeOnHost() const;
  bool isOptimisedForMemory() const;

  // The ways of its rows, of the types HostToDeviceBuffer and DeviceToHostBuffer. A program::Copy
  // of such a stream is one of the buffer's only row; nothing is to be connected to it.
  DataStream getHostToIpuStream() const;
  DataStream getIpuToHostStream() const;

  friend bool operator==(const RemoteBuffer &a, const RemoteBuffer &b) {
    return a.state_ == b.state_;
  }
  friend bool operator!=(const RemoteBuffer &a, const RemoteBuffer &b) {
    return a.state_ != b.state_;
  }

private:
  friend struct copse::graph::Access;
  std::shared_ptr<const copse::graph::RemoteBufferState> state_;
};

} // namespace poplar
