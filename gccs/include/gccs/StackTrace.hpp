#pragma once

#include <cstddef>
#include <string>

namespace gccs {

/// Returns the call stack of the calling thread, innermost call first, one line per call. A line
/// has the function's name, or else the file and the address within it.
/// \param skip  number of innermost calls to leave out; 1: only this function itself
/// \param max   largest number of calls to list, after the skipped ones
std::string getStackTrace(std::size_t skip = 1, std::size_t max = 100);

} // namespace gccs
