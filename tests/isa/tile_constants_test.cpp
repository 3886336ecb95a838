// Tests the copy of the numbers of control and status registers in the public headers, with which
// alone codelets are compiled.
#include "isa/csr.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>

namespace copse::isa {
namespace {

TEST(TileConstants, HaveTheNumbersOfTheRegisters) {
  std::ifstream header(TILE_CONSTANTS);
  const std::regex define("#define CSR_([SW])_(\\w+)__INDEX (0x[0-9A-Fa-f]+)");
  int found = 0;
  for (std::string line; std::getline(header, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, define))
      continue;
    ++found;
    const Context context = match[1] == "S" ? Context::Supervisor : Context::Worker;
    const CsrInfo *const info = csrNamed(context, match[2].str(), Architecture::Ipu21);
    ASSERT_NE(info, nullptr) << line;
    EXPECT_EQ(info->index, std::stoul(match[3], nullptr, 16)) << line;
  }
  EXPECT_GT(found, 15);
}

} // namespace
} // namespace copse::isa
