#pragma once

#include "isa/exception.hpp"
#include "isa/instruction.hpp"
#include "processor/chip.hpp"
#include "processor/weights.hpp"
#include "processor/worker_state.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::ipud {

class AccessObserver;
struct CodePage;
struct Core;

/// One step of the decoded form of an instruction. A register operand is its place in
/// RegisterFiles::all: read-only destinations have become sinks.
struct MicroOp {
  static constexpr std::uint8_t kCountInRegister = 1, kNearRepeat = 2; ///< in r[3] of a repeat
  /// Where in r the first step of a fused bundle has the number of aux registers that it loads.
  static constexpr std::uint8_t kLoaded = 3;

  const void *label = nullptr; ///< where the executor's loop goes on
  union {
    bool (*function)(Core &, const MicroOp &) = nullptr; ///< for steps outside that loop
    std::int64_t distance; ///< of a near branch: to its target [bytes]
  };
  std::uint8_t r[5] = {};   ///< operands in the order of the assembly language
  std::uint8_t written = 0; ///< where the stepped register (pair) is written
  std::uint16_t at = 0;     ///< word of the page that the instruction or bundle starts at
  union {
    std::int64_t issues = 0; ///< of a near branch: what a turn adds to the count of worker cycles
    std::int32_t immediate;  ///< offsets and strides in bytes
  };
};

/// One worker (or the supervisor) while it executes: its state and what it sees of its tile.
struct Core : WorkerState {
  // Set for the tile and its context.
  const Chip *chip = nullptr;
  isa::Context context = isa::Context::Worker;
  std::uint32_t number = 0;           ///< of the worker
  std::byte *memory = nullptr;        ///< of address 0 of the tile
  Weights *weights = nullptr;         ///< of the tile
  std::uint32_t *debugData = nullptr; ///< $DBG_DATA of the tile; may be null
  std::uint64_t launched = 0;         ///< tile cycles at the launch
  std::uint32_t returnAddress = 0;    ///< where the function that the caller started returns to
  /// Whether data must be interleaved, and in other elements than each other and the code, where
  /// the architecture says so. Those of native codelets may be anywhere.
  bool checksPlaces = true;
  const CodePage *block = nullptr;       ///< all of its code; null: that is in the tile's memory
  AccessObserver *observer = nullptr;    ///< sees each access; null: nobody does
  std::span<const std::uint32_t> errors; ///< words of the tile's memory with parity errors

  // Where it is. `pc` is valid between runs of the executor; in one, `page` and the step are.
  std::uint32_t pc = 0;
  const CodePage *page = nullptr;
  bool stepping = false;           ///< one instruction or bundle, then back to the caller
  const MicroOp *resume = nullptr; ///< in `page`, where a turn ended; null: at `pc`

  /// Worker cycles since the launch, less those that the page counts up to the step at hand.
  std::int64_t cycles = 0;
  std::int64_t turnEnd = INT64_MAX; ///< where another worker has its turn, at the next jump
  std::int64_t end = INT64_MAX;     ///< where it gives up
  /// `cycles` stays below `limit` while none of these needs a look; no page counts more than kMostIssues.
  static constexpr std::int64_t kMostIssues = 1 << 16, kNow = INT64_MIN;
  std::atomic<std::int64_t> limit{INT64_MAX}; ///< any thread may make it kNow

  bool stopsAt(std::int64_t bound, std::int64_t count) const {
    return count >= bound || limit.load(std::memory_order_relaxed) == kNow;
  }

  // The repeat that runs in this page: `repeatCount` stays what it was at first.
  const MicroOp *repeatBody = nullptr;
  std::int32_t turnsLeft = 0; ///< after this one
  std::int64_t repeatIssues = 0;
  std::uint32_t loopPause = 0; ///< turns of loops that are interpreted before host code is tried

  /// Addresses that need no other check: an offset from `windowBegin` (16-aligned), rotated right
  /// by the logarithm of the access size, below the limit for that size. Misaligned ones are not.
  /// For 128 bits `interleaved` stands for `windowBegin`.
  std::uint32_t windowBegin = 0, interleaved = 0;
  std::uint32_t windowLimit[5] = {};
  /// Region 0 between these has been decoded on this tile: stores there are noticed.
  std::uint32_t codeBegin = 0, codeEnd = 0;
  bool codeWritten = false;

  // How it ended.
  isa::Exception fault = isa::Exception::None;
  bool isImprecise = false;       ///< the faulting instruction has written its results
  std::uint32_t faultAddress = 0; ///< of a memory access
  bool exited = false, status = true;

  /// What register operands of a MicroOp are places in.
  std::uint32_t *r() { return registers.all.data(); }

  /// Ends the instruction with \p exception.
  /// \returns false, for the caller to return
  bool raise(isa::Exception exception) {
    fault = exception;
    return false;
  }
  bool raiseAt(isa::Exception exception, std::uint32_t address) {
    faultAddress = address;
    return raise(exception);
  }

  /// Takes note of floating-point events.
  /// \returns false if one of them is malign
  bool report(std::uint32_t flags) {
    if (flags == 0) [[likely]]
      return true;
    fpStatus |= flags;
    return (flags & fpControl & 7) == 0 || raise(isa::Exception::FloatingPoint);
  }

  /// $FP_SCL, the power of two that FP8 numbers are scaled by.
  int quarterScale() const { return static_cast<int>((fpScale & 63) ^ 32) - 32; }

  /// Worker cycles up to, and without, the step at hand.
  std::int64_t elapsed(const MicroOp &step) const;

  std::uint32_t address(const MicroOp &step) const; ///< of its instruction or bundle
};

} // namespace copse::ipud
