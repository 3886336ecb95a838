#pragma once

#include <zmq.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace copse::fabric {

/// The raw bytes of a message: what follows the header frame. Move-only; made uninitialised, so
/// that bulk data is written once. Bytes are not aligned when they came over tcp.
class Payload {
public:
  Payload() = default;
  explicit Payload(std::size_t bytes) : message_(bytes) {}
  explicit Payload(zmq::message_t message) : message_(std::move(message)) {}
  /// Bytes that lie elsewhere and are not copied. They must not be written through data().
  /// \param owner  keeps \p bytes until the message and all that share it are gone; may then be
  ///   destroyed on any thread
  Payload(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : message_(const_cast<std::byte *>(bytes.data()), bytes.size(), &releaseOwner,
                 new std::shared_ptr<const void>(std::move(owner))) {}

  std::byte *data() { return static_cast<std::byte *>(message_.data()); }
  const std::byte *data() const { return static_cast<const std::byte *>(message_.data()); }
  std::size_t size() const { return message_.size(); }
  std::span<const std::byte> bytes() const { return {data(), size()}; }

  /// Another handle on the same bytes (reference counted by ZeroMQ for all but tiny messages).
  /// Neither may be written afterwards.
  Payload share() {
    Payload other;
    other.message_.copy(message_);
    return other;
  }

  /// For the owner of a socket only.
  zmq::message_t &frame() { return message_; }

private:
  static void releaseOwner(void *, void *owner) {
    delete static_cast<std::shared_ptr<const void> *>(owner);
  }

  zmq::message_t message_;
};

} // namespace copse::fabric
