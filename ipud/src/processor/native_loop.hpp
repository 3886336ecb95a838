#pragma once

#include "processor/code_loop.hpp"
#include "processor/core.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::ipud {

/// The point where a loop's host code stopped.
struct NativeExit {
  const MicroOp *step = nullptr; ///< the next step, or the one that raised Core::fault
  std::uint64_t rest = 0;        ///< requested turns that were not closed
};

/// The host code of a loop of a page. Immutable.
struct NativeLoop {
  /// Runs up to \p turns > 0 turns of the body; the caller executes the step that closes the last
  /// turn. Precondition: all `accesses` are allowed in all of these turns, and the weights are
  /// prepared.
  using Entry = NativeExit (*)(Core *, std::uint64_t turns, std::byte *memory);

  struct Term {
    std::uint8_t reg; ///< main register
    std::uint32_t factor;
  };
  struct Access {
    std::uint32_t start = 0, step = 0;
    std::vector<Term> startTerms, stepTerms;
    std::uint8_t shift = 0; ///< logarithm of the access size
  };

  Entry entry = nullptr; ///< null: the loop could not be translated
  std::vector<Access> accesses;
  /// The groups (phases) of weights, as bits, that must be prepared as halves (singles).
  std::uint32_t halfWeights = 0, singleWeights = 0;
  std::int64_t issues = 0; ///< worker cycles of a turn that the branch closes
  bool isRepeat = false;
  bool isCounted = false;    ///< the branch counts `counter` down
  bool countsItself = false; ///< the host code counts down
  bool hasSkips = false;     ///< turns may be shorter; the host code corrects Core::cycles
  std::uint8_t counter = 0;
};

/// The number of turns that are interpreted between a failed attempt and the next.
inline constexpr std::uint32_t kLoopPause = 32;

/// Executes turns of the loop that starts at \p head, a step EnterLoop, as host code if that pays
/// off. Core::cycles and the registers are exact before and after.
/// \returns the next step, or the step that raised Core::fault; \p head if nothing was executed
const MicroOp *enterLoop(Core &core, const MicroOp *head);

} // namespace copse::ipud
