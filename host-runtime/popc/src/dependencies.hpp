#pragma once

#include "popc/native_compiler.hpp"

#include <optional>
#include <set>
#include <string>

namespace copse::popc {

/// The files that decide the result of expanding a source.
struct Dependencies {
  std::set<std::string> read;   ///< headers, and files that __has_include asked for
  std::set<std::string> absent; ///< missing paths that would have been read if they had existed
};

/// Finds the files on which the expansion of \p unit depends.
/// \param expanded  the expansion of \p unit by \p compiler
/// \returns nothing if the expansion depends on more than files (a date, an unknown flag, a
///   computed name), or if the compiler does not tell its search path
std::optional<Dependencies> dependenciesOf(const TranslationUnit &unit,
                                           const ExpandedSource &expanded,
                                           const NativeCompiler &compiler);

} // namespace copse::popc
