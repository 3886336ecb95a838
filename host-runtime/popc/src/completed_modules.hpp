#pragma once

#include "popc/vertex_type.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace copse::popc {

/// A module lacks symbols (Module::missing) if its source uses what another .gp file defines. Links
/// each such module with the modules that define its symbols, if \p modules has all of them. Each
/// module gets its own copy of the code and the variables.
/// \throws CompileError  e.g. for a symbol that is defined twice
void complete(std::vector<Module> &modules);

/// Writes a warning for each symbol that is still missing.
void tellMissing(const std::vector<Module> &modules, std::ostream &messages);

} // namespace copse::popc
