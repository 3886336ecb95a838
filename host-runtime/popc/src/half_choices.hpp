#pragma once

#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// A half is a class on CPU targets, which converts to float and from it, so that `c ? h : 1.0f` is
/// ambiguous there; the tile's compiler takes it, as a choice between two built-in types. Finds
/// such choices, and lets the half be a float in them.
/// \param expanded  preprocessed source
/// \param arguments  for libclang, as NativeCompiler::parserArguments() has them
/// \returns nothing if there is no such choice
std::optional<std::string> withFloatChoices(const std::string &expanded,
                                            std::vector<std::string> arguments);

} // namespace copse::popc
