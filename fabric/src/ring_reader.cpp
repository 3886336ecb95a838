#include "ring_reader.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace copse::fabric {

using ring::Kind;
using ring::Part;
using ring::SlotHead;

namespace {

// To copy fewer bytes costs less than to lend them.
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
    const ring::Slot &slot = control().slots[read_ % ring::kSlots];
    const SlotHead head = slot.head;
    // The writer may change the slot at any time: after the checks only the copy is read.
    std::atomic_signal_fence(std::memory_order_acquire);
    const bool piece = head.kind == Kind::Piece;
    if (!(piece ? takePiece(head) : takeMessage(head, slot.inlined, frames)))
      return Next::Corrupt;
    finishSlot();
    if (!piece)
      return Next::Message;
  }
}

bool RingReader::nextSmall(Small &message) {
  const std::uint64_t waiting = control().counts.written.load(std::memory_order_acquire) - read_;
  if (waiting == 0 || waiting > ring::kSlots)
    return false;
  const ring::Slot &slot = control().slots[read_ % ring::kSlots];
  const SlotHead head = slot.head;
  std::atomic_signal_fence(std::memory_order_acquire); // as in next()
  const std::size_t first = head.parts[0].bytes;
  const std::size_t second = head.count == 2 ? std::size_t{head.parts[1].bytes} : 0;
  if (head.kind != Kind::Message || (head.count != 1 && head.count != 2) ||
      head.parts[0].place != ring::kInSlot || head.parts[1].place != ring::kInSlot ||
      first > ring::kInline || second > ring::kInline - first)
    return false;
  std::memcpy(message.bytes.data(), slot.inlined.data(), first + second);
  message.first = first;
  message.second = second;
  finishSlot();
  return true;
}

void RingReader::finishSlot() {
  control().counts.read.store(++read_, std::memory_order_release);
  sayRoom();
}

bool RingReader::isBlock(const Part &part) const {
  return part.place < ring::kInPieces && part.bytes > 0 && part.bytes <= capacity() &&
         part.place + ring::granulesOf(part.bytes) <= capacity() / ring::kGranule;
}

bool RingReader::takePiece(const SlotHead &head) {
  const std::uint64_t whole = head.parts[1].bytes;
  if (head.count >= ring::kFrames || !isBlock(head.parts[0]) || whole > mostBytes_)
    return false;
  Large &large = large_[head.count];
  const std::size_t bytes = head.parts[0].bytes;
  try {
    if (large.at == 0)
      large.frame.rebuild(whole);
  } catch (const std::exception &) { // there is no memory of that size
    return false;
  }
  if (large.frame.size() != whole || bytes > whole - large.at)
    return false;
  std::memcpy(static_cast<std::byte *>(large.frame.data()) + large.at, bytesAt(head.parts[0].place),
              bytes);
  large.at += bytes;
  giveBack(head.parts[0].place);
  return true;
}

bool RingReader::takeMessage(const SlotHead &head, std::span<const std::byte> inlined,
                             Frames &frames) {
  if (head.kind != Kind::Message || head.count == 0 || head.count > ring::kFrames)
    return false;
  frames.reserve(head.count);
  for (std::size_t i = 0; i < head.count; ++i)
    if (!takeFrame(head, i, inlined, frames))
      return false;
  return true;
}

bool RingReader::takeFrame(const SlotHead &head, std::size_t index,
                           std::span<const std::byte> &inlined, Frames &frames) {
  const Part &part = head.parts[index];
  if (part.place == ring::kInSlot) {
    if (part.bytes > inlined.size())
      return false;
    frames.emplace_back(inlined.data(), part.bytes);
    inlined = inlined.subspan(part.bytes);
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
  // The returned block must be visible before wantsRoom is read: the writer sets wantsRoom, and
  // checks again.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  auto &wish = control().counts.wantsRoom;
  if (wish.load(std::memory_order_relaxed) != 0 && wish.exchange(0) != 0)
    onRoom_();
}

} // namespace copse::fabric
