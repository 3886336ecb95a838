#pragma once

#include "compiler/executable.hpp"
#include "poplar/Executable.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Target.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace poplar {

class Executable::Impl {
public:
  Target target;       ///< target of one replica
  OptionFlags options; ///< options of the compilation
  std::string name;    ///< its engines' name in reports; may be empty
  copse::compiler::CompiledProgram program;
};

} // namespace poplar

namespace copse::compiler {

/// A stream, and the first step in a program's images that copies from or to it.
struct StreamUse {
  std::uint32_t stream = 0, step = 0;
};
/// Returns the streams that program \p index of \p executable can use, in ascending order.
std::vector<StreamUse> streamsUsed(const CompiledProgram &executable, std::uint32_t index);
/// Returns for each stream whether the host rearranges its data.
std::vector<bool> streamsRearranged(const CompiledProgram &executable);

} // namespace copse::compiler
