#pragma once

#include <string>

namespace copse::disk_cache {

/// The linker's name of the library, or the program, that holds this code, in hexadecimal: another
/// build has another one. Empty if the linker was told to leave it out.
std::string buildId();
/// Those of the program and of all libraries that are loaded now, in the order of loading.
std::string buildIdsOfProcess();

} // namespace copse::disk_cache
