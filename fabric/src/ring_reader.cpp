#include "ring_reader.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace copse::fabric {

using ring::Kind;
using ring::Part;
using ring::Slot;

namespace {

// A copy of fewer bytes costs less than to lend them.
constexpr std::size_t kLeastLent = 2 * ring::kGranule;

} // namespace

std::shared_ptr<RingReader> RingReader::make(SharedMemory memory, std::function<void()> onRoom,
                                             std::uint64_t mostBytes) {
  return std::shared_ptr<RingReader>(
      new RingReader(std::move(memory), std::move(onRoom), mostBytes));
}

bool RingReader::hasNext() const {
  return control().counts.written.load(std::memory_order_acquire) != read_;
}

RingReader::Next RingReader::next(Frames &frames) {
  for (;;) {
    const std::uint64_t written = control().counts.written.load(std::memory_order_acquire);
    if (written == read_)
      return Next::Nothing;
    if (written - read_ > ring::kSlots)
      return Next::Corrupt;
    const Slot slot = control().slots[read_ % ring::kSlots];
    // The writer may change the slot at any time: after the checks nobody looks at the original again.
    std::atomic_signal_fence(std::memory_order_acquire);
    const bool piece = slot.kind == Kind::Piece;
    if (!(piece ? takePiece(slot) : takeMessage(slot, frames)))
      return Next::Corrupt;
    control().counts.read.store(++read_, std::memory_order_release);
    sayRoom();
    if (!piece)
      return Next::Message;
  }
}

bool RingReader::isBlock(const Part &part) const {
  return part.place < ring::kInPieces && part.bytes > 0 && part.bytes <= capacity() &&
         part.place + ring::granulesOf(part.bytes) <= capacity() / ring::kGranule;
}

bool RingReader::takePiece(const Slot &slot) {
  const std::uint64_t whole = slot.parts[1].bytes;
  if (slot.count >= ring::kFrames || !isBlock(slot.parts[0]) || whole > mostBytes_)
    return false;
  Large &large = large_[slot.count];
  const std::size_t bytes = slot.parts[0].bytes;
  try {
    if (large.at == 0)
      large.frame.rebuild(whole);
  } catch (const std::exception &) { // there is no memory of that size
    return false;
  }
  if (large.frame.size() != whole || bytes > whole - large.at)
    return false;
  std::memcpy(static_cast<std::byte *>(large.frame.data()) + large.at, bytesAt(slot.parts[0].place),
              bytes);
  large.at += bytes;
  giveBack(slot.parts[0].place);
  return true;
}

bool RingReader::takeMessage(const Slot &slot, Frames &frames) {
  if (slot.kind != Kind::Message || slot.count == 0 || slot.count > ring::kFrames)
    return false;
  std::size_t inlined = 0;
  frames.reserve(slot.count);
  for (std::size_t i = 0; i < slot.count; ++i)
    if (!takeFrame(slot, i, inlined, frames))
      return false;
  return true;
}

bool RingReader::takeFrame(const Slot &slot, std::size_t index, std::size_t &inlined,
                           Frames &frames) {
  const Part &part = slot.parts[index];
  if (part.place == ring::kInSlot) {
    if (part.bytes > ring::kInline - inlined)
      return false;
    frames.emplace_back(slot.inlined.data() + inlined, part.bytes);
    inlined += part.bytes;
    return true;
  }
  if (part.place == ring::kInPieces) {
    Large &large = large_[index];
    if (large.at == 0 || large.at != large.frame.size() || large.at != part.bytes)
      return false;
    frames.push_back(std::move(large.frame));
    large = {};
    return true;
  }
  if (!isBlock(part) || part.bytes > mostBytes_)
    return false;
  takeBlock(part, index > 0, frames);
  return true;
}

void RingReader::takeBlock(const Part &part, bool mayLend, Frames &frames) {
  std::byte *const at = bytesAt(part.place);
  const std::size_t bytes = part.bytes;
  const bool inPlace = part.place < granulesInPlace();
  if (!mayLend || !inPlace || bytes < kLeastLent || lentBytes_ + bytes > mostLent() ||
      lentBlocks_ >= ring::kBlocks / 2) {
    frames.emplace_back(at, bytes);
    giveBack(part.place);
    return;
  }
  lentBytes_ += bytes;
  ++lentBlocks_;
  frames.emplace_back(
      at, bytes,
      [](void *, void *hint) {
        const std::unique_ptr<Lent> lent(static_cast<Lent *>(hint));
        lent->ring->lentBytes_ -= lent->bytes;
        --lent->ring->lentBlocks_;
        lent->ring->giveBack(lent->start);
        lent->ring->sayRoom();
      },
      new Lent{shared_from_this(), part.place, bytes});
}

void RingReader::giveBack(std::uint32_t start) {
  const locks::Lock lock(mutex_);
  control().blocks[returned_ % ring::kBlocks].store(start, std::memory_order_relaxed);
  control().counts.returned.store(++returned_, std::memory_order_release);
}

void RingReader::sayRoom() {
  // A block that was given back must be there before the writer's wish is read: it wishes, and looks again.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  auto &wish = control().counts.wantsRoom;
  if (wish.load(std::memory_order_relaxed) != 0 && wish.exchange(0) != 0)
    onRoom_();
}

} // namespace copse::fabric
