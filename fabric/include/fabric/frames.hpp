#pragma once

#include <zmq.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace copse::fabric {

/// The frames of one ZeroMQ message, in order. On a ROUTER the first is the peer's identity.
using Frames = std::vector<zmq::message_t>;

inline std::span<const std::byte> bytesOf(const zmq::message_t &frame) {
  return {static_cast<const std::byte *>(frame.data()), frame.size()};
}

/// The result of sending a message.
enum class Sent : std::uint8_t {
  Ok,          ///< sent, or in the queue
  Full,        ///< the queue is at its high-water mark: wait until writable (back-pressure)
  Unreachable, ///< the ROUTER does not know that peer, or its connection broke
};

} // namespace copse::fabric
