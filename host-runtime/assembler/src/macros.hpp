#pragma once

#include "assembler/diagnostics.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace copse::assembler {

/// The limit for expanded text [bytes]. A macro that exceeds it probably expands without end.
inline constexpr std::size_t kMaxText = std::size_t{1} << 26;

/// A text with holes for parameters, as in .macro, .irp, .irpc and .rept.
class Template {
public:
  /// \param parameters  each \name in \p text is a hole; "\()" separates, "\@" is the counter
  Template(std::string_view text, const std::vector<std::string> &parameters);

  /// \param arguments  one for each parameter
  /// \throws StatementError if the result is longer than kMaxText
  std::string fill(const std::vector<std::string> &arguments, std::uint32_t count) const;

private:
  static constexpr int kCounter = -1;
  struct Hole {
    std::size_t at; ///< position in text_
    int parameter;  ///< or kCounter
  };
  std::string text_; ///< without the names of the holes
  std::vector<Hole> holes_;
};

/// A macro of the source: its parameters and its body. Immutable. The caller reads the expanded
/// text in place of the call, and limits how deeply expansions nest.
class Macro {
public:
  struct Parameter {
    std::string name, byDefault;
    bool isRequired = false, isVararg = false;
  };
  /// \param head  the text after ".macro"; \p body starts at line \p line of \p file
  /// \throws StatementError
  Macro(std::string_view head, std::string_view body, std::uint32_t file, std::uint32_t line);

  const std::string &name() const { return name_; }
  std::uint32_t file() const { return file_; }
  std::uint32_t line() const { return line_; }
  /// \param arguments  the text after the macro's name
  /// \param count      number of earlier expansions
  /// \throws StatementError
  std::string expand(std::string_view arguments, std::uint32_t count) const;

private:
  std::vector<std::string> valuesFor(std::string_view arguments) const;

  std::string name_;
  std::vector<Parameter> parameters_;
  Template template_;
  std::uint32_t file_, line_;
};

/// Parses and removes one argument of a macro, which ends at a comma, or at a blank without an
/// operator beside it. Strings lose their quotes.
std::string takeArgument(std::string_view &text);

} // namespace copse::assembler
