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

/// The end of a ring that messages come out of. The other end is not trusted: whatever it
/// writes, next() gives messages or says that the ring is corrupt.
///
/// Frames that the sender has filled in place (ring::granulesInPlace()) may lie in the ring until
/// they are gone, all but the first of a message: that is a header, which nobody may change while it
/// is read. At most half of that part of the ring is lent like that, so that the sender finds room.
///
/// Thread: next() and hasNext() one at a time; frames may go on any.
class RingReader : public std::enable_shared_from_this<RingReader> {
public:
  /// \param memory        of the ring, as its writer made it
  /// \param onRoom        the writer waits for room, and there is some. Any thread, must not block
  /// \param mostBytes     of a frame that is taken
  static std::shared_ptr<RingReader> make(SharedMemory memory, std::function<void()> onRoom,
                                          std::uint64_t mostBytes = std::uint64_t{4} << 30);

  enum class Next : std::uint8_t { Message, Nothing, Corrupt };
  /// \param frames  empty; the message's, if there is one
  Next next(Frames &frames);
  bool hasNext() const;

  /// A message of one or two frames that lay in a slot.
  struct Small {
    std::array<std::byte, ring::kInline> bytes;
    std::size_t first = 0, second = 0; ///< bytes of the frames; no second: 0
    std::span<const std::byte> firstFrame() const { return {bytes.data(), first}; }
    std::span<const std::byte> secondFrame() const { return {bytes.data() + first, second}; }
  };
  /// Takes the next message if it is such a one; otherwise next() does. Saves the memory of frames.
  bool nextSmall(Small &message);

private:
  RingReader(SharedMemory memory, std::function<void()> onRoom, std::uint64_t mostBytes)
      : memory_(std::move(memory)), onRoom_(std::move(onRoom)), mostBytes_(mostBytes) {}

  /// Gives a block back when its frame is gone.
  struct Lent {
    std::shared_ptr<RingReader> ring;
    std::uint32_t start;
    std::size_t bytes;
  };
  /// A frame that comes in pieces.
  struct Large {
    zmq::message_t frame;
    std::size_t at = 0; ///< the next byte
  };

  ring::Control &control() const { return *reinterpret_cast<ring::Control *>(memory_.data()); }
  std::byte *bytesAt(std::uint32_t start) const {
    return memory_.data() + ring::kControlBytes + std::size_t{start} * ring::kGranule;
  }
  std::size_t capacity() const { return memory_.size() - ring::kControlBytes; }
  std::uint32_t granulesInPlace() const { return ring::granulesInPlace(capacity()); }
  /// The sender can fill as much again meanwhile [bytes].
  std::size_t mostLent() const { return granulesInPlace() * ring::kGranule / 2; }
  void finishSlot();
  bool isBlock(const ring::Part &part) const;
  bool takePiece(const ring::SlotHead &head);
  bool takeMessage(const ring::SlotHead &head, std::span<const std::byte> inlined, Frames &frames);
  /// \param inlined  what the frames before it have left of the slot
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

  locks::Mutex mutex_; ///< of what goes back
  std::uint64_t returned_ COPSE_GUARDED_BY(mutex_) = 0;
  std::atomic<std::size_t> lentBytes_{0}, lentBlocks_{0};
};

} // namespace copse::fabric
