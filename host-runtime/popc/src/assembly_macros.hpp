#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::popc {

/// A statement of inline assembly may use macros that an earlier statement defines. An assembler
/// that reads a whole function sees both, but popc assembles each statement alone. This class
/// follows a module line by line and keeps the macros that are defined so far. A call counts as the
/// text of the called function.
class AssemblyMacros {
public:
  /// \param module  LLVM's text, before any optimisation
  explicit AssemblyMacros(std::string_view module);

  /// Reads the next line of the module.
  void read(std::string_view line);
  /// Returns the definitions of this function so far, which have to precede the next statement.
  const std::string &known() const { return known_; }

private:
  struct Event {
    bool isCall;
    std::string text; ///< the name of the called function, or definitions
  };

  static std::optional<Event> eventIn(std::string_view line);
  const std::string &textOf(const std::string &function);
  void append(std::string &text, const Event &event);

  std::map<std::string, std::vector<Event>, std::less<>>
      functions_;                            ///< empty for a module without macros
  std::map<std::string, std::string> texts_; ///< by function, as far as they were needed
  std::string known_;
};

} // namespace copse::popc
