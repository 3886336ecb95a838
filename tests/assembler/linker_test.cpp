#include "assembled.hpp"
#include "isa/instruction.hpp"

#include "assembler/linker.hpp"

#include <gmock/gmock.h>

namespace copse::assembler {
namespace {

using test::assembled;
using test::wordsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr CodeRange kRange{0x4C000, 0x80000, 0x4000};

LinkedCode linked(const std::vector<Object> &objects, const std::vector<std::string> &entries) {
  std::vector<const Object *> pointers;
  for (const Object &object : objects)
    pointers.push_back(&object);
  return link(pointers, entries, kRange);
}

std::string linkErrorOf(const std::vector<std::string> &sources,
                        const std::vector<std::string> &entries) {
  std::vector<Object> objects;
  for (const std::string &source : sources)
    objects.push_back(assembled(source));
  try {
    linked(objects, entries);
  } catch (const LinkError &e) {
    return std::string(e.what()) + " | " + e.output;
  }
  return "(linked)";
}

std::uint32_t wordAt(const LinkedSection &section, std::uint32_t index) {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < 4; ++i)
    word |= static_cast<std::uint32_t>(section.bytes[4 * index + i]) << (8 * i);
  return word;
}

std::uint32_t operand(std::uint32_t word, unsigned i) {
  return isa::decode(word, isa::Architecture::Ipu2).operands[i];
}

TEST(Linker, GivesNumbersOfOneSourceToOthers) {
  const std::vector<Object> objects{
      assembled(
          "DEF_STACK_USAGE 0 f\n.section .text.f,\"ax\"\n.globl f\nf: cmpult $m0, $m0, limit\n"
          "add $m0, $m0, limit + 1\nsetzi $m1, limit\nexitz $mzero\n.data\n.int limit\n"),
      assembled(".globl limit\n.equ limit, 40000\n.equ other, 1\n")};
  const LinkedCode code = linked(objects, {"f"});
  ASSERT_EQ(code.sections.size(), 1u);
  EXPECT_EQ(operand(wordAt(code.sections[0], 0), 2), 40000u);
  EXPECT_EQ(operand(wordAt(code.sections[0], 1), 2), 40001u);
  EXPECT_EQ(operand(wordAt(code.sections[0], 2), 1), 40000u);
  EXPECT_EQ(test::symbolOf(objects[1], "other"), nullptr);
  EXPECT_THAT(linkErrorOf({"DEF_STACK_USAGE 0 f\n.globl f\nf: cmpult $m0, $m0, limit\n",
                           ".globl limit\n.equ limit, 70000\n"},
                          {"f"}),
              HasSubstr("70000 does not fit into 16 bits"));
  EXPECT_THAT(linkErrorOf({".globl f\n.equ f, 8\n"}, {"f"}), HasSubstr("nothing defines f"));
}

TEST(Linker, GivesAddressesToNativeCodeThatTileCodeNames) {
  const std::vector<Object> objects{
      assembled("DEF_STACK_SIZE_OWN 0 f\n.section .text.f,\"ax\"\n.globl f\nf: setzi $m0, beta\n"
                "setzi $m1, alpha\ncall $lr, beta\nsetzi $m2, own\nexitz $mzero\n"
                ".section .text.own,\"ax\"\nown: exitz $mzero\n"),
      assembled(".section .text.g,\"ax\"\n.globl g\ng: setzi $m0, gamma\n")};
  const std::vector<const Object *> pointers{&objects[0], &objects[1]};
  const std::vector<std::string> entries{"f"}, natives{"alpha", "beta", "gamma", "own"};
  CodeRange range = kRange;
  range.nativeBegin = 0x1000;
  range.nativeEnd = 0x1008;
  const LinkedCode code = link(pointers, entries, range, natives);
  EXPECT_THAT(code.natives,
              ElementsAre(LinkedNative{"beta", 0x1000}, LinkedNative{"alpha", 0x1004}));
  EXPECT_EQ(operand(wordAt(code.sections[0], 0), 1), 0x1000u);
  EXPECT_EQ(operand(wordAt(code.sections[0], 1), 1), 0x1004u);
  EXPECT_EQ(operand(wordAt(code.sections[0], 2), 1), 0x1000u);
  EXPECT_EQ(operand(wordAt(code.sections[0], 3), 1), code.sections[1].address);
  range.nativeEnd = 0x1004;
  EXPECT_THROW(link(pointers, entries, range, natives), LinkError);
  EXPECT_THAT(
      linkErrorOf({"DEF_STACK_USAGE 0 f\n.globl f\nf: setzi $m0, __runCodelet_Gone\n"}, {"f"}),
      HasSubstr("nothing defines '__runCodelet_Gone', which tile code in section '.text'"));
}

TEST(Linker, ProvidesSymbolsForCodeThatChecksItsStack) {
  const char *const checks = "sub $m6, $m12, $m11\ncmpult $m6, $m6, "
                             "__worker_stack_max_growth_plus_one\nbrz $m6, _stackoverflow\n";
  const std::vector<Object> objects{
      assembled(std::string("DEF_STACK_USAGE 16 f\n.section .text.f,\"ax\"\nf: ") + checks +
                "exitz $mzero\nDEF_STACK_USAGE 64 g\n.section .text.g,\"ax\"\ng: exitz $mzero\n")};
  const LinkedCode code = linked(objects, {"f", "g"});
  ASSERT_EQ(code.sections.size(), 3u);
  EXPECT_EQ(operand(wordAt(code.sections[0], 1), 2), 65u);
  const LinkedSection &overflow = code.sections[2];
  EXPECT_EQ(overflow.source().name, ".text._stackoverflow");
  EXPECT_EQ(operand(wordAt(code.sections[0], 2), 1), overflow.address);
  EXPECT_EQ(isa::decode(wordAt(overflow, 0), isa::Architecture::Ipu2).opcode, isa::Opcode::Trap);
  EXPECT_THAT(code.entries[0].sections, ElementsAre(0u, 2u));
}

TEST(Linker, ProvidesTheCopyFunctionThatLibrariesCall) {
  const std::vector<Object> objects{assembled("DEF_STACK_SIZE_OWN 8 f\n.section .text.f,\"ax\"\n"
                                              "f: call $lr, _Longmemcpy_entry\nexitz $mzero\n")};
  const LinkedCode code = linked(objects, {"f"});
  ASSERT_EQ(code.sections.size(), 2u);
  EXPECT_EQ(operand(wordAt(code.sections[0], 0), 1), code.sections[1].address);
  EXPECT_EQ(code.entries[0].stackBytes, 8u);
}

TEST(Linker, KeepsAUserDefinedOverflowHandler) {
  const std::vector<Object> objects{
      assembled("DEF_STACK_USAGE 16 f\n.section .text.f,\"ax\"\nf: brz $m0, _stackoverflow\n"),
      assembled(".section .text.o,\"ax\"\n.globl _stackoverflow\n_stackoverflow: exitz $mzero\n")};
  const LinkedCode code = linked(objects, {"f"});
  ASSERT_EQ(code.sections.size(), 2u);
  EXPECT_EQ(code.sections[1].source().name, ".text.o");
}

TEST(Linker, FillsInAddressesAcrossSectionsAndSources) {
  const std::vector<Object> objects{
      assembled("DEF_STACK_USAGE 16 f\n.section .text.f,\"ax\"\nnop\n.globl f\nf: call $lr, g\n"
                "setzi $m0, table + 4\nbri f\nexitz $mzero\n.data\ntable: .int f, 5\n"),
      assembled(".section .text.g,\"ax\"\n.align 8\n.globl g\ng: br $lr\n")};
  const LinkedCode code = linked(objects, {"f"});
  ASSERT_EQ(code.entries.size(), 1u);
  EXPECT_EQ(code.entries[0].address, 0x4C004u);
  EXPECT_EQ(code.entries[0].stackBytes, 16u);
  ASSERT_EQ(code.sections.size(), 3u);
  EXPECT_THAT(code.entries[0].sections, ElementsAre(0u, 1u, 2u));
  const LinkedSection &f = code.sections[0], &g = code.sections[1], &data = code.sections[2];
  EXPECT_EQ(g.address % 8, 0u);
  EXPECT_EQ(data.address, 0x50000u) << "data stand in an element without code";
  EXPECT_EQ(operand(wordAt(f, 1), 1), g.address);
  EXPECT_EQ(operand(wordAt(f, 2), 1), data.address + 4);
  EXPECT_EQ(operand(wordAt(f, 3), 0), 0x4C004u);
  EXPECT_EQ(wordAt(data, 0), 0x4C004u);
  EXPECT_GE(code.end, data.address + 8);
}

TEST(Linker, LeavesOutCodeThatNoEntryReaches) {
  const std::vector<Object> objects{assembled(
      "DEF_STACK_USAGE 0 f\nDEF_STACK_USAGE 0 g\n.section .text.f,\"ax\"\nf: exitz $mzero\n"
      ".section .text.g,\"ax\"\ng: bri h\n.section .text.h,\"ax\"\nh: exitz $mzero\n")};
  EXPECT_EQ(linked(objects, {"f"}).sections.size(), 1u);
  const LinkedCode both = linked(objects, {"f", "g"});
  EXPECT_EQ(both.sections.size(), 3u);
  EXPECT_THAT(both.entries[0].sections, ElementsAre(0u));
  EXPECT_THAT(both.entries[1].sections, ElementsAre(1u, 2u));
}

TEST(Linker, RefusesASymbolThatTwoSourcesDefine) {
  const std::string f = "DEF_STACK_USAGE 0 f\n.globl f\nf: bri g\n",
                    g = "\n.globl g\n\ng: exitz $mzero\n";
  const auto objectsOf = [&](const std::string &third) {
    return std::vector<Object>{assembled(f), assemble(g, "one.S", isa::Architecture::Ipu2).object,
                               assemble(third, "two.S", isa::Architecture::Ipu2).object};
  };
  try {
    linked(objectsOf(".globl g\ng: nop\nexitz $mzero\n"), {"f"});
    FAIL() << "linked";
  } catch (const LinkError &e) {
    EXPECT_THAT(e.what(), HasSubstr("'g' is defined by one.S:4 and by two.S:2; rename one"));
    EXPECT_EQ(e.output, "duplicate symbol: g");
  }
  // A function of one's own, an unused function, and the same source twice do no harm.
  EXPECT_EQ(linked(objectsOf("g: nop\n"), {"f"}).sections.size(), 2u);
  EXPECT_EQ(linked(objectsOf(".globl h\nh: nop\n"), {"f"}).sections.size(), 2u);
  const Object twice = assemble(g, "one.S", isa::Architecture::Ipu2).object;
  EXPECT_EQ(linked({assembled(f), twice, twice}, {"f"}).sections.size(), 2u);
}

TEST(Linker, RefusesAnEntryThatTwoSourcesDefine) {
  const std::string source = "DEF_STACK_USAGE 0 f\nf: exitz $mzero\n";
  EXPECT_THAT(linkErrorOf({source, source + "nop\n"}, {"f"}), HasSubstr("duplicate symbol: f"));
}

TEST(Linker, AddsUpTheStacksOfCallees) {
  const std::vector<Object> objects{assembled(
      "DEF_STACK_SIZE_OWN 8 f\nDEF_STACK_SIZE_OWN 16 g\nDEF_STACK_USAGE 24 h\n"
      ".section .text.f,\"ax\"\nf: call $lr, g\ncall $lr, h\nbri f\n"
      ".section .text.g,\"ax\"\n.globl g\ng: call $lr, h\n.section .text.h,\"ax\"\nh: br $lr\n")};
  EXPECT_EQ(linked(objects, {"f"}).entries[0].stackBytes, 8u + 16u + 24u);
}

TEST(Linker, CountsTheStacksOfWorkersThatASupervisorLaunches) {
  const auto stacks = [](const std::string &worker) {
    const LinkedEntry entry =
        linked({assembled("DEF_STACK_USAGE 40 f\n.section .text.f,\"ax\"\n.supervisor\n"
                          "f: setzi $m1, work\nrunall $m1, $m0, 0\nbr $lr\n.worker\n" +
                          worker)},
               {"f"})
            .entries[0];
    return std::pair(entry.stackBytes, entry.launchedStackBytes);
  };
  const std::string other = "\n.section .text.work,\"ax\"\n", ends = "work: exitz $mzero\n";
  EXPECT_EQ(stacks(ends), std::pair(40U, 40U)); // the supervisor's stack
  EXPECT_EQ(stacks("DEF_STACK_USAGE 16 work" + other + ends), std::pair(40U, 16U));
  EXPECT_EQ(stacks("DEF_STACK_USAGE 24 .text.work" + other + ends), std::pair(40U, 24U));
  EXPECT_EQ(stacks("DEF_STACK_SIZE_OWN 48 g" + other +
                   "work: call $lr, g\nexitz $mzero\n.section .text.g,\"ax\"\ng: br $lr\n"),
            std::pair(40U, 48U));
}

// The form of what `popc -S` writes.
TEST(Linker, TakesStackSizesThatACompilerHasEmitted) {
  const std::string f = ".section .text.f,\"ax\",@progbits\n.globl f\nf:\n.Lfunc_begin0:\n"
                        "call $m10, g\nexitnz $m0\n"
                        ".section .stack_sizes,\"o\",@progbits,.text.f\n"
                        ".long .Lfunc_begin0\n.byte 8\n";
  const std::string g = ".section .text.g,\"axG\",@progbits,g,comdat\n.weak g\ng:\n"
                        ".Lfunc_begin1:\nadd $m11, $m11, -200\nbr $m10\n"
                        ".section .stack_sizes,\"Go\",@progbits,g,comdat,.text.g\n"
                        ".long .Lfunc_begin1\n.byte 200, 1\n";
  const auto stackOf = [](const std::string &source) {
    return linked({assembled(source)}, {"f"}).entries[0].stackBytes;
  };
  EXPECT_EQ(stackOf(f + g), 8u + 200u);
  EXPECT_EQ(stackOf("DEF_STACK_USAGE 40 f\n" + f + g), 40u) << "a directive takes precedence";
}

TEST(Linker, ABranchIntoASharedTailNeedsNoDeclaration) {
  EXPECT_EQ(linked({assembled("DEF_STACK_SIZE_OWN 8 f\n.section .text.f,\"ax\"\nf: bri tail\n"
                              ".section .text.tail,\"ax\"\ntail: exitz $mzero\n")},
                   {"f"})
                .entries[0]
                .stackBytes,
            8u);
}

TEST(Linker, TakesAStackSizeFromTheSection) {
  EXPECT_EQ(
      linked({assembled("DEF_STACK_USAGE 32 .text.x\n.section .text.x,\"ax\"\nf: exitz $mzero\n")},
             {"f"})
          .entries[0]
          .stackBytes,
      32u);
}

TEST(Linker, TakesAStackSizeFromOtherEntriesOfASection) {
  const std::string entries = "slow: setzi $m11, 0\nbri 1f\nfast: setzi $m11, 1\n1: exitz $mzero\n";
  const std::string own = ".section .text.slow,\"ax\"\n";
  EXPECT_EQ(linked({assembled("DEF_STACK_USAGE 16 slow\n" + own + entries)}, {"fast"})
                .entries[0]
                .stackBytes,
            16u);
  EXPECT_THAT(linkErrorOf({"DEF_STACK_USAGE 16 slow\n" + entries}, {"fast"}),
              HasSubstr("the stack size of 'fast' is not declared"))
      << "functions of .text are strangers";
  EXPECT_THAT(linkErrorOf({"DEF_STACK_USAGE 16 other\n" + own + entries +
                           ".section .text.other,\"ax\"\nother: exitz $mzero\n"},
                          {"fast"}),
              HasSubstr("the stack size of 'fast' is not declared"));
}

TEST(Linker, NeedsNoStackSizeForCodeWithoutAStack) {
  EXPECT_EQ(linked({assembled("f: add $m0, $m1, 1\nexitz $mzero\n")}, {"f"}).entries[0].stackBytes,
            0u);
}

TEST(Linker, RefusesAMissingSymbol) {
  EXPECT_THAT(linkErrorOf({"nop"}, {"f"}), HasSubstr("undefined symbol: f"));
  EXPECT_THAT(linkErrorOf({"DEF_STACK_USAGE 0 f\nf: bri gone\n"}, {"f"}),
              HasSubstr("nothing defines 'gone', which tile code in section '.text' uses"));
  EXPECT_THAT(linkErrorOf({"f: add $m11, $m11, -8\nexitz $mzero\n"}, {"f"}),
              HasSubstr("the stack size of 'f' is not declared"));
  EXPECT_THAT(linkErrorOf({"f: ld32 $m0, $m1, $mzero, 0\nst32 $m0, $m11, $mzero, 0\n"}, {"f"}),
              HasSubstr("the stack size of 'f' is not declared"));
  EXPECT_THAT(linkErrorOf({"f: call $lr, f\n"}, {"f"}),
              HasSubstr("the stack size of 'f' is not declared"));
  EXPECT_THAT(linkErrorOf({"DEF_STACK_USAGE 0 f\nDEF_STACK_USAGE 8 f\nf: exitz $mzero\n"}, {"f"}),
              HasSubstr("declared 2 times"));
  EXPECT_THAT(
      linkErrorOf({"DEF_STACK_SIZE_OWN 0 f\nf: call $lr, g\n.section .text.g,\"ax\"\ng: br $lr\n"},
                  {"f"}),
      HasSubstr("the stack size of 'g' is not declared"));
}

TEST(Linker, RefusesMoreCodeThanThereIsMemory) {
  EXPECT_THAT(linkErrorOf({"DEF_STACK_USAGE 0 f\nf: exitz $mzero\n.space 0x34000\n"}, {"f"}),
              HasSubstr("bytes of executable memory"));
}

} // namespace
} // namespace copse::assembler
