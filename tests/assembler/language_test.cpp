#include "assembled.hpp"
#include "growth.hpp"

#include <gmock/gmock.h>

#include <string>

namespace copse::assembler {
namespace {

using test::assembled;
using test::dataWords;
using test::sectionOf;
using test::symbolOf;
using test::words;
using ::testing::ElementsAre;

constexpr std::uint32_t kNop = 0x19E00000, kFnop = 0x1AD00000, kBundle = 0x80000000;

/// Each name was once compared with all others.
TEST(AssemblerSources, TakeTimeInProportionToTheirFiles) {
  const auto read = [](std::size_t count) {
    std::string source;
    for (std::size_t i = 0; i < count; ++i)
      source += "# 1 \"" + std::to_string(i) + "\"\n";
    return [source] { assembled(source); };
  };
  EXPECT_LT(copse::test::growthPerElement(read, 100'000), copse::test::kMostGrowth);
}

TEST(AssemblerExpressions, FollowThePrecedenceOfElfAssemblers) {
  const struct {
    const char *text;
    std::uint32_t value;
  } cases[] = {
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"16*6", 96},
      {"1 << 4 + 1", 17},
      {"6 & 3 + 1", 3},
      {"1 | 2 - 1", 2},
      {"7 / 2", 3},
      {"-7 / 2", 0xFFFFFFFD},
      {"7 % 4", 3},
      {"0x10", 16},
      {"0b101", 5},
      {"017", 15},
      {"~0", 0xFFFFFFFF},
      {"!3", 0},
      {"3 > 2 && 1 == 1", 1},
      {"1 == 1", 0xFFFFFFFF},
      {"2 - (3 > 2)", 3},
      {"0 || 0", 0},
      {"1 != 1", 0},
      {"5U", 5},
      {"'A'", 65},
      {"-1.0h", 0xBC00},
      {"1.5h", 0x3E00},
      {"infh", 0x7C00},
      {"(0xFF << 8) & ~0xF00", 0xF000},
      {"2 ^ 3", 1},
      {"0x80000000 >> 31", 1},
      {"3 <= 3", 0xFFFFFFFF},
      {"- -2", 2},
      {"1 < 2 | 4", 0xFFFFFFFF},
  };
  for (const auto &c : cases)
    EXPECT_THAT(dataWords(std::string(".int ") + c.text), ElementsAre(c.value)) << c.text;
}

TEST(AssemblerExpressions, KnowLabelsAndTheirDifferences) {
  EXPECT_THAT(dataWords("a: .int 1, 2\nb: .int b - a, . - a, (. - a) & 0x7, c - b\nc:\n"),
              ElementsAre(1u, 2u, 8u, 12u, 0u, 16u));
}

TEST(AssemblerExpressions, UseTheCurrentValueOfEqu) {
  EXPECT_THAT(
      dataWords(".equ x, 1\n.int x\n.equ x, x + 1\n.int x\n.set x, 9\n.int x\ny = 7\n.int y\n"),
      ElementsAre(1u, 2u, 9u, 7u));
}

TEST(AssemblerExpressions, UseSymbolsThatAreDefinedLater) {
  EXPECT_THAT(dataWords(".int later + 1\n.equ later, 41\n"), ElementsAre(42u));
}

TEST(AssemblerOperands, MayLeaveOutTheDeltaOfLoads) {
  EXPECT_EQ(words("ld32 $m0, $m1, 3"), words("ld32 $m0, $m1, $mzero, 3"));
  EXPECT_EQ(words("ld64 $a0:1, $m1, $m2"), words("ld64 $a0:1, $m1, $mzero, $m2"));
  EXPECT_EQ(words("st32 $a0, $m1, 3"), words("st32 $a0, $m1, $mzero, 3"));
}

TEST(AssemblerOperands, MayHaveBlanksBeforeSuffixes) {
  EXPECT_EQ(words("ld64step $a0:1, $mzero, $m1 +=, 1"), words("ld64step $a0:1,$mzero,$m1+=,1"));
  EXPECT_EQ(words("ldd16a32 $a0, $m1 ++, $m2, $m3 @"), words("ldd16a32 $a0, $m1++, $m2, $m3@"));
  EXPECT_EQ(words("f16v4add $a0:1, $a2 :BL, $a4:5"), words("f16v4add $a0:1, $a2:BL, $a4:5"));
}

TEST(AssemblerOperands, PickTheEncodingByTheValue) {
  EXPECT_THAT(words("or $m0, $m0, 4095"), ElementsAre(0x42009FFFu));
  EXPECT_THAT(words("or $m0, $m0, 0x12300000"), ElementsAre(0x4200C123u));
  EXPECT_THAT(words("or $a0, $azero, 0x80000000"), ElementsAre(0x52F0D800u));
  EXPECT_THAT(words("add $m0, $m0, 1"), ElementsAre(0x22000001u));
  EXPECT_THAT(words("add $m0, $m0, 0x8000"), ElementsAre(0x20008000u));
  EXPECT_THAT(words("addz $m0, $m0, 1"), ElementsAre(0x20000001u));
  EXPECT_THAT(words("adds $m0, $m0, -1"), ElementsAre(0x2200FFFFu));
}

TEST(AssemblerOperands, TakeCsrsByNameAndNumber) {
  EXPECT_EQ(words("uput $FP_CLR, $a0"), words("uput 1, $a0"));
  EXPECT_EQ(words("uput 0x101, $a0"), words("uput 1, $a0"));
  EXPECT_EQ(words("get $a0, $FP_CLR"), words("uget $a0, 1"));
  EXPECT_EQ(words("put $TAS, $a0"), words("uput 8, $a0"));
  EXPECT_EQ(words(".supervisor\nput $FP_ICTL, $m0"), words(".supervisor\nput 0x20, $m0"));
}

TEST(AssemblerPseudo, InstructionsExpandToTheirMeaning) {
  const struct {
    const char *written, *becomes;
  } cases[] = {
      {"zero $m3", "or $m3, $mzero, $mzero"},
      {"zero $a3", "or $a3, $azero, $azero"},
      {"zero $a2:3", "or64 $a2:3, $azeros, $azeros"},
      {"mov $m1, $m2", "or $m1, $m2, 0"},
      {"mov $a1, $a2", "or $a1, $a2, 0"},
      {"mov $m1, $a2", "atom $m1, $a2"},
      {"mov $a0:1, $a2:3", "or64 $a0:1, $a2:3, $azeros"},
      {"swap16 $m0, $m1", "roll16 $m0, $m1, $m1"},
      {"sub $m0, $m1, 5", "add $m0, $m1, -5"},
      {"movnz $m0, $m1, $m2", "movz $m0, $m1, $m2"},
      {"strap", "put 255, $mzero"},
      {"ldconst $m0, 0x12345", "setzi $m0, 0x12345"},
      {"ldconst $a0, 0x3F812345", "setzi $a0, 0x12345\nor $a0, $a0, 0x3F800000"},
      {"ldconst $m0, -1", "setzi $m0, 0xFFFFF\nor $m0, $m0, 0xFFF00000"},
      {"f16v4sisov2amp $a0:1, $a2:3, $a4:5, 1", "f16v4sisoamp $a0:1, $a2:3, $a4:5, 1"},
  };
  for (const auto &c : cases)
    EXPECT_EQ(words(c.written), words(c.becomes)) << c.written;
  EXPECT_THAT(words("nop\nfnop"), ElementsAre(kNop, kFnop));
}

TEST(AssemblerBundles, MayBeWrittenInManyWays) {
  const auto expected = words("{\nld32 $m0, $m1, $mzero, 0 // main\nfnop # aux\n}");
  EXPECT_THAT(expected, ElementsAre(0x81100000u | 0xF000u, kFnop | kBundle));
  EXPECT_EQ(words("{ld32 $m0, $m1, $mzero, 0; fnop}"), expected);
  EXPECT_EQ(words("{ ld32 $m0, $m1, $mzero, 0\n fnop }"), expected);
  EXPECT_EQ(words("{\n/* a\n b */ ld32 $m0, $m1, $mzero, 0;\n\n fnop\n}\n"), expected);
  EXPECT_EQ(words(".allow_optimizations\n{ fnop; ld32 $m0, $m1, $mzero, 0 }"), expected);
}

TEST(AssemblerLabels, AreFoundForwardsAndBackwards) {
  const Object object = assembled("1: bri 1b\nbri 1f\n1: bri 1b\n.Lx: bri .Lx\ny: bri z\nz:\n");
  const auto &relocations = sectionOf(object, ".text").relocations;
  std::vector<std::int64_t> targets;
  for (const Relocation &r : relocations) {
    EXPECT_TRUE(r.isSection);
    EXPECT_EQ(r.kind, RelocationKind::Branch19);
    targets.push_back(r.addend);
  }
  EXPECT_THAT(targets, ElementsAre(0, 8, 8, 12, 20));
  EXPECT_EQ(symbolOf(object, ".Lx"), nullptr);
  ASSERT_NE(symbolOf(object, "z"), nullptr);
  EXPECT_EQ(symbolOf(object, "z")->offset, 20u);
}

TEST(AssemblerLabels, ZeroMayBeANumericLabel) {
  const Object object = assembled("0: nop\nbri 0b\nbri 0f\n0:\n");
  EXPECT_EQ(sectionOf(object, ".text").relocations[1].addend, 12);
}

TEST(AssemblerLabels, MeasureTheBodiesOfRepeats) {
  EXPECT_THAT(words("nop\nrpt $m0, (2f - 1f)/8 - 1\n1:\n{ nop; fnop }\n{ nop; fnop }\n2:\n")[1],
              0x4300A001u);
  EXPECT_EQ(sectionOf(assembled("nop\nrpt 3, 0\n{nop;fnop}"), ".text").align, 8u);
}

TEST(AssemblerSections, KeepTheirFlagsAndOrder) {
  const Object object =
      assembled(".section .text.f, \"ax,worker\"\nnop\n.section \".data.x\", \"a\", "
                "@progbits\n.int 1\n.section .text.f\nnop\n"
                ".section code,\"ax\"\nnop\n");
  const Section &f = sectionOf(object, ".text.f");
  EXPECT_TRUE(f.isExecutable);
  EXPECT_TRUE(f.isWorkerCode);
  EXPECT_EQ(f.bytes.size(), 8u);
  EXPECT_FALSE(sectionOf(object, ".data.x").isExecutable);
  EXPECT_TRUE(sectionOf(object, "code").isExecutable);
}

TEST(AssemblerSections, ArePaddedWithNopsOrZeros) {
  EXPECT_THAT(words("nop\n.align 8\nfnop\n"), ElementsAre(kNop, kNop, kFnop));
  EXPECT_THAT(dataWords(".byte 1\n.align 4\n.int 2\n.p2align 3\n.int 3"), ElementsAre(1u, 2u, 3u));
  EXPECT_EQ(sectionOf(assembled(".align 8\nnop"), ".text").align, 8u);
  EXPECT_THAT(dataWords(".byte 1\n.balign 4, 0xCC\n.int 2\n.p2align 4,,3\n.int 3\n.p2align 4,,4"
                        "\n.int 4"),
              ElementsAre(0xCCCCCC01, 2u, 3u, 0u, 4u));
}

TEST(AssemblerSections, ContinueAtTheOrgDirective) {
  EXPECT_THAT(dataWords(".int 1\n. = . + 4\n.int 2\n.org 16\n.int 3\n.org . + 3, 0xFF\n.byte 4"),
              ElementsAre(1u, 0u, 2u, 0u, 3u, 0x04FFFFFF));
  EXPECT_THAT(words("nop\n.org 8\nfnop"), ElementsAre(kNop, 0u, kFnop));
}

TEST(AssemblerSymbols, HaveSizeTypeAndReach) {
  const Object object =
      assembled(".globl f\n.type f, @function\nf: nop\nexitz $mzero\n.size f, .-f\n"
                ".extern other\ncall $lr, other\nsetzi $m0, other + 8\n");
  const Symbol *f = symbolOf(object, "f");
  ASSERT_NE(f, nullptr);
  EXPECT_TRUE(f->isGlobal);
  EXPECT_TRUE(f->isFunction);
  EXPECT_EQ(f->size, 8u);
  const Symbol *other = symbolOf(object, "other");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->section, kNoSection);
  const auto &relocations = sectionOf(object, ".text").relocations;
  ASSERT_EQ(relocations.size(), 2u);
  EXPECT_EQ(relocations[0].kind, RelocationKind::Call20);
  EXPECT_EQ(relocations[1].kind, RelocationKind::Setzi20);
  EXPECT_EQ(relocations[1].addend, 8);
  EXPECT_FALSE(relocations[1].isSection);
}

TEST(AssemblerSymbols, MayHaveNoSize) {
  EXPECT_EQ(symbolOf(assembled("f: nop\n.size f, f * f\n"), "f")->size, 0u);
}

TEST(AssemblerSymbols, TakeTheModifiersOfCompilers) {
  EXPECT_EQ(sectionOf(assembled("bri f@19@s2\nf:\n"), ".text").relocations.size(), 1u);
}

TEST(AssemblerData, HasAllSizes) {
  const auto bytes =
      sectionOf(assembled(".data\n.byte 1, -1\n.half 0x1234\n.short 1.0h\n.quad 1\n.float 1.5\n"
                          ".ascii \"\\x61\", \"b\"\n.asciz \"c\\n\"\n.space 2\n.fill 2, 1, 7\n"),
                ".data")
          .bytes;
  const std::vector<unsigned> expected{1, 255, 0x34, 0x12, 0,   0x3C, 1,   0,    0, 0, 0, 0, 0, 0,
                                       0, 0,   0xC0, 0x3F, 'a', 'b',  'c', '\n', 0, 0, 0, 7, 7};
  ASSERT_EQ(bytes.size(), expected.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    EXPECT_EQ(static_cast<unsigned>(bytes[i]), expected[i]) << i;
}

TEST(AssemblerStacks, AreDeclaredForFunctionsAndSections) {
  const Object object = assembled("DEF_STACK_USAGE 0 f\nDEF_STACK_USAGE (8 + 4) .text.g\n"
                                  ".equ A, 16\nDEF_STACK_SIZE_OWN A + 8, h\n");
  EXPECT_THAT(object.stackUses, ElementsAre(StackUse{"f", 0, true}, StackUse{".text.g", 12, true},
                                            StackUse{"h", 24, false}));
}

TEST(AssemblerComments, AllKindsAreSkipped) {
  EXPECT_THAT(dataWords("a: /* \" */ .int /* 7 */ 1 /* */, /* // */ 2 // /* \n.int 3 # /* \n"
                        ".ascii \"/*!*\" /* two\nlines */ .ascii \"/..,\"\n"),
              ElementsAre(1u, 2u, 3u, 0x2A212A2Fu, 0x2C2E2E2Fu));
  EXPECT_THAT(words("# note\n  # note\nnop # it's one\nnop // another\n/* three\nlines\n*/ nop\n"),
              ElementsAre(kNop, kNop, kNop));
}

TEST(AssemblerStatements, MayShareALine) {
  EXPECT_THAT(words("a: nop; b: fnop;; nop"), ElementsAre(kNop, kFnop, kNop));
}

TEST(AssemblerLines, AreKnownForEveryInstruction) {
  const Object object = assembled("nop\n\n{ nop\n fnop }\n.macro X\nnop\n.endm\nX\n");
  EXPECT_THAT(sectionOf(object, ".text").lines,
              ElementsAre(SourceLine{0, 0, 1}, SourceLine{4, 0, 3}, SourceLine{12, 0, 6}));
}

TEST(AssemblerArchitectures, DifferInTheirInstructions) {
  EXPECT_EQ(words("f8v2tof16 $a0, $a1", isa::Architecture::Ipu21).size(), 1u);
  EXPECT_EQ(words(".supervisor\nld128putcs 2").size(), 1u);
}

} // namespace
} // namespace copse::assembler
