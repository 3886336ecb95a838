#pragma once

#include "processor/code_page.hpp"

#include <cstddef>
#include <cstdint>

namespace copse::ipud {

/// The host code of a region of a page, which runs until control leaves the region. Immutable.
struct NativeRegion {
  /// The reason why the host code returned.
  enum class How : std::uint64_t {
    Unusual, ///< before or in an instruction whose operands need the interpreter
    Jumped,  ///< after a jump, where the worker's turn may be over
    Left     ///< before an instruction that the interpreter executes
  };
  struct Exit {
    const MicroOp *step = nullptr; ///< the next step, or the one that raised Core::fault
    How how = How::Unusual;
  };
  /// Runs from \p start on. Core::cycles is as in the executor, before and after.
  using Entry = Exit (*)(Core *, const void *start, std::byte *memory);
};

/// Continues at \p step of core.page, which control has just reached, as host code if there is any.
/// Core::cycles and the registers are exact before and after.
/// \returns a null step if there is no host code
NativeRegion::Exit enterRegion(Core &core, const MicroOp *step);

} // namespace copse::ipud
