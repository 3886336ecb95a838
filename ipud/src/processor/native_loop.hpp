#pragma once

#include "processor/code_loop.hpp"
#include "processor/core.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::ipud {

/// Where a loop's host code stopped.
struct NativeExit {
  const MicroOp *step = nullptr; ///< that is next, or that raised Core::fault
  std::uint64_t rest = 0;        ///< turns that were not closed, of those that were asked for
};

/// A loop of a page as host code. Immutable.
struct NativeLoop {
  /// Runs up to \p turns > 0 turns of the body; the step that closes the last one is left to the
  /// caller. The first accesses of all `accesses` must be allowed in all of these turns, and the
  /// weights prepared.
  using Entry = NativeExit (*)(Core *, std::uint64_t turns, std::byte *memory);

  struct Term {
    std::uint8_t reg; ///< of the main registers
    std::uint32_t factor;
  };
  struct Access {
    std::uint32_t start = 0, step = 0;
    std::vector<Term> startTerms, stepTerms;
    std::uint8_t shift = 0; ///< logarithm of its bytes
  };

  Entry entry = nullptr; ///< null: it could not be translated
  std::vector<Access> accesses;
  /// Groups (phases) of weights, as bits, that must be prepared as halves (singles).
  std::uint32_t halfWeights = 0, singleWeights = 0;
  std::int64_t issues = 0; ///< worker cycles of a turn that a branch closes
  bool isRepeat = false;
  bool isCounted = false;    ///< its branch counts `counter` down
  bool countsItself = false; ///< the host code does that
  bool hasSkips = false;     ///< turns may be shorter; the host code takes that off Core::cycles
  std::uint8_t counter = 0;
};

/// Turns that are interpreted before the next attempt, after one that failed.
inline constexpr std::uint32_t kLoopPause = 32;

/// Executes turns of the loop that starts at \p head, a step EnterLoop, as host code where that
/// pays. Core::cycles and the registers are those before it, and after it.
/// \returns the step that is next, or that raised Core::fault; \p head if nothing was done
const MicroOp *enterLoop(Core &core, const MicroOp *head);

} // namespace copse::ipud
