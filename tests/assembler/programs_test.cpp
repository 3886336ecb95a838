#include "assembled.hpp"
#include "isa/text.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

namespace copse::assembler {
namespace {

std::string program(const std::string &name) {
  std::ifstream in(std::string(PROGRAMS) + "/" + name + ".S");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Whole programs with repeats, bundles and pipelines, and their numbers of words.
const struct {
  const char *name;
  std::size_t words;
} kPrograms[] = {{"vecadd", 15}, {"addpipe", 28},       {"dot16", 16},
                 {"triple", 19}, {"ginaorder", 19},     {"split", 14},
                 {"srcast", 20}, {"transposecopy", 16}, {"scaleh", 16}};

TEST(AssemblerPrograms, AssembleToTheirLength) {
  for (const auto &p : kPrograms) {
    const std::string source = program(p.name);
    ASSERT_FALSE(source.empty()) << p.name;
    const Object object = test::assembled(source);
    std::size_t bytes = 0;
    for (const Section &section : object.sections)
      bytes += section.bytes.size();
    EXPECT_EQ(bytes / 4, p.words) << p.name;
    ASSERT_NE(test::symbolOf(object, p.name), nullptr);
  }
}

TEST(AssemblerPrograms, PutTheRepeatBodyAtTheExpectedAddress) {
  const auto words = test::words(program("addpipe"));
  // The first ldst64pace, half of a bundle, is 0x40 bytes from the start.
  EXPECT_EQ(isa::decode(words[0x40 / 4], isa::Architecture::Ipu2).opcode, isa::Opcode::Ldst64pace);
  EXPECT_TRUE(words[0x40 / 4] & isa::kBundleBit);
  EXPECT_EQ(isa::decode(words[0x40 / 4 - 1], isa::Architecture::Ipu2).opcode, isa::Opcode::Rpt);
}

} // namespace
} // namespace copse::assembler
