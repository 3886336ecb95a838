#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace copse::popc {

/// Macros that one statement of inline assembly defines for those after it, as an assembler sees them that reads a function
/// from its first line to its last: of a function that is called, where it is called.
class AssemblyMacros {
public:
  /// \param module  LLVM's text, before any optimisation
  explicit AssemblyMacros(std::string_view module);

  /// The same module is read once more, line by line: text of macros for a statement in this line, to be assembled before it.
  std::string before(std::string_view line);

private:
  struct Event {
    bool isCall;
    std::string text; ///< the function that is called, or definitions
  };

  std::string ofFunction(const std::string &name, unsigned depth) const;

  std::map<std::string, std::vector<Event>, std::less<>> functions_; ///< those with any event
  std::string known_; ///< to the line that was read last, of its function
};

} // namespace copse::popc
