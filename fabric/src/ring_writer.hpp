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

/// The end of a ring that messages are put into. The other end is not trusted: it can
/// break the ring, and nothing else.
///
/// Thread: any.
class RingWriter : public std::enable_shared_from_this<RingWriter> {
public:
  /// \param memory  of at least ring::kControlBytes and a granule, zeros
  static std::shared_ptr<RingWriter> make(SharedMemory memory);

  /// Memory of the ring, to be filled and sent through it; then its bytes are not copied. After
  /// that they are the receiver's, and nobody may look at them here. Not sent, it goes back with
  /// its last owner.
  /// Where that does not pay, it is memory of this process.
  /// \returns nothing if there is no room now: the reader will say when
  std::optional<Payload> reserve(std::size_t bytes);

  /// Puts all frames in as one message, or none; then \p frames is as it was. At most
  /// ring::kFrames.
  /// \returns Full: there is no room now and the reader will say when; Unreachable: the ring is broken
  Sent send(Frames &frames);

  /// The same of one or two frames that fit into a slot, which nobody needs afterwards.
  /// \param second  empty: there is none
  Sent sendSmall(std::span<const std::byte> first, std::span<const std::byte> second);
  static bool isSmall(std::size_t bytes) { return bytes <= ring::kInline; }

  enum class Resumed {
    Nothing, ///< nothing was left to do, or there is no room
    Some,    ///< pieces of a large message went in, and others wait: the reader has to hear of them
    All,     ///< the same, if there were any; and send() may go on, after it was Full
  };
  /// Puts in what is left of a large message.
  Resumed resume();

  /// Whether somebody was refused, or a large message is not whole yet.
  bool isFull() const { return full_; }
  /// Whether there is something to resume. Waits for nobody, so that it can be asked all the time.
  bool mayResume() const { return full_ && control().counts.wantsRoom.load() == 0; }

  /// Messages, and pieces of large ones, that the reader has not taken.
  std::uint64_t unread() const;

  /// The other end wrote what cannot be.
  bool broken() const;
  const SharedMemory &memory() const { return memory_; }

private:
  explicit RingWriter(SharedMemory memory);

  struct Block {
    std::uint64_t number = 0; ///< no other block has, in the life of the ring
    std::uint32_t granules = 0;
    bool sent = false;
  };
  /// Gives a block back that was not sent.
  struct Reservation {
    std::shared_ptr<RingWriter> ring;
    std::uint32_t start;
    std::uint64_t number;
    ~Reservation() { ring->drop(start, number); }
  };
  /// A message of which not all pieces are in the ring.
  struct Large {
    Frames frames;
    std::size_t frame = 0, at = 0; ///< the next byte
  };

  ring::Control &control() const { return *reinterpret_cast<ring::Control *>(memory_.data()); }
  std::byte *bytesAt(std::uint32_t start) const {
    return memory_.data() + ring::kControlBytes + std::size_t{start} * ring::kGranule;
  }
  std::size_t capacity() const { return memory_.size() - ring::kControlBytes; }
  /// So many granules all frames of a message may have, and still fit at once.
  std::uint32_t mostGranules() const {
    return granulesForCopies() / static_cast<std::uint32_t>(ring::kFrames);
  }
  /// Whether it is neither in the ring nor fits at once.
  bool goesInPieces(const zmq::message_t &frame) COPSE_REQUIRES(mutex_);

  void drop(std::uint32_t start, std::uint64_t number);
  std::uint32_t granules() const { return static_cast<std::uint32_t>(capacity() / ring::kGranule); }
  std::uint32_t granulesInPlace() const { return ring::granulesInPlace(capacity()); }
  std::uint32_t granulesForCopies() const { return granules() - granulesInPlace(); }
  std::optional<std::uint32_t> allocate(BlockAllocator &from, std::size_t bytes)
      COPSE_REQUIRES(mutex_);
  void release(std::uint32_t start) COPSE_REQUIRES(mutex_);
  /// What the reader has read and given back.
  void collect() COPSE_REQUIRES(mutex_);
  bool takeBack(std::uint32_t start) COPSE_REQUIRES(mutex_);
  /// The block that was reserved for this frame.
  std::optional<std::uint32_t> reservedFor(const zmq::message_t &frame) COPSE_REQUIRES(mutex_);
  bool place(const zmq::message_t &frame, ring::Part &part, std::size_t &inlined)
      COPSE_REQUIRES(mutex_);
  bool put(const Frames &frames) COPSE_REQUIRES(mutex_);
  bool putSmall(std::span<const std::byte> first, std::span<const std::byte> second)
      COPSE_REQUIRES(mutex_);
  bool putPiece() COPSE_REQUIRES(mutex_);
  bool putLarge() COPSE_REQUIRES(mutex_);
  /// The slot that is written next; free if not all are.
  ring::Slot &nextSlot() const COPSE_REQUIRES(mutex_) {
    return control().slots[written_ % ring::kSlots];
  }
  void publish(const ring::SlotHead &head) COPSE_REQUIRES(mutex_);
  /// Makes room if it fails, and asks the reader for some if that does not help.
  template <class Attempt> bool insist(const Attempt &attempt) COPSE_REQUIRES(mutex_);

  SharedMemory memory_;
  mutable locks::Mutex mutex_;
  // See ring::granulesInPlace(). A reservation may have to wait behind a message that is copied: it
  // must not keep that out.
  BlockAllocator forReservations_ COPSE_GUARDED_BY(mutex_), forCopies_ COPSE_GUARDED_BY(mutex_);
  std::unordered_map<std::uint32_t, Block> blocks_ COPSE_GUARDED_BY(mutex_); ///< by start
  std::uint64_t nextNumber_ COPSE_GUARDED_BY(mutex_) = 0;
  std::uint64_t written_ COPSE_GUARDED_BY(mutex_) = 0, read_ COPSE_GUARDED_BY(mutex_) = 0,
                         returned_ COPSE_GUARDED_BY(mutex_) = 0;
  std::optional<Large> large_ COPSE_GUARDED_BY(mutex_);
  /// The last send() was refused, or has not finished; changed under mutex_.
  std::atomic<bool> full_{false};
  bool broken_ COPSE_GUARDED_BY(mutex_) = false;
};

} // namespace copse::fabric
