#pragma once

#include "popc/native_compiler.hpp"
#include "popc/popc.hpp"

#include <ostream>

namespace copse::popc {

/// Returns how \p source is compiled for one target.
TranslationUnit unitOf(const Source &source, const CompileOptions &options, Architecture arch,
                       std::ostream &messages);

} // namespace copse::popc
