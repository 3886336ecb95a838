#include "ipud/session_message.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using wire::Code;
using wire::Status;

std::vector<std::uint64_t> sizesOf(const std::vector<fabric::Payload> &payloads) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(payloads.size());
  for (const fabric::Payload &payload : payloads)
    sizes.push_back(payload.size());
  return sizes;
}

/// Appends the pieces of one raw frame.
void cut(const fabric::Payload &frame, std::vector<SessionMessage> &pieces) {
  const auto owner = std::make_shared<const fabric::Payload>(frame.share());
  for (std::size_t at = 0; at < frame.size(); at += kPieceBytes) {
    const std::size_t bytes = std::min(kPieceBytes, frame.size() - at);
    pieces.push_back({{0, {}, session::Piece{}},
                      fabric::listOf(fabric::Payload(frame.bytes().subspan(at, bytes), owner))});
  }
}

bool mayBeInPieces(const session::Header &header) {
  std::uint64_t rest = kMostRawBytes;
  for (const std::uint64_t bytes : header.frames) {
    if (bytes > rest)
      return false;
    rest -= bytes;
  }
  return rest < kMostRawBytes && !std::holds_alternative<session::Piece>(header.body);
}

} // namespace

void pack(SessionMessage message, fabric::Frames &frames) {
  if (!message.header.inPieces)
    message.header.frames = sizesOf(message.payloads);
  const auto header = session::encode(message.header);
  frames.emplace_back(header.data(), header.size());
  for (fabric::Payload &payload : message.payloads)
    frames.push_back(std::move(payload).toFrame());
}

std::vector<SessionMessage> piecesOf(SessionMessage message) {
  std::uint64_t bytes = 0;
  for (const fabric::Payload &payload : message.payloads)
    bytes += payload.size();
  if (bytes <= kPieceBytes)
    return listOf(std::move(message));
  const auto payloads = std::exchange(message.payloads, {});
  message.header.frames = sizesOf(payloads);
  message.header.inPieces = true;
  auto pieces = listOf(std::move(message));
  for (const fabric::Payload &payload : payloads)
    cut(payload, pieces);
  return pieces;
}

wire::Result<SessionMessage> unpack(fabric::Frames frames, std::size_t first) {
  if (frames.size() <= first)
    return Status{Code::BadFrame, "a message without a header"};
  auto header = session::decode(fabric::bytesOf(frames[first]));
  if (!header)
    return header.status();
  SessionMessage message{std::move(*header), {}};
  const auto &sizes = message.header.frames;
  if (message.header.inPieces && !mayBeInPieces(message.header))
    return Status{Code::BadFrame, "a message in pieces that has no bytes, or too many"};
  if (frames.size() != first + 1 + (message.header.inPieces ? 0 : sizes.size()))
    return Status{Code::BadFrame, "a message with another number of raw frames than it announces"};
  for (std::size_t i = 0; first + 1 + i < frames.size(); ++i) {
    zmq::message_t &frame = frames[first + 1 + i];
    if (frame.size() != sizes[i])
      return Status{Code::BadFrame, "a raw frame of another size than was announced"};
    message.payloads.emplace_back(std::move(frame));
  }
  return message;
}

wire::Result<std::optional<SessionMessage>> MessageAssembly::put(SessionMessage message) {
  const bool begins = message.header.inPieces;
  if (!begins && !std::holds_alternative<session::Piece>(message.header.body))
    return std::optional(std::move(message));
  if (Status status = begins ? begin(std::move(message)) : add(message); !status.ok()) {
    clear();
    return status;
  }
  const bool whole = frame_ == begun_->payloads.size();
  return whole ? std::exchange(begun_, std::nullopt) : std::optional<SessionMessage>();
}

Status MessageAssembly::begin(SessionMessage message) {
  clear();
  try {
    for (const std::uint64_t bytes : message.header.frames)
      message.payloads.emplace_back(static_cast<std::size_t>(bytes));
  } catch (const std::bad_alloc &) {
    return {Code::OutOfMemory, "there is no memory for a message in pieces"};
  }
  message.header.inPieces = false; // once all pieces have arrived
  begun_ = std::move(message);
  frame_ = filled_ = 0;
  skipFullFrames();
  return Status::success();
}

Status MessageAssembly::add(const SessionMessage &piece) {
  if (!begun_ || piece.payloads.size() != 1)
    return {Code::BadFrame, "a piece of no message"};
  const auto bytes = piece.payloads.front().bytes();
  fabric::Payload &frame = begun_->payloads[frame_];
  if (bytes.size() > frame.size() - filled_)
    return {Code::BadFrame, "a piece that is longer than what is missing"};
  if (!bytes.empty())
    std::memcpy(frame.data() + filled_, bytes.data(), bytes.size());
  filled_ += bytes.size();
  skipFullFrames();
  return Status::success();
}

void MessageAssembly::skipFullFrames() {
  while (frame_ < begun_->payloads.size() && filled_ == begun_->payloads[frame_].size()) {
    ++frame_;
    filled_ = 0;
  }
}

} // namespace copse::ipud
