#pragma once

#include <string>

namespace copse::popc {

/// "lib::counter" of "_ZN3lib7counterE"; a name of C as it is.
std::string demangled(const std::string &symbol);

} // namespace copse::popc
