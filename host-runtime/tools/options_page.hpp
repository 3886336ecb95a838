#pragma once

#include <string>

namespace copse::tools {

struct OptionsRequest {
  std::string word; ///< a part of the names, in any case; empty: all options
  bool markdown = false;
  bool json = false;
};

/// Prints the options that programs and the environment may set, from the tables of the code that
/// reads them.
/// \returns what main() returns: 0, or 1 if no name contains the word
int listOptions(const OptionsRequest &request);

} // namespace copse::tools
