#pragma once

#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// On CPU targets a half is a class that converts to float and back, so that `c ? h : 1.0f` is
/// ambiguous. The tile's compiler accepts it, as a choice between two built-in types. Finds such
/// choices and converts their halves to float.
/// \param expanded   preprocessed source
/// \param arguments  for libclang, from NativeCompiler::parserArguments()
/// \returns nothing if the source has no such choice
std::optional<std::string> withFloatChoices(const std::string &expanded,
                                            std::vector<std::string> arguments);

} // namespace copse::popc
