#pragma once

#include "curve_cipher.hpp"
#include "zmtp_frame.hpp"

#include "fabric/frames.hpp"

#include <zmq.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/uio.h>

namespace copse::fabric::zmtp {

/// Reads the messages of one peer from the bytes of its connection (ZMTP 3, with CURVE if there is
/// a key). The size of a message, all its frames together, is limited; a message that declares more
/// ends the connection before memory is reserved for it.
///
/// Life: receive into space(), then put() the number of bytes, again and again.
class MessageReader {
public:
  using OnMessage = std::function<void(Frames)>;

  /// \param received  with a key: the last nonce of the handshake
  MessageReader(std::optional<curve::SharedKey> key, std::uint64_t received,
                std::uint64_t mostBytes)
      : key_(std::move(key)), received_(received), mostBytes_(mostBytes) {}

  /// Limits messages that begin from now on.
  void limit(std::uint64_t mostBytes) { mostBytes_ = mostBytes; }
  /// Returns where to receive the next bytes.
  std::array<iovec, 2> space();
  /// Handles the first \p bytes of space().
  /// \param onMessage  may destroy anything but this reader
  /// \returns why the connection has to end; empty if it continues
  std::string put(std::size_t bytes, const OnMessage &onMessage);

private:
  std::size_t buffered() const { return filled_ - used_; }
  std::string check(const FrameHeader &header) const;
  std::string begin(const FrameHeader &header);
  std::string read(const OnMessage &onMessage);
  std::string takeBuffered(const FrameHeader &header, const OnMessage &onMessage);
  std::string takeBody(const OnMessage &onMessage);
  std::string takePlain(std::byte flags, zmq::message_t frame, const OnMessage &onMessage);
  /// \returns the flags of the frame in \p record, of which the first byte is then at kSealedBytes;
  ///   nothing if the peer has not sealed it
  std::optional<std::byte> open(std::span<std::byte> record);

  std::optional<curve::SharedKey> key_;
  std::uint64_t received_;
  std::uint64_t mostBytes_;
  std::uint64_t messageBytes_ = 0; ///< bytes of the frames of an incomplete message
  Frames frames_;
  // A frame that does not fit into the buffer is received directly into its own memory.
  std::optional<zmq::message_t> body_;
  std::byte bodyFlags_{};
  std::size_t arrived_ = 0; ///< bytes of the body
  static constexpr std::size_t kBufferBytes = 16 << 10;
  std::unique_ptr<std::byte[]> buffer_ = std::make_unique_for_overwrite<std::byte[]>(kBufferBytes);
  std::size_t used_ = 0, filled_ = 0;
};

/// A socket that does not block may accept any part of a message. This class queues messages to one
/// peer, in the order of put(), encrypts them if there is a key, and remembers how much was sent.
/// The caller limits the queue by messages() and bytes().
///
/// Thread: one at a time.
class MessageWriter {
public:
  MessageWriter(std::optional<curve::SharedKey> key, std::uint64_t sent)
      : key_(std::move(key)), sent_(sent) {}

  void put(Frames frames);
  std::size_t messages() const { return messages_; } ///< messages that are not sent completely
  std::size_t bytes() const { return bytes_; }       ///< their bytes
  enum class Flushed { All, Blocked, Broken };
  /// Sends as much as \p socket accepts without blocking.
  Flushed flush(int socket);

private:
  struct Piece {
    zmq::message_t bytes;
    std::size_t sent = 0;
    bool endsMessage = false;
  };
  void putPlain(zmq::message_t frame, bool more);
  void putSealed(const zmq::message_t &frame, bool more);
  void add(zmq::message_t bytes, bool endsMessage);
  void sent(std::size_t bytes);

  std::optional<curve::SharedKey> key_;
  std::uint64_t sent_;
  std::deque<Piece> pieces_;
  std::size_t messages_ = 0, bytes_ = 0;
};

} // namespace copse::fabric::zmtp
