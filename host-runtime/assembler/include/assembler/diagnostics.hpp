#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace copse::assembler {

/// A location in a source file. In the expansion of a macro, it is the line in the macro's body,
/// and `expansion` says what expanded the macro.
struct Location {
  std::uint32_t file = 0;      ///< index into Diagnostics::files()
  std::uint32_t line = 0;      ///< from 1
  std::uint32_t column = 0;    ///< from 1
  std::uint32_t expansion = 0; ///< number in Diagnostics; 0: none
};

/// A source cannot be assembled. what() has a line "file:line:column: error: text" for each error.
struct AssemblyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An error in the current statement, at one of its characters. Code that sees only a piece of text
/// throws it, and the caller that knows the statement's location catches it.
struct StatementError : std::runtime_error {
  StatementError(const char *where, const std::string &text)
      : std::runtime_error(text), at(where) {}
  const char *at; ///< points into the statement's text; null: the statement itself
};

/// An assembler that stops at its first error wastes its user's time. This class collects errors
/// and warnings, so that one run reports as many as possible.
///
/// Life: report with error() and warning() until the source ends or tooMany() returns true, then
/// call throwErrors().
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
  /// Number of each file. A source may name a file on each line.
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<Expansion> expansions_{{"", {}}};
  std::string text_, warnings_;
  unsigned errors_ = 0;
};

} // namespace copse::assembler
