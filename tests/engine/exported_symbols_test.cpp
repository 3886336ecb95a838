// Tests that libpoplar.so exports only the public namespaces: no symbol of Copse, nor of its
// libraries, can clash with a user's own.
#include <gmock/gmock.h>

#include <cstdio>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace {

using testing::Contains;
using testing::IsEmpty;

/// Returns the dynamic symbols that the library defines, mangled, as `nm` prints them.
std::vector<std::string> exportedSymbols() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> nm(
      ::popen("nm --dynamic --defined-only --format=just-symbols '" COPSE_LIBPOPLAR "'", "r"),
      ::pclose);
  std::vector<std::string> symbols;
  char line[4096];
  while (nm && std::fgets(line, sizeof line, nm.get()))
    symbols.emplace_back(line, std::string(line).find_last_not_of('\n') + 1);
  return symbols;
}

TEST(ExportedSymbols, BelongToPublicNamespacesOnly) {
  const std::regex isPublic("_Z(T[ISV])?NK?[RO]?(6poplar|3pva|4pvti).*");
  std::vector<std::string> strangers;
  const std::vector<std::string> symbols = exportedSymbols();
  for (const std::string &symbol : symbols)
    if (!std::regex_match(symbol, isPublic))
      strangers.push_back(symbol);
  EXPECT_THAT(strangers, IsEmpty());
  EXPECT_GT(symbols.size(), 500u); // else nm did not read the library
}

TEST(ExportedSymbols, IncludeTheTypesThatUsersCatch) {
  EXPECT_THAT(exportedSymbols(), Contains("_ZTIN6poplar12poplar_errorE"));
}

} // namespace
