#include "assembled.hpp"
#include "isa/instruction.hpp"

#include "assembler/disassembler.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

namespace copse::assembler {
namespace {

using test::assembled;
using ::testing::HasSubstr;

/// Returns the object without source lines, which differ, and with its symbols in order.
Object comparable(Object object) {
  object.files.clear();
  std::vector<Symbol> symbols = object.symbols;
  for (Section &section : object.sections) {
    section.lines.clear();
    for (Relocation &r : section.relocations)
      if (!r.isSection) {
        const auto name = symbols[r.target].name;
        r.target = static_cast<std::uint32_t>(std::count_if(
            symbols.begin(), symbols.end(), [&](const Symbol &s) { return s.name < name; }));
      }
  }
  std::sort(object.symbols.begin(), object.symbols.end(),
            [](const Symbol &a, const Symbol &b) { return a.name < b.name; });
  return object;
}

void expectRoundTrip(const Object &object) {
  const std::string text = disassemble(object);
  EXPECT_EQ(comparable(assembled(text, object.architecture)), comparable(object)) << text;
}

TEST(Disassembler, ReturnsThePrograms) {
  for (const char *name : {"vecadd", "addpipe", "dot16", "triple", "ginaorder", "split", "srcast",
                           "transposecopy", "scaleh"}) {
    std::ifstream in(std::string(PROGRAMS) + "/" + name + ".S");
    std::ostringstream text;
    text << in.rdbuf();
    expectRoundTrip(assembled(text.str()));
  }
}

TEST(Disassembler, ReturnsSymbolsRelocationsAndStacks) {
  expectRoundTrip(assembled(
      "DEF_STACK_USAGE 8 f\nDEF_STACK_SIZE_OWN 4 .text.g\n.section .text.f, \"ax,worker\"\n"
      ".globl f\n.type f, @function\nf: call $lr, g\nbri 1f\nsetzi $m0, table\nsetzi $a0, table + "
      "4\n"
      "bri f + 8\n1: brz $m0, other\nexitz $mzero\n.size f, .-f\n.section .text.g,\"ax\"\n.align "
      "8\n"
      "{ bri g; fnop }\ng: .supervisor\nrunall $m0, $m1, 3\nsync 2\nbr $lr\n.worker\nfnop\n"
      ".data\n.byte 1\n.short 2\ntable: .int f, 1b, 7\n.byte 3, f\n"));
}

TEST(Disassembler, ReturnsNumbersForOtherSources) {
  const Object object = assembled("nop\n.globl limit\n.equ limit, 0x10000 - 8\n.equ own, 3\n");
  ASSERT_EQ(object.symbols.size(), 1u);
  EXPECT_EQ(object.symbols[0].section, kAbsolute);
  EXPECT_EQ(object.symbols[0].offset, 0xFFF8u);
  expectRoundTrip(object);
}

TEST(Disassembler, WritesLabelsForTargets) {
  const std::string text = disassemble(assembled("1: nop\nbrnzdec $m0, 1b\nexitz $mzero\n"));
  EXPECT_THAT(text, HasSubstr(".L0_0:\n  nop\n  brnzdec $m0, .L0_0\n  exitz $mzero\n"));
}

TEST(Disassembler, WritesRepeatsOnlyWithABodyThatAssembles) {
  const std::string good = "nop\nrpt 2, 1\n{ nop; fnop }\n{ add $m0, $m0, 1; fnop }\n";
  EXPECT_THAT(disassemble(assembled(good)), HasSubstr("rpt 2, 1\n"));
  for (const char *bad : {".int 0x40000200\n",                                    // at the end
                          "nop\n.int 0x40000200\nnop\nnop\n",                     // single ones
                          ".int 0x40000200\n{ nop; fnop }\n",                     // not aligned
                          "nop\n.int 0x40000200\n{ bri .; fnop }\n",              // banned
                          "{ nop; fnop }\n.int 0xc0000200, 0x9ad00000\nnop\n"}) { // in a bundle
    const Object object = assembled(bad);
    const std::string text = disassemble(object);
    EXPECT_THAT(text, ::testing::Not(HasSubstr("rpt"))) << bad;
    EXPECT_EQ(assembled(text).sections[0].bytes, object.sections[0].bytes) << text;
  }
}

TEST(Disassembler, ReturnsAnyBytes) {
  std::mt19937 random(11);
  for (const auto architecture :
       {isa::Architecture::Ipu1, isa::Architecture::Ipu2, isa::Architecture::Ipu21})
    for (int n = 0; n < 200; ++n) {
      std::string source;
      for (int i = 0; i < 40; ++i) {
        std::uint32_t word = static_cast<std::uint32_t>(random());
        if (n % 2 == 0) { // words that decode, often as bundles
          isa::Instruction some{static_cast<isa::Opcode>(random() % isa::kOpcodes), {}};
          word = isa::encode(some) | (word & 0x00F0F0FF) | (random() % 2 ? isa::kBundleBit : 0);
        }
        source += ".int " + std::to_string(word) + "\n";
      }
      const Object object = assembled(source, architecture);
      const Object again = assembled(disassemble(object), architecture);
      ASSERT_EQ(again.sections[0].bytes, object.sections[0].bytes) << disassemble(object);
    }
}

} // namespace
} // namespace copse::assembler
