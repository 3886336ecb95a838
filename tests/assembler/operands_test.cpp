#include "assembled.hpp"

#include "assembler/disassembler.hpp"
#include "assembler/linker.hpp"

#include <gmock/gmock.h>

namespace copse::assembler {
namespace {

using test::Architecture;
using test::assembled;
using test::errorOf;
using test::words;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Spellings that libraries use beside the one of the instruction set's document.
struct Form {
  const char *name;
  const char *written;
  std::uint32_t word;
  const char *canonical; ///< spelling of the disassembler
  Architecture architecture = Architecture::Ipu2;
};

const Form kForms[] = {
    {"OneWordForBothOfAPair", "f32v2mul $a4:5, $a0:BL, $a2:3", 0x58082343,
     "f32v2mul $a4:5, $a0:B, $a2:3"},
    {"OneHalfForAllFour", "f16v4mul $a4:5, $a0:B, $a2:3", 0x58082342,
     "f16v4mul $a4:5, $a0:BL, $a2:3"},
    {"OneHalfForBoth", "f16v2sub $a4, $a6:B, $a2", 0x58682345, "f16v2sub $a4, $a6:BL, $a2"},
    {"HalfOfASort", "sort4x16hi $a4, $a0:B, $a1", 0x58081E48, "sort4x16hi $a4, $a0:BL, $a1"},
    {"UpperHalf", "f16v4cmpgt $a4:5, $a0: BU, $a2:3", 0x580C2146,
     "f16v4cmpgt $a4:5, $a0:BU, $a2:3"},
    {"ZeroIndexOfALoad", "ld32 $a0, $m1, $azero, 0", 0x0810F000, "ld32 $a0, $m1, $mzero, 0"},
    {"ZeroBaseOfALoad", "ldz16 $m0, $azero, $m1, 2", 0x06F01000 | 2, "ldz16 $m0, $mzero, $m1, 2"},
    {"ZeroIndexOfAStore", "st32 $m3, $m1, $azero, 4", 0x4F13F004, "st32 $m3, $m1, $mzero, 4"},
    {"ZeroBaseOfAStep", "ld64step $a2:3, $azero, $m1+=, 1", 0x1EF21201,
     "ld64step $a2:3, $mzero, $m1+=, 1"},
    {"WeightsOnMk1", ".supervisor\nld128putcs 30", 0x4100D01E, "ld128putcs 30", Architecture::Ipu1},
};

void PrintTo(const Form &form, std::ostream *out) { *out << form.written; }
class OperandForms : public ::testing::TestWithParam<Form> {};

TEST_P(OperandForms, HaveTheEncodingOfTheirCanonicalSpelling) {
  const Form &form = GetParam();
  const Object object = assembled(form.written, form.architecture);
  const auto got = test::wordsOf(object.sections[0]);
  EXPECT_THAT(got, ElementsAre(form.word));
  const std::string mode = std::string(form.written).starts_with(".super") ? ".supervisor\n" : "";
  EXPECT_EQ(got, words(mode + form.canonical, form.architecture));
  EXPECT_THAT(disassemble(object), HasSubstr(std::string("  ") + form.canonical + "\n"));
  EXPECT_EQ(assembled(disassemble(object), form.architecture).sections[0].bytes,
            object.sections[0].bytes);
}
INSTANTIATE_TEST_SUITE_P(Operands, OperandForms, ::testing::ValuesIn(kForms),
                         [](const auto &p) { return std::string(p.param.name); });

TEST(AssemblerOperands, MayHaveBlanksWithinAGroup) {
  const auto expected = words("ld64step $a4:5, $mzero, $m6+=, 1");
  for (const char *pair : {"$a4 : 5", "$a4: 5", "$a4 :5", "$ a4 :  5"})
    EXPECT_EQ(words(std::string("ld64step ") + pair + ", $mzero, $m6+=, 1"), expected) << pair;
  EXPECT_EQ(words("ld2x64pace $a0: 1, $azeros, $m2 : 3+=, $mzero, 0;"),
            words("ld2x64pace $a0:1, $azeros, $m2:3+=, $mzero, 0"));
  EXPECT_EQ(words("f16v4add $a0: 1, $a2: BL, $a4 : 5 ;"), words("f16v4add $a0:1, $a2:BL, $a4:5"));
  EXPECT_THAT(errorOf("ld64 $a4 : 6, $m0, $mzero, 0"), HasSubstr("'$a4 : 6' is no register"));
}

TEST(AssemblerOperands, AreAuxiliaryZeroOnlyAsATermOfAnAddress) {
  for (const char *source : {"add $m0, $m1, $azero", "ld32step $a0, $mzero, $azero+=, 1",
                             "ld32 $a0, $m1, $a3, 0", "tapack $m0:1, $azero, $m1, $m2"})
    EXPECT_THAT(errorOf(source), HasSubstr("must be a $m register")) << source;
}

TEST(AssemblerOperands, HaveNoUpperHalfWhereWordsAreMultiplied) {
  EXPECT_THAT(errorOf("f32v2mul $a4:5, $a0:BU, $a2:3"), HasSubstr("operand 2 of 'f32v2mul'"));
  EXPECT_THAT(errorOf("f32mul $a4, $a0:B, $a2"), HasSubstr("operand 2 of 'f32mul'"));
}

TEST(AssemblerOperands, MayBe16BitSymbolsOfAnotherSource) {
  const Object object = assembled("cmpult $m6, $m6, limit\nadd $m0, $m1, limit + 8\n");
  const Section &text = test::sectionOf(object, ".text");
  EXPECT_THAT(test::wordsOf(text), ElementsAre(0x2A660000U, 0x20100000U)); // without a sign
  ASSERT_EQ(text.relocations.size(), 2U);
  EXPECT_EQ(text.relocations[0].kind, RelocationKind::Bytes2);
  EXPECT_EQ(text.relocations[1].addend, 8);
  const std::string again = disassemble(object);
  EXPECT_THAT(again, HasSubstr("  cmpult $m6, $m6, limit\n  addz $m0, $m1, limit + 8\n"));
  EXPECT_EQ(assembled(again).sections[0].bytes, text.bytes);
  EXPECT_THAT(errorOf("nop\nmul $m0, $m1, limit"),
              HasSubstr("test.S:2:1: error: operand 3 of 'mul' "
                        "has a sign"));
  EXPECT_THAT(errorOf("cmpult $m0, $m1, here\nhere:"),
              HasSubstr("must be a number, not an address"));
}

TEST(AssemblerWarnings, ReportOnceWhatMk1Lacks) {
  const std::string source = ".macro TWICE\nf32sisov2amp $a0:1, $azero, $a2:3, 0\n{ nop\n"
                             "f32sisov2amp $a0:1, $azero, $a2:3, 1 }\n.endm\nTWICE\n.supervisor\n"
                             "ld128putcs 32\nld128putcs 34\n";
  const Assembled result = assemble(source, "test.S", Architecture::Ipu1);
  EXPECT_THAT(result.warnings,
              HasSubstr("test.S:2:1: warning: 'f32sisov2amp' does not exist on this architecture"));
  EXPECT_THAT(result.warnings, HasSubstr("test.S:6:1: note: in 'TWICE' used here"));
  EXPECT_THAT(result.warnings, HasSubstr("test.S:8:1: warning: there are 32 common weights, so "
                                         "index 32 is out of range 0..31"));
  EXPECT_THAT(result.warnings, ::testing::Not(HasSubstr("index 34")));
  EXPECT_EQ(assembled(disassemble(result.object), Architecture::Ipu1).sections[0].bytes,
            result.object.sections[0].bytes);
  EXPECT_EQ(assemble(source, "test.S", Architecture::Ipu2).warnings, "");
}

} // namespace
} // namespace copse::assembler
