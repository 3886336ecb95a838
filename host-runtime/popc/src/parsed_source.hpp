#pragma once

#include <clang-c/Index.h>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace copse::popc {

/// A source as libclang sees it, errors and all.
class ParsedSource {
public:
  /// Declarations: the bodies of functions are passed over, but of those that constants and types
  /// may depend on (constexpr, auto). That takes a third of the time.
  enum class Depth { Declarations, Bodies };

  /// \throws CompileError if libclang makes nothing of it
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
