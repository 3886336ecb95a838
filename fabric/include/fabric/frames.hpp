#pragma once

#include <zmq.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace copse::fabric {

/// One ZeroMQ message: its frames in order. On a ROUTER the first is the peer's identity.
using Frames = std::vector<zmq::message_t>;

inline std::span<const std::byte> bytesOf(const zmq::message_t &frame) {
  return {static_cast<const std::byte *>(frame.data()), frame.size()};
}

/// The fate of a message that was to be sent.
enum class Sent : std::uint8_t {
  Ok,          ///< handed over
  Full,        ///< the queue is at its high-water mark: wait until writable (back-pressure)
  Unreachable, ///< a ROUTER does not know that peer, or the peer's connection broke
};

} // namespace copse::fabric
