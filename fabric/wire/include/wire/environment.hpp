#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace copse::wire {

// Users set environment variables, so an invalid value must be an error that names the variable,
// the value and the allowed values. These functions parse values with such errors. An empty
// variable counts as not set. Thread: any, while no other thread changes the environment.

/// Returns the value of the environment variable \p name; empty if it is not set.
std::string environmentVariable(const char *name);

/// Parses a decimal number in the environment variable \p name.
/// \returns the number; \p otherwise if the variable is not set; InvalidOption if the value is no
///   number from \p least to \p most
Result<std::uint64_t> numberOfEnvironment(const char *name, std::uint64_t least, std::uint64_t most,
                                          std::uint64_t otherwise);

/// Reads the environment variable \p name, which must be one of \p words.
/// \returns the word; \p otherwise if the variable is not set; InvalidOption if the value is
///   another word
Result<std::string> wordOfEnvironment(const char *name,
                                      std::initializer_list<std::string_view> words,
                                      std::string_view otherwise);

} // namespace copse::wire
