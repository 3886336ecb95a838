#pragma once

#include <string>

namespace copse::disk_cache {

/// Returns the linker's build id of the library or program that contains this code, in hexadecimal.
/// Builds with different code have different ids. Empty if the linker was told to omit it.
std::string buildId();
/// Returns the build ids of the program and of all loaded libraries, in loading order.
std::string buildIdsOfProcess();

} // namespace copse::disk_cache
