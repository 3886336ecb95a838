#include "wire/environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

namespace copse::wire {
namespace {

Status invalid(const char *name, const std::string &value, const std::string &allowed) {
  return {Code::InvalidOption, std::string(name) + " is '" + value + "'; set it to " + allowed};
}

/// Returns "a, b or c".
std::string listOf(std::initializer_list<std::string_view> words) {
  std::string list;
  for (const std::string_view *word = words.begin(); word != words.end(); ++word) {
    if (word != words.begin())
      list += word + 1 == words.end() ? " or " : ", ";
    list += *word;
  }
  return list;
}

} // namespace

std::string environmentVariable(const char *name) {
  const char *const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): see the header
  return value != nullptr ? value : "";
}

Result<std::uint64_t> numberOfEnvironment(const char *name, std::uint64_t least, std::uint64_t most,
                                          std::uint64_t otherwise) {
  const std::string text = environmentVariable(name);
  if (text.empty())
    return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return invalid(name, text,
                   "a number from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

Result<std::string> wordOfEnvironment(const char *name,
                                      std::initializer_list<std::string_view> words,
                                      std::string_view otherwise) {
  const std::string text = environmentVariable(name);
  if (text.empty())
    return std::string(otherwise);
  if (std::find(words.begin(), words.end(), text) == words.end())
    return invalid(name, text, listOf(words));
  return text;
}

} // namespace copse::wire
