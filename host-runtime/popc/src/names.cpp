#include "names.hpp"

#include <cctype>
#include <map>
#include <vector>

namespace copse::popc {
namespace {

bool inWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Returns words (identifiers, numbers) and single other characters, without blanks.
std::vector<std::string> tokensOf(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (inWord(text[i]))
      while (end < text.size() && inWord(text[end]))
        ++end;
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

/// Types whose spelling differs between compilers, sources and devices. `long` has 8 bytes in
/// native code, where a tile has `long long`.
const std::map<std::string, std::string> kTypeNames{
    {"unsigned", "unsigned int"},
    {"signed", "int"},
    {"signed int", "int"},
    {"short int", "short"},
    {"signed short", "short"},
    {"unsigned short int", "unsigned short"},
    {"short unsigned int", "unsigned short"},
    {"long", "long long"},
    {"long int", "long long"},
    {"unsigned long", "unsigned long long"},
    {"long unsigned int", "unsigned long long"},
    {"long long int", "long long"},
    {"long long unsigned int", "unsigned long long"},
    {"_Bool", "bool"},
    {"_Float16", "half"}, // poplar/HalfFloat.hpp
    {"int8_t", "signed char"},
    {"uint8_t", "unsigned char"},
    {"int16_t", "short"},
    {"uint16_t", "unsigned short"},
    {"int32_t", "int"},
    {"uint32_t", "unsigned int"},
    {"int64_t", "long long"},
    {"uint64_t", "unsigned long long"},
};

std::string withoutSuffix(const std::string &word) {
  if (!std::isdigit(static_cast<unsigned char>(word.front())))
    return word;
  return word.substr(0, word.find_last_not_of("uUlL") + 1);
}

std::string ofWords(const std::string &words) {
  const auto known = kTypeNames.find(words);
  return known == kTypeNames.end() ? withoutSuffix(words) : known->second;
}

void replaceAll(std::string &text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Marks underscores, so that the name can be read back: two become "_Z", and one in a template's
/// argument becomes three. The guide does not say the latter, but sources of libraries do it
/// (X<A::SOME_VALUE> is X___A__SOME___VALUE).
std::string withMarkedUnderscores(std::string_view name) {
  std::string marked;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    const bool isPair = name.substr(i, 2) == "__";
    if (name[i] != '_')
      marked += name[i];
    else
      marked += isPair ? "_Z" : depth > 0 ? "___" : "_";
    i += isPair ? 1 : 0;
  }
  return marked;
}

} // namespace

std::string canonicalName(std::string_view spelling) {
  std::string name, words;
  const auto flush = [&] {
    if (!words.empty())
      name += ofWords(words);
    words.clear();
  };
  for (const std::string &token : tokensOf(spelling)) {
    if (inWord(token.front())) {
      words += (words.empty() ? "" : " ") + token;
    } else {
      flush();
      name += token;
    }
  }
  flush();
  return name;
}

std::string entrySymbol(std::string_view name) {
  std::string symbol = withMarkedUnderscores(name);
  replaceAll(symbol, "::", "__");
  replaceAll(symbol, "<", "___");
  replaceAll(symbol, ">", "");
  for (char &c : symbol)
    if (!inWord(c))
      c = '_';
  return "__runCodelet_" + symbol;
}

} // namespace copse::popc
