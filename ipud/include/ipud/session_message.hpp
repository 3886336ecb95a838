#pragma once

#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "wire/result.hpp"
#include "wire/session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace copse::ipud {

/// A message between a host and an ipud: its header and the raw frames that follow.
struct SessionMessage {
  wire::session::Header header;
  std::vector<fabric::Payload> payloads;
};

/// The largest size of a message in pieces, with all its raw frames. Images of CPU devices are the
/// largest messages.
inline constexpr std::uint64_t kMostRawBytes = std::uint64_t{4} << 30;
/// The largest number of raw bytes in one piece.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// Returns the list of one message. A message cannot be copied, so a braced list cannot hold it.
inline std::vector<SessionMessage> listOf(SessionMessage message) {
  std::vector<SessionMessage> all;
  all.push_back(std::move(message));
  return all;
}

/// Appends the message's frames to \p frames (an identity for a ROUTER, or nothing), and fills in
/// Header::frames.
void pack(SessionMessage message, fabric::Frames &frames);

/// Cuts a message for a stream of bytes: returns the message itself, or, if it has more than
/// kPieceBytes raw bytes, its header and pieces. These messages must be sent in this order, without
/// another message in pieces between them. The bytes are not copied.
std::vector<SessionMessage> piecesOf(SessionMessage message);

/// Decodes the message in frames [first, ...), which may be arbitrary bytes.
/// \returns BadFrame if the frames are not a message
wire::Result<SessionMessage> unpack(fabric::Frames frames, std::size_t first);

/// ZeroMQ encrypts a whole message before it sends the first byte, and delivers it after the last
/// one. Meanwhile heartbeats wait behind it, so each end could consider the other dead. Large
/// messages are therefore sent in pieces. Each piece is a message, which shows that its sender is
/// alive. This class joins the pieces.
///
/// Thread: one at a time.
class MessageAssembly {
public:
  /// Takes the next message of a connection, as unpack() returned it.
  /// \returns the message itself, or the message that this last piece completes; nothing while
  /// pieces are missing; or
  ///   - Code::BadFrame     no message was begun, or the piece is longer than the missing rest
  ///   - Code::OutOfMemory  there is no memory for the announced size
  /// An incomplete message is dropped after an error, or when another message begins.
  wire::Result<std::optional<SessionMessage>> put(SessionMessage message);
  /// Drops an incomplete message, if there is one.
  void clear() { begun_.reset(); }

private:
  wire::Status begin(SessionMessage message);
  wire::Status add(const SessionMessage &piece);
  void skipFullFrames();

  std::optional<SessionMessage> begun_;
  std::size_t frame_ = 0;  ///< frame of begun_ that gets the next bytes
  std::size_t filled_ = 0; ///< received part of that frame [bytes]
};

} // namespace copse::ipud
