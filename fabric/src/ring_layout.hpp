#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

/// The shared memory of one direction between two processes of this machine: a queue of messages, a
/// queue of blocks that go back, and the blocks. PROTOCOL.md, section 2, says the same.
namespace copse::fabric::ring {

inline constexpr int kSlots = 256;            ///< messages, or pieces of large ones, at once
inline constexpr std::size_t kBlocks = 512;   ///< that may be away from the writer at once
inline constexpr std::size_t kGranule = 4096; ///< of blocks [bytes]
inline constexpr std::size_t kFrames = 3;     ///< of a message at most
inline constexpr std::size_t kInline = 328;   ///< of a message's frames within its slot [bytes]

/// Where the bytes of a frame are: the first granule of a block, or one of these.
inline constexpr std::uint32_t kInSlot = 0xFFFF'FFFF, kInPieces = 0xFFFF'FFFE;

enum class Kind : std::uint32_t {
  Message = 1,
  Piece = 2, ///< parts[0] is a block with the next bytes of frame `count`, which has parts[1].bytes
};

struct Part {
  std::uint32_t place = kInSlot, unused = 0;
  std::uint64_t bytes = 0;
};

struct SlotHead {
  Kind kind = Kind::Message;
  std::uint32_t count = 0; ///< frames
  std::array<Part, kFrames> parts{};
};

/// A small packet of an IPU-Link fits, header and all, and nobody touches the lines that it leaves.
struct alignas(64) Slot {
  SlotHead head;
  std::array<std::byte, kInline> inlined;
};
static_assert(sizeof(Slot) == sizeof(SlotHead) + kInline);

/// Counts since the ring was made; a place in a queue is a count modulo its length. Each has a
/// cache line, as each is written by one end.
struct Counts {
  alignas(64) std::atomic<std::uint64_t> written{};   ///< slots, by the writer
  alignas(64) std::atomic<std::uint64_t> read{};      ///< slots, by the reader
  alignas(64) std::atomic<std::uint64_t> returned{};  ///< blocks, by the reader
  alignas(64) std::atomic<std::uint32_t> wantsRoom{}; ///< set by the writer, cleared by the reader
};

struct Control {
  Counts counts;
  std::array<Slot, kSlots> slots;
  std::array<std::atomic<std::uint32_t>, kBlocks> blocks; ///< that went back: their first granules
};

/// Blocks begin so many bytes into a page. A large array of malloc begins 16 bytes into one. A copy takes longer if its
/// destination begins less than a cache line after its source, counted from their pages: two thirds if both are in the
/// core's caches, and a row of 64 KiB between two cores took a quarter longer (measured on Zen 4). Nor may the two cross
/// lines at different bytes: that cost a sixth.
inline constexpr std::size_t kIntoPage = 1024 + 16;

/// Bytes before the first block.
inline constexpr std::size_t kControlBytes =
    (sizeof(Control) + kGranule - 1) / kGranule * kGranule + kIntoPage;

/// Most blocks, those in front, are for payloads that the sender fills in place, and the receiver may
/// keep them there: several rows of some megabytes. All else goes through the last eighth, which the
/// receiver empties at once: so no message waits for what somebody fills or keeps, and what is
/// copied stays in the caches.
inline std::uint32_t granulesInPlace(std::size_t blockBytes) {
  return static_cast<std::uint32_t>(blockBytes / kGranule / 8 * 7);
}

inline std::uint64_t granulesOf(std::uint64_t bytes) { return (bytes + kGranule - 1) / kGranule; }

} // namespace copse::fabric::ring
