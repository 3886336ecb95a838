#pragma once

#include <string>

namespace copse::popc {

/// Returns "lib::counter" for "_ZN3lib7counterE", and names of C unchanged.
std::string demangled(const std::string &symbol);

} // namespace copse::popc
