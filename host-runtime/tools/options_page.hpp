#pragma once

#include <string>

namespace copse::tools {

struct OptionsRequest {
  std::string word; ///< a part of the names, letter case aside; empty: all options
  bool markdown = false;
  bool json = false;
};

/// Prints the options that programs and the environment may set, as their readers' tables have them.
/// \returns what main() returns: 0, or 1 if no name contains the word
int listOptions(const OptionsRequest &request);

} // namespace copse::tools
