#pragma once

#include "poplar/OptionFlags.hpp"

namespace poplar {

/// Holds engine options that apply when a compiled program runs, and that do not change the
/// compiled program: `target.hostSyncTimeout`, `streamCallbacks.*` and others. The environment
/// variable POPLAR_RUNTIME_OPTIONS may have such options, too; they override those of every engine.
///
/// A value; convert it to OptionFlags, for `Engine(std::move(executable), runtimeOptions)`.
class RuntimeOptions {
public:
  /// Checks \p flags, by default none, after POPLAR_RUNTIME_OPTIONS has overridden them.
  /// \throws invalid_option if an option or its value is unknown, or an option is one for the
  ///   compilation of a graph
  /// \throws parse_error if the variable of the environment is not JSON
  RuntimeOptions(const OptionFlags &flags = {});

  ///@{

  /// Returns the options, with those of the environment.
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
