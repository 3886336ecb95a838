#pragma once

#include <clang-c/Index.h>
#include <map>
#include <optional>
#include <string>

namespace copse::popc {

/// libclang cannot answer some questions about instantiations from the source alone. This class
/// turns each question into a declaration that is appended to the source. After the source is
/// parsed again, the answer is read from the declaration.
class Probes {
public:
  /// Returns the type of base class \p index of \p instance, where \p pattern is a template and the
  /// base depends on its parameters.
  /// \returns nothing as long as the answer is unknown
  std::optional<CXType> baseOf(CXType instance, CXCursor pattern, std::size_t index);
  /// Returns the value of the static member isExternalCodelet (guide, 3.4.1).
  std::optional<bool> isExternal(CXType vertex);

  /// Returns the declarations, which have to follow the source.
  const std::string &text() const { return text_; }
  /// Returns true if read() has not yet seen the answers of some questions.
  bool open() const { return open_; }
  /// Reads the answers from a source that was parsed with text() at its end. Answers of an earlier
  /// parse become invalid.
  void read(CXCursor unit);

private:
  /// \returns the number of the question; adds \p declaration to the text if the question is new
  template <class Declaration> std::size_t ask(const std::string &key, Declaration declaration);

  std::map<std::string, std::size_t> questions_;
  std::map<std::size_t, CXType> types_;
  std::map<std::size_t, bool> values_;
  std::string text_;
  bool open_ = false;
};

} // namespace copse::popc
