#pragma once

#include "processor/core.hpp"

namespace copse::ipud {

struct TileContexts;

/// Runs the program's native code where tile code goes to it: see wire::kNativeEntries.
class NativeCode {
public:
  virtual ~NativeCode() = default;

  /// Runs what stands at core.pc on the worker \p core, which is a codelet that has been started,
  /// or a function that has been called. Afterwards the worker has exited, or core.pc is where the
  /// function returns to. Throws what stops the program in native code.
  /// \returns false after raising an exception of the tile
  virtual bool run(Core &core, TileContexts &tile) = 0;
};

} // namespace copse::ipud
