#include "zmtp_messages.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace copse::fabric::zmtp {
namespace {

constexpr std::byte kSealedMore{0x01}, kSealedCommand{0x02}; // flags within CURVE's messages
// Counted for each frame besides its bytes, as an empty frame takes memory, too.
constexpr std::uint64_t kFrameCost = 64;
// A longer frame is received directly into its own memory.
constexpr std::size_t kMostBuffered = 8 << 10;

constexpr std::string_view kMessageName = "\7MESSAGE"; // its length is before it
constexpr std::string_view kFromClient = "CurveZMQMESSAGEC", kFromServer = "CurveZMQMESSAGES";
constexpr std::size_t kNonceAt = 8, kBoxAt = kNonceAt + curve::kShortNonceBytes,
                      kFlagsAt = kBoxAt + curve::kTagBytes, kSealedBytes = kFlagsAt + 1;
static_assert(kMessageName.size() == kNonceAt);

void releaseMessage(void *, void *message) { delete static_cast<zmq::message_t *>(message); }

/// Returns the bytes of \p frame from \p begin on, without a copy.
zmq::message_t tailOf(zmq::message_t frame, std::size_t begin) {
  auto whole = std::make_unique<zmq::message_t>(std::move(frame));
  zmq::message_t tail(static_cast<std::byte *>(whole->data()) + begin, whole->size() - begin,
                      &releaseMessage, whole.get());
  (void)whole.release(); // now owned by the tail
  return tail;
}

std::span<std::byte> bytesIn(zmq::message_t &frame) {
  return {static_cast<std::byte *>(frame.data()), frame.size()};
}

} // namespace

std::array<iovec, 2> MessageReader::space() {
  const iovec buffer{buffer_.get() + filled_, kBufferBytes - filled_};
  if (!body_)
    return {buffer, iovec{}};
  return {iovec{static_cast<std::byte *>(body_->data()) + arrived_, body_->size() - arrived_},
          buffer};
}

std::string MessageReader::put(std::size_t bytes, const OnMessage &onMessage) {
  if (body_) {
    const std::size_t ofBody = std::min(bytes, body_->size() - arrived_);
    arrived_ += ofBody;
    bytes -= ofBody;
  }
  filled_ += bytes;
  std::string bad = read(onMessage);
  std::memmove(buffer_.get(), buffer_.get() + used_, buffered());
  filled_ -= std::exchange(used_, 0);
  return bad;
}

std::string MessageReader::read(const OnMessage &onMessage) {
  for (;;) {
    if (body_) {
      if (arrived_ < body_->size())
        return {};
      if (std::string bad = takeBody(onMessage); !bad.empty())
        return bad;
    }
    const auto next = headerAt({buffer_.get() + used_, buffered()});
    if (!next)
      return {};
    const bool whole = buffered() - next->bytes >= next->body;
    if (!whole && next->body <= kMostBuffered && messageBytes_ + next->body <= mostBytes_)
      return {};
    if (std::string bad = whole ? takeBuffered(*next, onMessage) : begin(*next); !bad.empty())
      return bad;
  }
}

std::string MessageReader::check(const FrameHeader &header) const {
  if ((header.flags & ~(kMore | kLong | kCommand)) != std::byte{0})
    return "its bytes are no frames";
  // Frames without bytes count, too: a message may have as many as their cost allows.
  const std::uint64_t rest = mostBytes_ - std::min(mostBytes_, messageBytes_);
  if (header.body > rest || messageBytes_ > mostBytes_)
    return "it declares a message of more than " + std::to_string(mostBytes_) +
           " bytes, which it may not send now";
  return {};
}

/// Allocates a frame of which the buffer has only the beginning.
std::string MessageReader::begin(const FrameHeader &header) {
  if (std::string bad = check(header); !bad.empty())
    return bad;
  try {
    body_.emplace(static_cast<std::size_t>(header.body));
  } catch (const zmq::error_t &) {
    return "there is no memory for its message of " + std::to_string(header.body) + " bytes";
  }
  bodyFlags_ = header.flags;
  used_ += header.bytes;
  arrived_ = std::min(buffered(), body_->size());
  std::memcpy(body_->data(), buffer_.get() + used_, arrived_);
  used_ += arrived_;
  return {};
}

std::string MessageReader::takeBuffered(const FrameHeader &header, const OnMessage &onMessage) {
  if (std::string bad = check(header); !bad.empty())
    return bad;
  const std::span record(buffer_.get() + used_ + header.bytes,
                         static_cast<std::size_t>(header.body));
  used_ += header.bytes + record.size();
  if (!key_)
    return takePlain(header.flags & (kMore | kCommand),
                     zmq::message_t(record.data(), record.size()), onMessage);
  const auto flags = open(record);
  if (!flags)
    return "its bytes are not those that it sent";
  return takePlain(*flags,
                   zmq::message_t(record.data() + kSealedBytes, record.size() - kSealedBytes),
                   onMessage);
}

std::string MessageReader::takeBody(const OnMessage &onMessage) {
  zmq::message_t frame = std::move(*body_);
  body_.reset();
  if (!key_)
    return takePlain(bodyFlags_ & (kMore | kCommand), std::move(frame), onMessage);
  const auto flags = open(bytesIn(frame));
  if (!flags)
    return "its bytes are not those that it sent";
  return takePlain(*flags, tailOf(std::move(frame), kSealedBytes), onMessage);
}

std::optional<std::byte> MessageReader::open(std::span<std::byte> record) {
  if (record.size() < kSealedBytes ||
      std::memcmp(record.data(), kMessageName.data(), kMessageName.size()) != 0)
    return {};
  const std::uint64_t nonce = curve::numberOf(std::span<const std::byte, curve::kShortNonceBytes>(
      record.data() + kNonceAt, curve::kShortNonceBytes));
  if (nonce <= received_ || !key_->openInPlace(record.subspan(kBoxAt), kFromClient, nonce))
    return {};
  received_ = nonce;
  const std::byte sealed = record[kFlagsAt];
  return ((sealed & kSealedMore) != std::byte{0} ? kMore : std::byte{0}) |
         ((sealed & kSealedCommand) != std::byte{0} ? kCommand : std::byte{0});
}

std::string MessageReader::takePlain(std::byte flags, zmq::message_t frame,
                                     const OnMessage &onMessage) {
  if ((flags & kCommand) != std::byte{0})
    return {}; // a heartbeat or a subscription, which no socket here needs
  messageBytes_ += frame.size() + kFrameCost;
  frames_.push_back(std::move(frame));
  if ((flags & kMore) != std::byte{0})
    return {};
  messageBytes_ = 0;
  onMessage(std::exchange(frames_, {}));
  return {};
}

void MessageWriter::put(Frames frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool more = i + 1 < frames.size();
    if (key_)
      putSealed(frames[i], more);
    else
      putPlain(std::move(frames[i]), more);
  }
  ++messages_;
}

void MessageWriter::putPlain(zmq::message_t frame, bool more) {
  std::array<std::byte, kLongHeaderBytes> header{};
  const std::size_t bytes = putHeader(header.data(), more ? kMore : std::byte{0}, frame.size());
  add(zmq::message_t(header.data(), bytes), !more && frame.empty());
  if (!frame.empty())
    add(std::move(frame), !more);
}

void MessageWriter::putSealed(const zmq::message_t &frame, bool more) {
  const std::size_t body = kSealedBytes + frame.size();
  zmq::message_t piece(headerBytesFor(body) + body);
  auto *const begin = static_cast<std::byte *>(piece.data());
  std::byte *const record = begin + putHeader(begin, std::byte{0}, body);
  std::memcpy(record, kMessageName.data(), kMessageName.size());
  const std::uint64_t nonce = ++sent_;
  const auto nonceBytes = curve::bytesOfNumber(nonce);
  std::copy(nonceBytes.begin(), nonceBytes.end(), record + kNonceAt);
  record[kFlagsAt] = more ? kSealedMore : std::byte{0};
  std::memcpy(record + kSealedBytes, frame.data(), frame.size());
  key_->sealInPlace({record + kBoxAt, body - kBoxAt}, kFromServer, nonce);
  add(std::move(piece), !more);
}

void MessageWriter::add(zmq::message_t bytes, bool endsMessage) {
  bytes_ += bytes.size();
  pieces_.push_back({std::move(bytes), 0, endsMessage});
}

MessageWriter::Flushed MessageWriter::flush(int socket) {
  while (!pieces_.empty()) {
    std::array<iovec, 32> parts{};
    std::size_t count = 0;
    for (Piece &piece : pieces_) {
      if (count == parts.size())
        break;
      parts[count++] = {static_cast<std::byte *>(piece.bytes.data()) + piece.sent,
                        piece.bytes.size() - piece.sent};
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t written = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Flushed::Blocked : Flushed::Broken;
    }
    sent(static_cast<std::size_t>(written));
  }
  return Flushed::All;
}

void MessageWriter::sent(std::size_t bytes) {
  bytes_ -= bytes;
  while (bytes > 0) {
    Piece &piece = pieces_.front();
    const std::size_t ofPiece = std::min(bytes, piece.bytes.size() - piece.sent);
    piece.sent += ofPiece;
    bytes -= ofPiece;
    if (piece.sent < piece.bytes.size())
      return;
    if (piece.endsMessage)
      --messages_;
    pieces_.pop_front();
  }
}

} // namespace copse::fabric::zmtp
