#pragma once

#include <poplar/Executable.hpp>
#include <utility>

/// Results of snap.
namespace popir {

/// Carries the result of snap::compileGraph(): an executable, which the caller takes out of it.
class CompiledGraph {
public:
  /// Holds an executable.
  explicit CompiledGraph(poplar::Executable executable) : executable_(std::move(executable)) {}

  /// Moves the executable out. May be called once.
  poplar::Executable releaseExecutable() { return std::move(executable_); }

private:
  poplar::Executable executable_;
};

} // namespace popir
