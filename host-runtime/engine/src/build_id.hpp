#pragma once

#include <string>

namespace copse::engine {

/// What the linker calls the library, or the program, that holds this code, in hexadecimal: another
/// build has another one. Empty if the linker was told to leave it out.
std::string buildId();

} // namespace copse::engine
