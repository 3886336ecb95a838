#pragma once

#include "poplar/OptionFlags.hpp"

namespace poplar {

/// Holds those engine options that matter when a compiled program runs, and change nothing in what
/// it was compiled to: `target.hostSyncTimeout`, `streamCallbacks.*` and others. The environment
/// variable POPLAR_RUNTIME_OPTIONS has such options, too, and is put over what any engine is given.
///
/// A value; convert it to OptionFlags, for `Engine(std::move(executable), runtimeOptions)`.
class RuntimeOptions {
public:
  /// Checks \p flags, by default none, with what POPLAR_RUNTIME_OPTIONS puts over them.
  /// \throws invalid_option if an option or its value is unknown, or an option is one for the
  ///   compilation of a graph
  /// \throws parse_error if the variable of the environment is no JSON
  RuntimeOptions(const OptionFlags &flags = {});

  ///@{

  /// Returns the options with what the environment puts over them.
  const OptionFlags &getOptionFlags() const { return flags_; }
  operator const OptionFlags &() const { return flags_; }
  ///@}

  ///@{

  /// Compares options.
  friend bool operator==(const RuntimeOptions &a, const RuntimeOptions &b) {
    return a.flags_ == b.flags_;
  }
  friend bool operator!=(const RuntimeOptions &a, const RuntimeOptions &b) { return !(a == b); }
  ///@}

private:
  OptionFlags flags_;
};

} // namespace poplar
