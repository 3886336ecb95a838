#pragma once

#include "processor/core.hpp"

namespace copse::ipud {

struct TileContexts;

/// Runs native code of the program when tile code jumps to it: see wire::kNativeEntries.
class NativeCode {
public:
  virtual ~NativeCode() = default;

  /// Runs the native function at core.pc on the worker \p core: a codelet that was started, or a
  /// function that was called. Afterwards the worker has exited, or core.pc is the return address
  /// of the function. Throws whatever stops the program in native code.
  /// \returns false after raising an exception of the tile
  virtual bool run(Core &core, TileContexts &tile) = 0;
};

} // namespace copse::ipud
