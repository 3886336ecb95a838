#pragma once

#include "poplar/ReplicatedStreamMode.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace copse {
namespace graph {
struct Access;
struct StreamState;
} // namespace graph
} // namespace copse

namespace poplar {

/// The direction of a stream, and whether it belongs to a remote buffer.
enum class DataStreamType {
  /// Data from the host, which a callback or a buffer provides.
  HostToDeviceFIFO,
  /// Data to the host, which a callback or a buffer takes.
  DeviceToHostFIFO,
  /// Rows read from a remote buffer.
  HostToDeviceBuffer,
  /// Rows written to a remote buffer.
  DeviceToHostBuffer
};

/// Returns true for data to the device.
inline bool isHostToDevice(DataStreamType type) {
  return type == DataStreamType::HostToDeviceFIFO || type == DataStreamType::HostToDeviceBuffer;
}
/// Returns true for data from the device.
inline bool isDeviceToHost(DataStreamType type) { return !isHostToDevice(type); }
/// Returns true for one of the two streams of a remote buffer.
inline bool isRemoteBuffer(DataStreamType type) {
  return type == DataStreamType::HostToDeviceBuffer || type == DataStreamType::DeviceToHostBuffer;
}

/// Names a channel for data between host and device: Graph::addHostToDeviceFIFO() or
/// Graph::addDeviceToHostFIFO() make it, program::Copy moves data. Every function but the
/// comparison throws poplar_error on a default-constructed one. See User guide, 2.6.1.
class DataStream {
public:
  /// Makes an empty name, which may only be assigned to.
  DataStream();
  /// Returns the name that it was added with.
  std::string handle() const;
  /// Returns the number of elements of one replica and one copy.
  std::size_t numElements() const;
  /// Returns the number of replicas of the graph that it was added to.
  unsigned replicationFactor() const;
  /// Returns whether each replica has its own data.
  ReplicatedStreamMode replicatedMode() const;
  /// Returns the direction.
  DataStreamType type() const;
  /// Returns the type of the elements.
  Type elementType() const;

  ///@{

  /// Compares identity.
  friend bool operator==(const DataStream &a, const DataStream &b) { return a.state_ == b.state_; }
  friend bool operator!=(const DataStream &a, const DataStream &b) { return a.state_ != b.state_; }
  ///@}

private:
  friend struct copse::graph::Access;
  std::shared_ptr<const copse::graph::StreamState> state_;
};

} // namespace poplar
