#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace copse::assembler {

/// A place in a source file. Within a macro's expansion it is the line of the macro's body, and
/// `expansion` tells what expanded it.
struct Location {
  std::uint32_t file = 0;      ///< of Diagnostics::files()
  std::uint32_t line = 0;      ///< from 1
  std::uint32_t column = 0;    ///< from 1
  std::uint32_t expansion = 0; ///< of Diagnostics; 0: none
};

/// A source that cannot be assembled; what() has one "file:line:column: error: text" for each
/// error.
struct AssemblyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is wrong with the statement at hand, at a character of it. Code that knows only a piece of
/// text throws it; whoever knows the statement's location catches it.
struct StatementError : std::runtime_error {
  StatementError(const char *where, const std::string &text)
      : std::runtime_error(text), at(where) {}
  const char *at; ///< into the statement's text; null: the statement itself
};

/// Collects errors and warnings, so that one run shows as many as it can.
class Diagnostics {
public:
  std::uint32_t fileNamed(std::string_view name);
  /// \returns the number of a new expansion of \p macro at \p call
  std::uint32_t addExpansion(std::string_view macro, Location call);

  void error(const Location &at, std::string_view text);
  void warning(const Location &at, std::string_view text);

  bool tooMany() const { return errors_ >= kMaxErrors; }
  const std::vector<std::string> &files() const { return files_; }
  const std::string &warnings() const { return warnings_; }
  /// \throws AssemblyError if there was an error
  void throwErrors() const;

private:
  static constexpr unsigned kMaxErrors = 20;
  struct Expansion {
    std::string macro;
    Location call;
  };
  std::string describe(const Location &at, std::string_view severity, std::string_view text) const;

  std::vector<std::string> files_;
  std::vector<Expansion> expansions_{{"", {}}};
  std::string text_, warnings_;
  unsigned errors_ = 0;
};

} // namespace copse::assembler
