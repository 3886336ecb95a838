#include "popc/popc.hpp"

namespace copse::popc {

std::vector<std::string> splitFlags(const std::string &flags) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false; // a word has begun, possibly an empty one in quotes
  char quote = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const char c = flags[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < flags.size();
    if (escapes) {
      word += flags[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside)
        words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside)
    words.push_back(std::move(word));
  return words;
}

} // namespace copse::popc
