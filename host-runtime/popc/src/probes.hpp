#pragma once

#include <clang-c/Index.h>
#include <map>
#include <optional>
#include <string>

namespace copse::popc {

/// Questions about instantiations that libclang cannot answer from the source alone. Each is a
/// declaration that is appended to the source; after parsing again, the answer is read from it.
class Probes {
public:
  /// The type of base class \p index of \p instance, whose \p pattern is a template and that base
  /// depends on its parameters.
  /// \returns nothing before the answer is known
  std::optional<CXType> baseOf(CXType instance, CXCursor pattern, std::size_t index);
  /// The value of the static member isExternalCodelet (guide, 3.4.1).
  std::optional<bool> isExternal(CXType vertex);

  /// The declarations, to stand after the source.
  const std::string &text() const { return text_; }
  /// Whether there are questions whose answers read() has not seen yet.
  bool open() const { return open_; }
  /// Reads the answers from a source that was parsed with text() at its end. Those of an earlier
  /// parse are void.
  void read(CXCursor unit);

private:
  /// \returns the number of the question, and adds \p declaration to the text if it is a new one
  template <class Declaration> std::size_t ask(const std::string &key, Declaration declaration);

  std::map<std::string, std::size_t> questions_;
  std::map<std::size_t, CXType> types_;
  std::map<std::size_t, bool> values_;
  std::string text_;
  bool open_ = false;
};

} // namespace copse::popc
