#pragma once

#include "popc/native_compiler.hpp"

#include <optional>
#include <set>
#include <string>

namespace copse::popc {

/// The files that decide what a source is expanded to.
struct Dependencies {
  std::set<std::string> read;   ///< its headers, and what it asked for by __has_include
  std::set<std::string> absent; ///< paths that would have been read instead, had they been there
};

/// \param expanded  what \p compiler made of \p unit
/// \returns nothing if more than files decides: a date, a flag that is not known, a computed name;
///   or if the compiler does not say where it looks
std::optional<Dependencies> dependenciesOf(const TranslationUnit &unit,
                                           const ExpandedSource &expanded,
                                           const NativeCompiler &compiler);

} // namespace copse::popc
