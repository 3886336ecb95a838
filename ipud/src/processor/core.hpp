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

/// One step of a decoded instruction. A register operand is an index into RegisterFiles::all; a
/// read-only destination has been replaced by a sink.
struct MicroOp {
  static constexpr std::uint8_t kCountInRegister = 1, kNearRepeat = 2; ///< in r[3] of a repeat
  /// The index in r of the number of aux registers that the first step of a fused bundle loads.
  static constexpr std::uint8_t kLoaded = 3;

  const void *label = nullptr; ///< address in the executor's loop that executes the step
  union {
    /// Executes the step outside of that loop.
    bool (*function)(Core &, const MicroOp &) = nullptr;
    std::int64_t distance; ///< near branch: distance to its target [bytes]
  };
  std::uint8_t r[5] = {};   ///< operands in assembly order
  std::uint8_t written = 0; ///< destination of the stepped register (pair)
  std::uint16_t at = 0;     ///< word of the page where the instruction or bundle starts
  union {
    std::int64_t issues = 0; ///< near branch: worker cycles that a turn adds
    std::int32_t immediate;  ///< offsets and strides are in bytes
  };
};

/// A worker (or the supervisor) during execution: its state and its view of its tile.
struct Core : WorkerState {
  // Constant for a tile and context.
  const Chip *chip = nullptr;
  isa::Context context = isa::Context::Worker;
  std::uint32_t number = 0;           ///< number of the worker
  std::byte *memory = nullptr;        ///< address 0 of the tile
  Weights *weights = nullptr;         ///< weights of the tile
  std::uint32_t *debugData = nullptr; ///< $DBG_DATA of the tile; may be null
  std::uint64_t launched = 0;         ///< tile cycles at the launch
  /// The return address of a function that the caller has started.
  std::uint32_t returnAddress = 0;
  /// If true, data must be interleaved, and in other memory elements than each other and the code,
  /// where the architecture requires it. Data of native codelets may be anywhere.
  bool checksPlaces = true;
  const CodePage *block = nullptr;       ///< the complete code; null: it is in tile memory
  AccessObserver *observer = nullptr;    ///< sees each access; may be null
  std::span<const std::uint32_t> errors; ///< words of the tile's memory with parity errors

  // The position. `pc` is valid between runs of the executor; during a run, `page` and the current
  // step are.
  std::uint32_t pc = 0;
  const CodePage *page = nullptr;
  bool stepping = false;           ///< return to the caller after one instruction or bundle
  const MicroOp *resume = nullptr; ///< step in `page` where the last turn ended; null: at `pc`

  /// Worker cycles since the launch, without those that the page counts up to the current step.
  std::int64_t cycles = 0;
  std::int64_t turnEnd = INT64_MAX; ///< another worker takes its turn at the first jump from here
  std::int64_t end = INT64_MAX;     ///< execution is abandoned here
  /// While `cycles` is below `limit`, neither turnEnd nor end nor an interrupt needs to be checked.
  /// No page counts more than kMostIssues.
  static constexpr std::int64_t kMostIssues = 1 << 16, kNow = INT64_MIN;
  std::atomic<std::int64_t> limit{INT64_MAX}; ///< any thread may set it to kNow

  bool stopsAt(std::int64_t bound, std::int64_t count) const {
    return count >= bound || limit.load(std::memory_order_relaxed) == kNow;
  }

  // The active repeat in this page. `repeatCount` keeps its initial value.
  const MicroOp *repeatBody = nullptr;
  std::int32_t turnsLeft = 0; ///< after the current one
  std::int64_t repeatIssues = 0;
  std::uint32_t loopPause = 0; ///< loop turns to interpret before host code is tried

  /// Bounds of addresses that need no further check. An access is inside if its offset from
  /// `windowBegin` (16-aligned), rotated right by the logarithm of the access size, is below the
  /// limit for that size; the rotation makes misaligned offsets large. For 128 bits, `interleaved`
  /// replaces `windowBegin`.
  std::uint32_t windowBegin = 0, interleaved = 0;
  std::uint32_t windowLimit[5] = {};
  /// The range of region 0 that has been decoded on this tile; stores there are noticed.
  std::uint32_t codeBegin = 0, codeEnd = 0;
  bool codeWritten = false;

  // How execution ended.
  isa::Exception fault = isa::Exception::None;
  bool isImprecise = false;       ///< the faulting instruction has written its results
  std::uint32_t faultAddress = 0; ///< address of a faulting memory access
  bool exited = false, status = true;

  /// Returns the array that register operands of a MicroOp index.
  std::uint32_t *r() { return registers.all.data(); }

  /// Raises \p exception.
  /// \returns false, so that the caller can return the result
  bool raise(isa::Exception exception) {
    fault = exception;
    return false;
  }
  bool raiseAt(isa::Exception exception, std::uint32_t address) {
    faultAddress = address;
    return raise(exception);
  }

  /// Records floating-point events.
  /// \returns false if one of them stops the program
  bool report(std::uint32_t flags) {
    if (flags == 0) [[likely]]
      return true;
    fpStatus |= flags;
    return (flags & fpControl & 7) == 0 || raise(isa::Exception::FloatingPoint);
  }

  /// Returns $FP_SCL, the exponent of the scale of FP8 numbers.
  int quarterScale() const { return static_cast<int>((fpScale & 63) ^ 32) - 32; }

  /// Returns the worker cycles up to, but without, the current step.
  std::int64_t elapsed(const MicroOp &step) const;

  /// Returns the address of the step's instruction or bundle.
  std::uint32_t address(const MicroOp &step) const;
};

} // namespace copse::ipud
