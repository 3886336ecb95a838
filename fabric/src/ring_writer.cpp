#include "ring_writer.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

namespace copse::fabric {

using ring::Kind;
using ring::Part;
using ring::SlotHead;

namespace {

// To copy fewer bytes costs less than to manage a block.
constexpr std::size_t kLeastReserved = ring::kGranule;
// How many granules are used in turn before returned blocks are reused. A block that was returned a
// moment ago is in the cache of the reader's core, from which a write has to fetch it; a block from
// anywhere in the ring is in no cache. Rows of 1 MiB for four IPUs took a third longer when all 28
// MiB were used in turn, and messages of 64 KiB over a link up to a fifth longer when each took the
// block that was returned last (measured on Sapphire Rapids, L2 caches of 2 MiB).
constexpr std::uint32_t kRound = (2 << 20) / ring::kGranule;
// The number of pieces of a large frame in the ring at once: one is filled while others are read.
constexpr std::size_t kPiecesAtOnce = 4;

} // namespace

RingWriter::RingWriter(SharedMemory memory)
    : memory_(std::move(memory)), forReservations_(0, granulesInPlace()),
      forCopies_(granulesInPlace(), granulesForCopies()) {}

std::shared_ptr<RingWriter> RingWriter::make(SharedMemory memory) {
  assert(memory.size() > ring::kControlBytes);
  return std::shared_ptr<RingWriter>(new RingWriter(std::move(memory)));
}

std::optional<Payload> RingWriter::reserve(std::size_t bytes) {
  if (bytes < kLeastReserved || ring::granulesOf(bytes) > granulesInPlace())
    return Payload(bytes);
  const locks::Lock lock(mutex_);
  std::optional<std::uint32_t> start;
  if (!retry([&]() COPSE_REQUIRES(mutex_) {
        return (start = allocate(forReservations_, bytes)).has_value();
      }))
    return {};
  auto owner = std::make_shared<Reservation>(shared_from_this(), *start, blocks_[*start].number);
  return Payload({bytesAt(*start), bytes}, std::move(owner));
}

Sent RingWriter::send(Frames &frames) {
  assert(!frames.empty() && frames.size() <= ring::kFrames);
  // Destroyed after the lock is released, because reservations take it.
  std::optional<Large> finished;
  {
    const locks::Lock lock(mutex_);
    if (broken_)
      return Sent::Unreachable;
    if (large_)
      return Sent::Full;
    const bool large = std::any_of(frames.begin(), frames.end(),
                                   [this](const auto &frame)
                                       COPSE_REQUIRES(mutex_) { return goesInPieces(frame); });
    if (large) {
      large_ = Large{std::exchange(frames, {})};
      if (putLarge())
        finished.swap(large_);
      return Sent::Ok;
    }
    if (!retry([&]() COPSE_REQUIRES(mutex_) { return put(frames); }))
      return broken_ ? Sent::Unreachable : Sent::Full;
  }
  frames.clear();
  return Sent::Ok;
}

Sent RingWriter::sendSmall(std::span<const std::byte> first, std::span<const std::byte> second) {
  assert(!first.empty() && isSmall(first.size() + second.size()));
  const locks::Lock lock(mutex_);
  if (broken_)
    return Sent::Unreachable;
  if (large_)
    return Sent::Full;
  if (retry([&]() COPSE_REQUIRES(mutex_) { return putSmall(first, second); }))
    return Sent::Ok;
  return broken_ ? Sent::Unreachable : Sent::Full;
}

RingWriter::Resumed RingWriter::resume() {
  if (!mayResume()) // true as a rule, and a lock costs more than this check
    return Resumed::Nothing;
  std::optional<Large> finished;
  const locks::Lock lock(mutex_);
  if (!mayResume())
    return Resumed::Nothing;
  full_ = false;
  const std::uint64_t before = written_;
  if (large_ && putLarge())
    finished.swap(large_);
  if (!full_)
    return Resumed::All;
  return written_ > before ? Resumed::Some : Resumed::Nothing;
}

std::uint64_t RingWriter::unread() const {
  const locks::Lock lock(mutex_);
  return std::min<std::uint64_t>(written_ - control().counts.read.load(), ring::kSlots);
}

bool RingWriter::broken() const {
  const locks::Lock lock(mutex_);
  return broken_;
}

void RingWriter::drop(std::uint32_t start, std::uint64_t number) {
  const locks::Lock lock(mutex_);
  const auto block = blocks_.find(start);
  if (block != blocks_.end() && block->second.number == number && !block->second.sent)
    release(start);
}

std::optional<std::uint32_t> RingWriter::allocate(BlockAllocator &from, std::size_t bytes) {
  if (blocks_.size() >= ring::kBlocks)
    return {};
  const auto count = static_cast<std::uint32_t>(ring::granulesOf(bytes));
  auto start = from.allocate(count, kRound);
  if (!start) {
    collect();
    start = broken_ ? std::nullopt : from.allocate(count);
  }
  if (start)
    blocks_[*start] = {nextNumber_++, count, false};
  return start;
}

void RingWriter::release(std::uint32_t start) {
  const auto block = blocks_.find(start);
  (start < granulesInPlace() ? forReservations_ : forCopies_)
      .release(start, block->second.granules);
  blocks_.erase(block);
}

void RingWriter::collect() {
  ring::Counts &counts = control().counts;
  const std::uint64_t returned = counts.returned.load(std::memory_order_acquire);
  const std::uint64_t read = counts.read.load(std::memory_order_acquire);
  broken_ = broken_ || returned - returned_ > ring::kBlocks || read < read_ || read > written_;
  for (; !broken_ && returned_ != returned; ++returned_)
    broken_ =
        !takeBack(control().blocks[returned_ % ring::kBlocks].load(std::memory_order_relaxed));
  if (!broken_)
    read_ = read;
}

bool RingWriter::takeBack(std::uint32_t start) {
  const auto block = blocks_.find(start);
  if (block == blocks_.end() || !block->second.sent)
    return false;
  release(start);
  return true;
}

std::optional<std::uint32_t> RingWriter::reservedFor(const zmq::message_t &frame) {
  const auto *const at = static_cast<const std::byte *>(frame.data());
  const auto *const begin = bytesAt(0);
  if (at < begin || at >= begin + capacity())
    return {};
  const auto offset = static_cast<std::size_t>(at - begin);
  const auto start = static_cast<std::uint32_t>(offset / ring::kGranule);
  const auto block = blocks_.find(start);
  if (offset % ring::kGranule != 0 || block == blocks_.end() || block->second.sent ||
      ring::granulesOf(frame.size()) > block->second.granules)
    return {};
  return start;
}

bool RingWriter::goesInPieces(const zmq::message_t &frame) {
  return ring::granulesOf(frame.size()) > mostGranules() && !reservedFor(frame);
}

bool RingWriter::place(const zmq::message_t &frame, Part &part, std::size_t &inlined) {
  part.bytes = frame.size();
  std::byte *to = nullptr;
  if (goesInPieces(frame)) {
    part.place = ring::kInPieces;
    return true;
  }
  if (frame.size() <= ring::kInline - inlined) {
    part.place = ring::kInSlot;
    to = nextSlot().inlined.data() + inlined;
    inlined += frame.size();
  } else if (const auto reserved = reservedFor(frame)) {
    part.place = *reserved;
    return true;
  } else if (const auto start = allocate(forCopies_, frame.size())) {
    part.place = *start;
    to = bytesAt(*start);
  } else {
    return false;
  }
  if (frame.size() > 0)
    std::memcpy(to, frame.data(), frame.size());
  return true;
}

bool RingWriter::put(const Frames &frames) {
  if (written_ - read_ >= ring::kSlots)
    return false;
  SlotHead head;
  head.count = static_cast<std::uint32_t>(frames.size());
  std::array<std::uint32_t, ring::kFrames> placed{};
  std::size_t inlined = 0, blocks = 0;
  bool complete = true;
  const std::uint64_t before = nextNumber_;
  for (std::size_t i = 0; i < frames.size() && complete; ++i) {
    Part &part = head.parts[i];
    complete = place(frames[i], part, inlined);
    if (complete && part.place < ring::kInPieces)
      placed[blocks++] = part.place;
  }
  for (std::size_t i = 0; i < blocks; ++i)
    if (complete)
      blocks_[placed[i]].sent = true;
    else if (blocks_[placed[i]].number >= before)
      release(placed[i]);
  if (complete)
    publish(head);
  return complete;
}

bool RingWriter::putSmall(std::span<const std::byte> first, std::span<const std::byte> second) {
  if (written_ - read_ >= ring::kSlots)
    return false;
  std::byte *const inlined = nextSlot().inlined.data();
  SlotHead head;
  head.count = second.empty() ? 1 : 2;
  head.parts[0].bytes = first.size();
  head.parts[1].bytes = second.size();
  std::memcpy(inlined, first.data(), first.size());
  if (!second.empty())
    std::memcpy(inlined + first.size(), second.data(), second.size());
  publish(head);
  return true;
}

bool RingWriter::putPiece() {
  const zmq::message_t &frame = large_->frames[large_->frame];
  const std::size_t bytes =
      std::min(frame.size() - large_->at, granulesForCopies() * ring::kGranule / kPiecesAtOnce);
  if (written_ - read_ >= ring::kSlots)
    return false;
  const auto start = allocate(forCopies_, bytes);
  if (!start)
    return false;
  std::memcpy(bytesAt(*start), static_cast<const std::byte *>(frame.data()) + large_->at, bytes);
  blocks_[*start].sent = true;
  large_->at += bytes;
  SlotHead head;
  head.kind = Kind::Piece;
  head.count = static_cast<std::uint32_t>(large_->frame);
  head.parts[0] = {*start, 0, bytes};
  head.parts[1].bytes = frame.size();
  publish(head);
  return true;
}

/// \returns true if the whole message is in the ring
bool RingWriter::putLarge() {
  for (; large_->frame < large_->frames.size(); ++large_->frame, large_->at = 0) {
    const zmq::message_t &frame = large_->frames[large_->frame];
    while (goesInPieces(frame) && large_->at < frame.size())
      if (!retry([&]() COPSE_REQUIRES(mutex_) { return putPiece(); }))
        return false;
  }
  return retry([&]() COPSE_REQUIRES(mutex_) { return put(large_->frames); });
}

void RingWriter::publish(const SlotHead &head) {
  nextSlot().head = head;
  control().counts.written.store(++written_, std::memory_order_release);
}

template <class Attempt> bool RingWriter::retry(const Attempt &attempt) {
  if (attempt())
    return true;
  collect();
  if (!broken_ && attempt())
    return true;
  const bool waited = full_.exchange(true);
  auto &wish = control().counts.wantsRoom;
  const bool granted = wish.exchange(1) == 0;
  collect(); // the reader may have made room before it saw that
  const bool done = !broken_ && attempt();
  if (done) {
    full_ = waited; // another caller that was refused still waits for room
    if (waited && granted)
      wish.store(0); // the reader has already reported room, and need not again
  }
  return done;
}

} // namespace copse::fabric
