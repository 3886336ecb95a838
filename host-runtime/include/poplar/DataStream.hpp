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

enum class DataStreamType {
  HostToDeviceFIFO,
  DeviceToHostFIFO,
  HostToDeviceBuffer,
  DeviceToHostBuffer
};

inline bool isHostToDevice(DataStreamType type) {
  return type == DataStreamType::HostToDeviceFIFO || type == DataStreamType::HostToDeviceBuffer;
}
inline bool isDeviceToHost(DataStreamType type) { return !isHostToDevice(type); }
/// Whether it is one of the two streams of a remote buffer.
inline bool isRemoteBuffer(DataStreamType type) {
  return type == DataStreamType::HostToDeviceBuffer || type == DataStreamType::DeviceToHostBuffer;
}

/// A way for data between host and device, made by Graph::addHostToDeviceFIFO or
/// Graph::addDeviceToHostFIFO. Every function but the comparison throws poplar_error on a
/// default-constructed one.
class DataStream {
public:
  DataStream();
  std::string handle() const;
  std::size_t numElements() const; ///< of one replica and one copy
  unsigned replicationFactor() const;
  ReplicatedStreamMode replicatedMode() const;
  DataStreamType type() const;
  Type elementType() const;

  friend bool operator==(const DataStream &a, const DataStream &b) { return a.state_ == b.state_; }
  friend bool operator!=(const DataStream &a, const DataStream &b) { return a.state_ != b.state_; }

private:
  friend struct copse::graph::Access;
  std::shared_ptr<const copse::graph::StreamState> state_;
};

} // namespace poplar
