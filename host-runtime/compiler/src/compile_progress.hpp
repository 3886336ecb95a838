#pragma once

#include "compiler/compile.hpp"

namespace copse::compiler {

/// Reports the progress of a compilation. Passes may be repeated, but the reported progress never
/// decreases.
class CompileProgress {
public:
  explicit CompileProgress(const CompileWatch &watch) : watch_(watch) {}

  void begin(const char *pass) const {
    if (watch_.pass)
      watch_.pass(pass);
  }
  void reach(unsigned percent) {
    if (percent <= told_)
      return;
    told_ = percent;
    if (watch_.progress)
      watch_.progress(percent);
  }

private:
  const CompileWatch &watch_;
  unsigned told_ = 0;
};

} // namespace copse::compiler
