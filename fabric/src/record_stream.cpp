#include "record_stream.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace copse::fabric {
namespace {

// Bytes that are encrypted, sent, received and decrypted at a time: they stay in the processor's
// second-level cache.
constexpr std::size_t kPieceBytes = 256 << 10;
static_assert(kPieceBytes % RecordCipher::kBlockBytes == 0);
// Less is not worth decrypting before more has come.
constexpr std::size_t kLeastDecrypted = 64 << 10;
constexpr std::uint64_t kMostPayloadBytes = std::uint64_t{4} << 30;

/// The first record of a message. Little-endian on the wire, as are all processors that this runs
/// on.
struct Lengths {
  std::uint64_t header, payload;
};

// A piece of payload, and what may stand before it.
constexpr std::size_t kPieceRoom =
    sizeof(Lengths) + wire::kMaxHeaderBytes + kPieceBytes + 3 * RecordCipher::kTagBytes;

iovec partOf(std::byte *data, std::size_t bytes) { return {data, bytes}; }

} // namespace

RecordWriter::RecordWriter(const RecordKey &key)
    : cipher_(key, RecordCipher::Direction::Encrypt),
      piece_(std::make_unique_for_overwrite<std::byte[]>(kPieceRoom)) {}

void RecordWriter::put(Frames frames) {
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
  cipher_.begin();
  encrypted_ = 0;
  appendPayload();
}

std::span<const std::byte> RecordWriter::pending() {
  if (taken_ == filled_) {
    taken_ = filled_ = 0;
    if (!frames_.empty())
      appendPayload();
  }
  return {piece_.get() + taken_, filled_ - taken_};
}

void RecordWriter::append(std::span<const std::byte> plain) {
  assert(filled_ + plain.size() + RecordCipher::kTagBytes <= kPieceRoom);
  cipher_.encrypt(plain, piece_.get() + filled_);
  filled_ += plain.size();
}

void RecordWriter::endRecord() {
  cipher_.tag(piece_.get() + filled_);
  filled_ += RecordCipher::kTagBytes;
}

void RecordWriter::appendRecord(std::span<const std::byte> plain) {
  cipher_.begin();
  append(plain);
  endRecord();
}

void RecordWriter::appendPayload() {
  const auto rest = bytesOf(frames_[1]).subspan(encrypted_);
  const std::size_t bytes = std::min(rest.size(), kPieceBytes);
  append(rest.first(bytes));
  encrypted_ += bytes;
  if (bytes < rest.size())
    return;
  endRecord();
  frames_.clear();
}

RecordReader::RecordReader(const RecordKey &key) : cipher_(key, RecordCipher::Direction::Decrypt) {}

std::array<iovec, 2> RecordReader::space() {
  const iovec buffer = partOf(buffer_.data() + filled_, buffer_.size() - filled_);
  if (!inPayload())
    return {buffer, partOf(nullptr, 0)};
  const std::size_t rest = payloadBytes_ - arrived_;
  if (rest > kPieceBytes)
    return {partOf(payload() + arrived_, kPieceBytes), partOf(nullptr, 0)};
  return {partOf(payload() + arrived_, rest), buffer};
}

bool RecordReader::put(std::size_t bytes, const OnMessage &onMessage) {
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

bool RecordReader::readOn(const OnMessage &onMessage) {
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

std::size_t RecordReader::bytesWanted() const {
  switch (stage_) {
  case Stage::Lengths:
    return sizeof(Lengths) + RecordCipher::kTagBytes;
  case Stage::Header:
    return headerBytes_ + RecordCipher::kTagBytes;
  case Stage::Payload:
    return 0;
  case Stage::Tag:
    return RecordCipher::kTagBytes;
  }
  return 0;
}

/// Decrypts a whole record in the buffer, in place.
bool RecordReader::decryptRecord(std::size_t bytes) {
  std::byte *const record = buffer_.data() + used_;
  cipher_.begin();
  cipher_.decrypt({record, bytes});
  return cipher_.checkTag(record + bytes);
}

bool RecordReader::readLengths() {
  if (!decryptRecord(sizeof(Lengths)))
    return false;
  Lengths lengths{};
  std::memcpy(&lengths, buffer_.data() + used_, sizeof lengths);
  used_ += sizeof lengths + RecordCipher::kTagBytes;
  if (lengths.header > wire::kMaxHeaderBytes || lengths.payload > kMostPayloadBytes)
    return false;
  headerBytes_ = lengths.header;
  payloadBytes_ = lengths.payload;
  stage_ = Stage::Header;
  return true;
}

bool RecordReader::readHeader(const OnMessage &onMessage) {
  if (!decryptRecord(headerBytes_))
    return false;
  frames_.emplace_back(buffer_.data() + used_, headerBytes_);
  used_ += headerBytes_ + RecordCipher::kTagBytes;
  if (payloadBytes_ == 0) {
    deliver(onMessage);
    return true;
  }
  try {
    payload_.rebuild(payloadBytes_);
  } catch (const zmq::error_t &) { // no memory
    return false;
  }
  arrived_ = decrypted_ = 0;
  cipher_.begin();
  stage_ = Stage::Payload;
  return true;
}

void RecordReader::readPayload() {
  const std::size_t bytes = std::min(buffered(), payloadBytes_ - arrived_);
  std::memcpy(payload() + arrived_, buffer_.data() + used_, bytes);
  used_ += bytes;
  arrived_ += bytes;
  decryptPayload();
  if (arrived_ == payloadBytes_)
    stage_ = Stage::Tag;
}

void RecordReader::decryptPayload() {
  const bool last = arrived_ == payloadBytes_;
  const std::size_t ready = arrived_ - decrypted_;
  if (!last && ready < kLeastDecrypted)
    return;
  const std::size_t bytes = last ? ready : ready - ready % RecordCipher::kBlockBytes;
  cipher_.decrypt({payload() + decrypted_, bytes});
  decrypted_ += bytes;
}

bool RecordReader::readTag(const OnMessage &onMessage) {
  if (!cipher_.checkTag(buffer_.data() + used_))
    return false;
  used_ += RecordCipher::kTagBytes;
  frames_.push_back(std::move(payload_));
  deliver(onMessage);
  return true;
}

void RecordReader::deliver(const OnMessage &onMessage) {
  stage_ = Stage::Lengths;
  onMessage(std::exchange(frames_, {}));
}

} // namespace copse::fabric
