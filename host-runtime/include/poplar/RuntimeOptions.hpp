#pragma once

#include "poplar/OptionFlags.hpp"

namespace poplar {

/// Those engine options that matter when a compiled program runs, and change nothing in what it was
/// compiled to: `target.hostSyncTimeout`, `streamCallbacks.*` and others. The environment variable
/// POPLAR_RUNTIME_OPTIONS has such options, too, and is put over what any engine is given.
///
/// A value; convert it to OptionFlags, for `Engine(std::move(executable), runtimeOptions)`.
class RuntimeOptions {
public:
  /// \p flags with what POPLAR_RUNTIME_OPTIONS puts over them.
  /// \throws invalid_option if there is none of this name or no such value, or if it is one for
  /// the compilation of a graph; parse_error of the environment
  RuntimeOptions(const OptionFlags &flags = {});

  const OptionFlags &getOptionFlags() const { return flags_; }
  operator const OptionFlags &() const { return flags_; }

  friend bool operator==(const RuntimeOptions &a, const RuntimeOptions &b) {
    return a.flags_ == b.flags_;
  }
  friend bool operator!=(const RuntimeOptions &a, const RuntimeOptions &b) { return !(a == b); }

private:
  OptionFlags flags_;
};

} // namespace poplar
