#pragma once

#include "processor/code_page.hpp"

#include <cstddef>
#include <cstdint>

namespace copse::ipud {

/// Code of a page as host code, which runs until control leaves what it knows. Immutable.
struct NativeRegion {
  /// Why it stopped.
  enum class How : std::uint64_t {
    Unusual, ///< before or in an instruction whose operands need the interpreter
    Jumped,  ///< behind a jump, where the turn of the worker may be over
    Left     ///< before something that the interpreter does
  };
  struct Exit {
    const MicroOp *step = nullptr; ///< that is next, or that raised Core::fault
    How how = How::Unusual;
  };
  /// Runs from \p start on. Core::cycles is as the executor has it, before and after.
  using Entry = Exit (*)(Core *, const void *start, std::byte *memory);
};

/// Goes on from \p step of core.page, where control has just come to, as host code where there is
/// some. Core::cycles and the registers are those before it, and after it.
/// \returns a null step if there is none
NativeRegion::Exit enterRegion(Core &core, const MicroOp *step);

} // namespace copse::ipud
