#pragma once

#include <poplar/Executable.hpp>
#include <utility>

namespace popir {

/// What snap::compileGraph returns: an executable that its caller takes.
class CompiledGraph {
public:
  explicit CompiledGraph(poplar::Executable executable) : executable_(std::move(executable)) {}

  /// Gives the executable away; call it once.
  poplar::Executable releaseExecutable() { return std::move(executable_); }

private:
  poplar::Executable executable_;
};

} // namespace popir
