#pragma once

#include "compiler/executable.hpp"

#include "poplar/Executable.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Target.hpp"

#include <cstdint>
#include <vector>

namespace poplar {

class Executable::Impl {
public:
  Target target;       ///< of one replica
  OptionFlags options; ///< that it was compiled with
  copse::compiler::Executable program;
};

} // namespace poplar

namespace copse::engine {

/// Streams that program \p index of \p executable can use, ascending.
std::vector<std::uint32_t> streamsUsed(const compiler::Executable &executable, std::uint32_t index);
/// Of each stream, whether the host rearranges its data.
std::vector<bool> streamsRearranged(const compiler::Executable &executable);

} // namespace copse::engine
