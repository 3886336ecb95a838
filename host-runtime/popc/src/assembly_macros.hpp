#pragma once

#include <map>
#include <optional>
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

  /// Goes on by one line of the same module.
  void read(std::string_view line);
  /// Text of the macros of all lines of this function so far, to be assembled before the next statement.
  const std::string &known() const { return known_; }

private:
  struct Event {
    bool isCall;
    std::string text; ///< the function that is called, or definitions
  };

  static std::optional<Event> eventIn(std::string_view line);
  const std::string &textOf(const std::string &function);
  void append(std::string &text, const Event &event);

  std::map<std::string, std::vector<Event>, std::less<>>
      functions_;                            ///< none of a module without macros
  std::map<std::string, std::string> texts_; ///< of the functions that were asked for
  std::string known_;
};

} // namespace copse::popc
