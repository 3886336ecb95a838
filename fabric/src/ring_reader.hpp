#pragma once

#include "locks/mutex.hpp"
#include "ring_layout.hpp"

#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "fabric/shared_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace copse::fabric {

/// The receiver's end of a ring. The sender is not trusted: whatever it writes, next() returns
/// messages or reports that the ring is corrupt.
///
/// A frame that the sender has written in place (ring::granulesInPlace()) may stay in the ring
/// until it is destroyed, except the first frame of a message: that is a header, which must not
/// change while it is read. At most half of that part of the ring is lent to frames, so that the
/// sender finds room.
///
/// Thread: next() and hasNext() one at a time; frames may be destroyed on any.
class RingReader : public std::enable_shared_from_this<RingReader> {
public:
  /// \param memory  memory of the ring, as its writer created it
  /// \param onRoom  called when there is room for which the writer waits. Any thread, must not
  ///   block
  /// \param mostBytes  largest frame that is accepted
  static std::shared_ptr<RingReader> make(SharedMemory memory, std::function<void()> onRoom,
                                          std::uint64_t mostBytes = std::uint64_t{4} << 30);

  enum class Next : std::uint8_t { Message, Nothing, Corrupt };
  /// \param frames  must be empty; receives the frames of the message
  Next next(Frames &frames);
  bool hasNext() const;

  /// A message of one or two frames in a slot.
  struct Small {
    std::array<std::byte, ring::kInline> bytes;
    std::size_t first = 0, second = 0; ///< bytes of the frames; 0: no second frame
    std::span<const std::byte> firstFrame() const { return {bytes.data(), first}; }
    std::span<const std::byte> secondFrame() const { return {bytes.data() + first, second}; }
  };
  /// Takes the next message if it is such a message; otherwise next() does. Allocates no frames.
  bool nextSmall(Small &message);

private:
  RingReader(SharedMemory memory, std::function<void()> onRoom, std::uint64_t mostBytes)
      : memory_(std::move(memory)), onRoom_(std::move(onRoom)), mostBytes_(mostBytes) {}

  /// Returns a block when its frame is destroyed.
  struct Lent {
    std::shared_ptr<RingReader> ring;
    std::uint32_t start;
    std::size_t bytes;
  };
  /// A frame that arrives in pieces.
  struct Large {
    zmq::message_t frame;
    std::size_t at = 0; ///< offset of the next byte
  };

  ring::Control &control() const { return *reinterpret_cast<ring::Control *>(memory_.data()); }
  std::byte *bytesAt(std::uint32_t start) const {
    return memory_.data() + ring::kControlBytes + std::size_t{start} * ring::kGranule;
  }
  std::size_t capacity() const { return memory_.size() - ring::kControlBytes; }
  std::uint32_t granulesInPlace() const { return ring::granulesInPlace(capacity()); }
  /// Returns half of the ring [bytes], so that the sender can fill the other half meanwhile.
  std::size_t mostLent() const { return granulesInPlace() * ring::kGranule / 2; }
  void finishSlot();
  bool isBlock(const ring::Part &part) const;
  bool takePiece(const ring::SlotHead &head);
  bool takeMessage(const ring::SlotHead &head, std::span<const std::byte> inlined, Frames &frames);
  /// \param inlined  bytes of the slot that the frames before it have not used
  bool takeFrame(const ring::SlotHead &head, std::size_t index, std::span<const std::byte> &inlined,
                 Frames &frames);
  void takeBlock(const ring::Part &part, bool mayLend, Frames &frames);
  void giveBack(std::uint32_t start);
  void sayRoom();

  SharedMemory memory_;
  std::function<void()> onRoom_;
  std::uint64_t mostBytes_;
  std::uint64_t read_ = 0;
  std::array<Large, ring::kFrames> large_;

  locks::Mutex mutex_; ///< guards the return of blocks
  std::uint64_t returned_ COPSE_GUARDED_BY(mutex_) = 0;
  std::atomic<std::size_t> lentBytes_{0}, lentBlocks_{0};
};

} // namespace copse::fabric
