#pragma once

#include <clang-c/Index.h>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace copse::popc {

/// A source as libclang parses it, including its errors.
class ParsedSource {
public:
  /// Declarations skips the bodies of functions, except of those that constants and types may
  /// depend on (constexpr, auto). It takes a third of the time.
  enum class Depth { Declarations, Bodies };

  /// \throws CompileError  if libclang cannot parse it at all
  ParsedSource(const std::string &source, const std::string &path,
               const std::vector<std::string> &arguments, Depth depth);

  CXTranslationUnit unit() const { return unit_.get(); }

private:
  std::unique_ptr<std::remove_pointer_t<CXIndex>, decltype(&clang_disposeIndex)> index_{
      clang_createIndex(0, 0), clang_disposeIndex};
  std::unique_ptr<std::remove_pointer_t<CXTranslationUnit>, decltype(&clang_disposeTranslationUnit)>
      unit_{nullptr, clang_disposeTranslationUnit};
};

} // namespace copse::popc
