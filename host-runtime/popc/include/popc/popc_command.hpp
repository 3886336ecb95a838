#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace copse::popc {

/// The program popc: compiles codelets, and joins .gp files into one.
/// \param arguments  without the program's name
/// \returns its exit code: 0; 1, codelets did not compile or a file is bad; 2, wrong usage
int runPopc(const std::vector<std::string> &arguments, std::istream &in, std::ostream &out,
            std::ostream &err);

} // namespace copse::popc
