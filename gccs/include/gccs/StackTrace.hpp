#pragma once

#include <cstddef>
#include <string>

namespace gccs {

/// The calls that the calling thread is in, the innermost first: a line for each, with the name of the
/// function, or where it lies in which file if that has no name for it.
/// \param skip  calls to leave out; 1: this function itself
/// \param max   calls to list at most, after those that are left out
std::string getStackTrace(std::size_t skip = 1, std::size_t max = 100);

} // namespace gccs
