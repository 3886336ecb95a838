#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace copse::popc {

/// Runs the program popc, which compiles codelets and joins .gp files.
/// \param arguments  without the program's name
/// \returns its exit code: 0: success; 1: codelets did not compile, or a file is bad; 2: wrong
///   usage
int runPopc(const std::vector<std::string> &arguments, std::istream &in, std::ostream &out,
            std::ostream &err);

} // namespace copse::popc
