#include "sealed_stream.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace copse::fabric {
namespace {

// What is sealed, sent, received and opened at a time: it stays in the processor's second-level
// cache.
constexpr std::size_t kPieceBytes = 256 << 10;
static_assert(kPieceBytes % kSealBlockBytes == 0);
// Less is not worth opening before more has come.
constexpr std::size_t kLeastOpened = 64 << 10;
constexpr std::uint64_t kMostPayloadBytes = std::uint64_t{4} << 30;

/// The first record of a message. Little-endian on the wire, as are all processors that this runs
/// on.
struct Lengths {
  std::uint64_t header, payload;
};

// A piece of payload, and what may stand before it.
constexpr std::size_t kPieceRoom =
    sizeof(Lengths) + wire::kMaxHeaderBytes + kPieceBytes + 3 * kTagBytes;

iovec partOf(std::byte *data, std::size_t bytes) { return {data, bytes}; }

} // namespace

SealedWriter::SealedWriter(const SealId &id, const SealKey &key)
    : seal_(key), piece_(std::make_unique_for_overwrite<std::byte[]>(kPieceRoom)),
      filled_(id.size()) {
  std::copy(id.begin(), id.end(), piece_.get());
}

void SealedWriter::put(Frames frames) {
  assert(!busy() && !frames.empty() && frames.size() <= 2);
  frames_ = std::move(frames);
  const Lengths lengths{frames_[0].size(), frames_.size() == 2 ? frames_[1].size() : 0};
  taken_ = filled_ = 0;
  appendRecord(std::as_bytes(std::span(&lengths, 1)));
  appendRecord(bytesOf(frames_[0]));
  if (lengths.payload == 0) {
    frames_.clear();
    return;
  }
  seal_.begin();
  sealed_ = 0;
  appendPayload();
}

std::span<const std::byte> SealedWriter::pending() {
  if (taken_ == filled_) {
    taken_ = filled_ = 0;
    if (!frames_.empty())
      appendPayload();
  }
  return {piece_.get() + taken_, filled_ - taken_};
}

void SealedWriter::append(std::span<const std::byte> plain, bool last) {
  assert(filled_ + plain.size() + kTagBytes <= kPieceRoom);
  seal_.seal(plain, piece_.get() + filled_, last);
  filled_ += plain.size();
  if (!last)
    return;
  seal_.tag(piece_.get() + filled_);
  filled_ += kTagBytes;
}

void SealedWriter::appendRecord(std::span<const std::byte> plain) {
  seal_.begin();
  append(plain, true);
}

void SealedWriter::appendPayload() {
  const auto rest = bytesOf(frames_[1]).subspan(sealed_);
  const std::size_t bytes = std::min(rest.size(), kPieceBytes);
  append(rest.first(bytes), bytes == rest.size());
  sealed_ += bytes;
  if (bytes == rest.size())
    frames_.clear();
}

SealedReader::SealedReader(const SealKey &key) : seal_(key) {}

std::array<iovec, 2> SealedReader::space() {
  const iovec buffer = partOf(buffer_.data() + filled_, buffer_.size() - filled_);
  if (!inPayload())
    return {buffer, partOf(nullptr, 0)};
  const std::size_t rest = payloadBytes_ - arrived_;
  if (rest > kPieceBytes)
    return {partOf(payload() + arrived_, kPieceBytes), partOf(nullptr, 0)};
  return {partOf(payload() + arrived_, rest), buffer};
}

bool SealedReader::put(std::size_t bytes, const OnMessage &onMessage) {
  if (inPayload()) {
    const std::size_t mine = std::min(bytes, payloadBytes_ - arrived_);
    arrived_ += mine;
    bytes -= mine;
  }
  filled_ += bytes;
  if (!readOn(onMessage))
    return false;
  std::memmove(buffer_.data(), buffer_.data() + used_, buffered());
  filled_ -= std::exchange(used_, 0);
  return true;
}

bool SealedReader::readOn(const OnMessage &onMessage) {
  for (;;) {
    if (inPayload())
      readPayload();
    if (inPayload() || buffered() < bytesWanted())
      return true;
    const bool sound = stage_ == Stage::Lengths  ? readLengths()
                       : stage_ == Stage::Header ? readHeader(onMessage)
                                                 : readTag(onMessage);
    if (!sound)
      return false;
  }
}

std::size_t SealedReader::bytesWanted() const {
  switch (stage_) {
  case Stage::Lengths:
    return sizeof(Lengths) + kTagBytes;
  case Stage::Header:
    return headerBytes_ + kTagBytes;
  case Stage::Payload:
    return 0;
  case Stage::Tag:
    return kTagBytes;
  }
  return 0;
}

/// A whole record that stands in the buffer, which is left at its plain bytes.
bool SealedReader::openRecord(std::size_t bytes) {
  std::byte *const record = buffer_.data() + used_;
  seal_.begin();
  seal_.open({record, bytes}, true);
  return seal_.checkTag(record + bytes);
}

bool SealedReader::readLengths() {
  if (!openRecord(sizeof(Lengths)))
    return false;
  Lengths lengths{};
  std::memcpy(&lengths, buffer_.data() + used_, sizeof lengths);
  used_ += sizeof lengths + kTagBytes;
  if (lengths.header > wire::kMaxHeaderBytes || lengths.payload > kMostPayloadBytes)
    return false;
  headerBytes_ = lengths.header;
  payloadBytes_ = lengths.payload;
  stage_ = Stage::Header;
  return true;
}

bool SealedReader::readHeader(const OnMessage &onMessage) {
  if (!openRecord(headerBytes_))
    return false;
  frames_.emplace_back(buffer_.data() + used_, headerBytes_);
  used_ += headerBytes_ + kTagBytes;
  if (payloadBytes_ == 0) {
    deliver(onMessage);
    return true;
  }
  try {
    payload_.rebuild(payloadBytes_);
  } catch (const zmq::error_t &) { // no memory
    return false;
  }
  arrived_ = opened_ = 0;
  seal_.begin();
  stage_ = Stage::Payload;
  return true;
}

void SealedReader::readPayload() {
  const std::size_t bytes = std::min(buffered(), payloadBytes_ - arrived_);
  std::memcpy(payload() + arrived_, buffer_.data() + used_, bytes);
  used_ += bytes;
  arrived_ += bytes;
  openPayload();
  if (arrived_ == payloadBytes_)
    stage_ = Stage::Tag;
}

void SealedReader::openPayload() {
  const bool last = arrived_ == payloadBytes_;
  const std::size_t ready = arrived_ - opened_;
  if (!last && ready < kLeastOpened)
    return;
  const std::size_t bytes = last ? ready : ready - ready % kSealBlockBytes;
  seal_.open({payload() + opened_, bytes}, last);
  opened_ += bytes;
}

bool SealedReader::readTag(const OnMessage &onMessage) {
  if (!seal_.checkTag(buffer_.data() + used_))
    return false;
  used_ += kTagBytes;
  frames_.push_back(std::move(payload_));
  deliver(onMessage);
  return true;
}

void SealedReader::deliver(const OnMessage &onMessage) {
  stage_ = Stage::Lengths;
  onMessage(std::exchange(frames_, {}));
}

} // namespace copse::fabric
