#pragma once

#include "assembler/diagnostics.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace copse::assembler {

/// How much text macros may expand to: what is more comes from a macro that grows without end.
inline constexpr std::size_t kMaxText = std::size_t{1} << 26;

/// A text with holes for parameters: of .macro, .irp, .irpc and .rept.
class Template {
public:
  /// \param parameters  whose \name in \p text is a hole; "\()" separates, "\@" counts
  Template(std::string_view text, const std::vector<std::string> &parameters);

  /// \param arguments  one for each parameter
  /// \throws StatementError if the text gets longer than kMaxText
  std::string fill(const std::vector<std::string> &arguments, std::uint32_t count) const;

private:
  static constexpr int kCounter = -1;
  struct Hole {
    std::size_t at; ///< in text_
    int parameter;  ///< or kCounter
  };
  std::string text_; ///< without the holes' names
  std::vector<Hole> holes_;
};

class Macro {
public:
  struct Parameter {
    std::string name, byDefault;
    bool isRequired = false, isVararg = false;
  };
  /// \param head  what follows ".macro"; \p body starts at line \p line of \p file
  /// \throws StatementError
  Macro(std::string_view head, std::string_view body, std::uint32_t file, std::uint32_t line);

  const std::string &name() const { return name_; }
  std::uint32_t file() const { return file_; }
  std::uint32_t line() const { return line_; }
  /// \param arguments  as they stand behind the name;
  /// \param count  of expansions before
  /// \throws StatementError
  std::string expand(std::string_view arguments, std::uint32_t count) const;

private:
  std::vector<std::string> valuesFor(std::string_view arguments) const;

  std::string name_;
  std::vector<Parameter> parameters_;
  Template template_;
  std::uint32_t file_, line_;
};

/// Takes one argument of a macro: up to a comma, or up to a blank that no operator stands beside.
/// Strings lose their quotes.
std::string takeArgument(std::string_view &text);

} // namespace copse::assembler
