#pragma once

#include <optional>
#include <string>

namespace copse::ipud {

/// Returns the line of the user's source that native instruction \p instruction was compiled from,
/// as `codelets.cpp:12`. Nothing if its module has no line tables (popc's flag -g) or they cannot
/// be read. Must not be called in a signal handler.
std::optional<std::string> sourceLine(const void *instruction);

} // namespace copse::ipud
