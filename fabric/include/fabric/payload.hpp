#pragma once

#include <zmq.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace copse::fabric {

/// The raw bytes of a message, which follow the header frame. Move-only; not initialised when made,
/// so that bulk data is written once. Bytes that came over tcp are not aligned.
class Payload {
public:
  Payload() = default;
  explicit Payload(std::size_t bytes) {
    auto owned = std::make_shared_for_overwrite<std::byte[]>(bytes);
    bytes_ = {owned.get(), bytes};
    owner_ = std::move(owned);
  }
  /// Takes a frame without a copy.
  explicit Payload(zmq::message_t frame) {
    auto owned = std::make_shared<zmq::message_t>(std::move(frame));
    bytes_ = {static_cast<std::byte *>(owned->data()), owned->size()};
    owner_ = std::move(owned);
  }
  /// Refers to bytes elsewhere, which are not copied, and must not be written through data().
  /// \param owner  keeps \p bytes valid until the message and all its shares are destroyed; may
  ///   then be destroyed on any thread
  Payload(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : bytes_(const_cast<std::byte *>(bytes.data()), bytes.size()), owner_(std::move(owner)) {}

  Payload(Payload &&other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), owner_(std::move(other.owner_)) {}
  Payload &operator=(Payload &&other) noexcept {
    bytes_ = std::exchange(other.bytes_, {});
    owner_ = std::move(other.owner_);
    return *this;
  }
  Payload(const Payload &) = delete;
  Payload &operator=(const Payload &) = delete;
  ~Payload() = default;

  std::byte *data() { return bytes_.data(); }
  const std::byte *data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }

  /// Returns another handle for the same bytes. Neither may be written afterwards.
  Payload share() const { return {bytes_, owner_}; }

  /// Returns the same bytes as a frame, not copied.
  zmq::message_t toFrame() && {
    if (bytes_.empty())
      return {};
    auto owner = std::make_unique<std::shared_ptr<const void>>(std::move(owner_));
    zmq::message_t frame(bytes_.data(), bytes_.size(), &releaseOwner, owner.get());
    (void)owner.release(); // owned by the frame now
    bytes_ = {};
    return frame;
  }

private:
  static void releaseOwner(void *, void *owner) {
    delete static_cast<std::shared_ptr<const void> *>(owner);
  }

  std::span<std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

/// Returns the payloads of a message that has one. A Payload cannot be copied, so a braced list
/// cannot hold it.
inline std::vector<Payload> listOf(Payload payload) {
  std::vector<Payload> all;
  all.push_back(std::move(payload));
  return all;
}

} // namespace copse::fabric
