#pragma once

#include "popc/vertex_type.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace copse::popc {

/// Modules lack symbols (Module::missing) if a source uses what another .gp file defines. Where \p modules have all of them,
/// the module is linked with those that define them. Each gets a copy: of variables, too.
/// \throws CompileError, e.g. for what is there twice
void complete(std::vector<Module> &modules);

/// A warning for each symbol that is still missing.
void tellMissing(const std::vector<Module> &modules, std::ostream &messages);

} // namespace copse::popc
