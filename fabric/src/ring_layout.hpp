#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

/// The shared memory of one direction between two processes of this machine: a queue of messages, a
/// queue of returned blocks, and the blocks. PROTOCOL.md, section 2, says the same.
namespace copse::fabric::ring {

/// Messages, or pieces of large ones, in the ring at once.
inline constexpr int kSlots = 256;
inline constexpr std::size_t kBlocks = 512;   ///< blocks in use at once
inline constexpr std::size_t kGranule = 4096; ///< unit of blocks [bytes]
inline constexpr std::size_t kFrames = 3;     ///< most frames of a message
inline constexpr std::size_t kInline = 328;   ///< most bytes of a message's frames in its slot

/// A frame's location: the first granule of its block, or one of these.
inline constexpr std::uint32_t kInSlot = 0xFFFF'FFFF, kInPieces = 0xFFFF'FFFE;

enum class Kind : std::uint32_t {
  Message = 1,
  /// Parts[0] is a block with the next bytes of frame `count`, which has parts[1].bytes in all.
  Piece = 2,
};

struct Part {
  std::uint32_t place = kInSlot, unused = 0;
  std::uint64_t bytes = 0;
};

struct SlotHead {
  Kind kind = Kind::Message;
  std::uint32_t count = 0; ///< number of frames
  std::array<Part, kFrames> parts{};
};

/// One message. A small packet of an IPU-Link fits, header and all, and the cache lines that it
/// leaves free are not touched.
struct alignas(64) Slot {
  SlotHead head;
  std::array<std::byte, kInline> inlined;
};
static_assert(sizeof(Slot) == sizeof(SlotHead) + kInline);

/// Counts since the ring was created; an index of a queue is a count modulo its length. Each count
/// has a cache line of its own, as each is written by one end.
struct Counts {
  alignas(64) std::atomic<std::uint64_t> written{};   ///< slots that the writer has filled
  alignas(64) std::atomic<std::uint64_t> read{};      ///< slots that the reader has read
  alignas(64) std::atomic<std::uint64_t> returned{};  ///< blocks that the reader has returned
  alignas(64) std::atomic<std::uint32_t> wantsRoom{}; ///< set by the writer, cleared by the reader
};

struct Control {
  Counts counts;
  std::array<Slot, kSlots> slots;
  std::array<std::atomic<std::uint32_t>, kBlocks> blocks; ///< the first granules of returned blocks
};

/// Offset of every block in its page [bytes]. A large array of malloc begins 16 bytes into a page.
/// A copy is slow if its destination begins less than a cache line after its source, both counted
/// from the begin of their pages: such a copy takes two thirds longer in the core's caches, and
/// took a quarter longer for a row of 64 KiB between two cores (measured on Zen 4). A copy is also
/// a sixth slower if source and destination cross cache lines at different bytes.
inline constexpr std::size_t kIntoPage = 1024 + 16;

/// Offset of the first block.
inline constexpr std::size_t kControlBytes =
    (sizeof(Control) + kGranule - 1) / kGranule * kGranule + kIntoPage;

/// Returns how many granules, from the first on, are for payloads that the sender writes in place
/// and that the receiver may use there: several rows of some megabytes. All other frames pass
/// through the last eighth, which the receiver empties at once. So no message waits for memory that
/// is still written or used, and copied bytes stay in the caches.
inline std::uint32_t granulesInPlace(std::size_t blockBytes) {
  return static_cast<std::uint32_t>(blockBytes / kGranule / 8 * 7);
}

inline std::uint64_t granulesOf(std::uint64_t bytes) { return (bytes + kGranule - 1) / kGranule; }

} // namespace copse::fabric::ring
