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

/// Names rows of elements in memory outside the IPU, made by Graph::addRemoteBuffer(). Every
/// function but the comparison throws poplar_error on a default-constructed one. See User guide,
/// 2.6.2.
class RemoteBuffer {
public:
  /// Makes an empty name, which may only be assigned to.
  RemoteBuffer();
  /// Returns the name that it was added with.
  std::string handle() const;
  /// Returns the number of elements of one row.
  std::size_t numElements() const;
  /// Returns the number of rows.
  std::size_t getRepeats() const;
  /// Returns the type of the elements.
  Type elementType() const;
  /// Returns the flag that the buffer was added with.
  bool isRearrangeOnHost() const;
  /// Returns the flag that the buffer was added with.
  bool isOptimisedForMemory() const;

  ///@{

  /// Returns a stream of the types HostToDeviceBuffer or DeviceToHostBuffer. A program::Copy of it
  /// copies the buffer's only row; nothing is to be connected to it.
  DataStream getHostToIpuStream() const;
  DataStream getIpuToHostStream() const;
  ///@}

  ///@{

  /// Compares identity.
  friend bool operator==(const RemoteBuffer &a, const RemoteBuffer &b) {
    return a.state_ == b.state_;
  }
  friend bool operator!=(const RemoteBuffer &a, const RemoteBuffer &b) {
    return a.state_ != b.state_;
  }
  ///@}

private:
  friend struct copse::graph::Access;
  std::shared_ptr<const copse::graph::RemoteBufferState> state_;
};

} // namespace poplar
