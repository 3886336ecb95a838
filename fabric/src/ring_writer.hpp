#pragma once

#include "block_allocator.hpp"
#include "locks/mutex.hpp"
#include "ring_layout.hpp"

#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "fabric/shared_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

namespace copse::fabric {

/// The sender's end of a ring. The receiver is not trusted: whatever it writes can break the ring
/// but nothing else.
///
/// Thread: any.
class RingWriter : public std::enable_shared_from_this<RingWriter> {
public:
  /// \param memory  at least ring::kControlBytes and a granule, all zeros
  static std::shared_ptr<RingWriter> make(SharedMemory memory);

  /// Returns memory for a payload that will be sent through this ring; in memory of the ring its
  /// bytes are not copied. Once sent, they are the receiver's, and must not be read here. If not
  /// sent, the memory is freed with its last owner. Returns memory of this process if a copy costs
  /// less.
  /// \returns nothing if there is no room now; the reader will report when there is
  std::optional<Payload> reserve(std::size_t bytes);

  /// Writes all frames as one message, at most ring::kFrames, or none; then \p frames is unchanged.
  /// \returns Full if there is no room now (the reader will report when there is), or Unreachable
  ///   if the ring is broken
  Sent send(Frames &frames);

  /// Sends one or two frames that fit into a slot. The caller may reuse the frames.
  /// \param second  empty: there is only one frame
  Sent sendSmall(std::span<const std::byte> first, std::span<const std::byte> second);
  static bool isSmall(std::size_t bytes) { return bytes <= ring::kInline; }

  enum class Resumed {
    Nothing, ///< there was nothing left to do, or there is no room
    /// Pieces of a large message were written, and others wait: the reader must be notified.
    Some,
    All, ///< all pieces, if any, were written; and send() may be retried, after it was Full
  };
  /// Writes the rest of a large message.
  Resumed resume();

  /// Returns true if a caller was refused, or a large message is not complete.
  bool isFull() const { return full_; }
  /// Returns true if there is something to resume. Takes no lock, so that it can be polled.
  bool mayResume() const { return full_ && control().counts.wantsRoom.load() == 0; }

  /// Returns how many messages, and pieces of large ones, the reader has not read.
  std::uint64_t unread() const;

  /// Returns true if the receiver has written nonsense.
  bool broken() const;
  const SharedMemory &memory() const { return memory_; }

private:
  explicit RingWriter(SharedMemory memory);

  struct Block {
    std::uint64_t number = 0; ///< unique in the life of the ring
    std::uint32_t granules = 0;
    bool sent = false;
  };
  /// Frees a block that was not sent.
  struct Reservation {
    std::shared_ptr<RingWriter> ring;
    std::uint32_t start;
    std::uint64_t number;
    ~Reservation() { ring->drop(start, number); }
  };
  /// A message of which not all pieces are in the ring.
  struct Large {
    Frames frames;
    std::size_t frame = 0, at = 0; ///< offset of the next byte
  };

  ring::Control &control() const { return *reinterpret_cast<ring::Control *>(memory_.data()); }
  std::byte *bytesAt(std::uint32_t start) const {
    return memory_.data() + ring::kControlBytes + std::size_t{start} * ring::kGranule;
  }
  std::size_t capacity() const { return memory_.size() - ring::kControlBytes; }
  /// Returns the most granules that all frames of a message may have in order to fit at once.
  std::uint32_t mostGranules() const {
    return granulesForCopies() / static_cast<std::uint32_t>(ring::kFrames);
  }
  /// Returns true if the frame is not in the ring and does not fit at once.
  bool goesInPieces(const zmq::message_t &frame) COPSE_REQUIRES(mutex_);

  void drop(std::uint32_t start, std::uint64_t number);
  std::uint32_t granules() const { return static_cast<std::uint32_t>(capacity() / ring::kGranule); }
  std::uint32_t granulesInPlace() const { return ring::granulesInPlace(capacity()); }
  std::uint32_t granulesForCopies() const { return granules() - granulesInPlace(); }
  std::optional<std::uint32_t> allocate(BlockAllocator &from, std::size_t bytes)
      COPSE_REQUIRES(mutex_);
  void release(std::uint32_t start) COPSE_REQUIRES(mutex_);
  /// Updates read_, and frees the blocks that the reader has returned.
  void collect() COPSE_REQUIRES(mutex_);
  bool takeBack(std::uint32_t start) COPSE_REQUIRES(mutex_);
  /// Returns the block that was reserved for this frame.
  std::optional<std::uint32_t> reservedFor(const zmq::message_t &frame) COPSE_REQUIRES(mutex_);
  bool place(const zmq::message_t &frame, ring::Part &part, std::size_t &inlined)
      COPSE_REQUIRES(mutex_);
  bool put(const Frames &frames) COPSE_REQUIRES(mutex_);
  bool putSmall(std::span<const std::byte> first, std::span<const std::byte> second)
      COPSE_REQUIRES(mutex_);
  bool putPiece() COPSE_REQUIRES(mutex_);
  bool putLarge() COPSE_REQUIRES(mutex_);
  /// Returns the slot that is written next; it is free if not all are filled.
  ring::Slot &nextSlot() const COPSE_REQUIRES(mutex_) {
    return control().slots[written_ % ring::kSlots];
  }
  void publish(const ring::SlotHead &head) COPSE_REQUIRES(mutex_);
  /// Repeats a failed attempt after collect(), and asks the reader for room if it fails again.
  template <class Attempt> bool retry(const Attempt &attempt) COPSE_REQUIRES(mutex_);

  SharedMemory memory_;
  mutable locks::Mutex mutex_;
  // See ring::granulesInPlace(). Granules in place are separate because a reservation may have to
  // wait behind a message that is copied, which it must not keep out.
  BlockAllocator forReservations_ COPSE_GUARDED_BY(mutex_), forCopies_ COPSE_GUARDED_BY(mutex_);
  std::unordered_map<std::uint32_t, Block> blocks_ COPSE_GUARDED_BY(mutex_); ///< by first granule
  std::uint64_t nextNumber_ COPSE_GUARDED_BY(mutex_) = 0;
  std::uint64_t written_ COPSE_GUARDED_BY(mutex_) = 0, read_ COPSE_GUARDED_BY(mutex_) = 0,
                         returned_ COPSE_GUARDED_BY(mutex_) = 0;
  std::optional<Large> large_ COPSE_GUARDED_BY(mutex_);
  /// The last send() was refused, or a message is not complete; changed under mutex_.
  std::atomic<bool> full_{false};
  bool broken_ COPSE_GUARDED_BY(mutex_) = false;
};

} // namespace copse::fabric
