#include "assembled.hpp"

#include <gmock/gmock.h>

namespace copse::assembler {
namespace {

using test::dataWords;
using test::words;
using ::testing::ElementsAre;

struct Case {
  const char *name, *source;
  std::vector<std::uint32_t> values; ///< words of .data
};

const Case kCases[] = {
    {"BlanksBetweenArguments", ".macro X a b c\n.int \\a, \\b, \\c\n.endm\nX 1 2 3", {1, 2, 3}},
    {"CommasBetweenArguments", ".macro X a, b\n.int \\a, \\b\n.endm\nX 1, 2", {1, 2}},
    {"Defaults", ".macro X a=1 b=2\n.int \\a, \\b\n.endm\nX\nX 7\nX b=9", {1, 2, 7, 2, 1, 9}},
    {"EmptyDefault",
     ".macro X a=\"\"\n.ifb \\a\n.int 5\n.else\n.int \\a\n.endif\n.endm\nX\nX 6",
     {5, 6}},
    {"Vararg", ".macro X a, rest:vararg\n.int \\a, \\rest\n.endm\nX 1, 2, 3", {1, 2, 3}},
    {"Required", ".macro X a:req\n.int \\a\n.endm\nX 4", {4}},
    {"Separator", ".macro X a\n.equ n\\a\\()x, \\a\n.int n\\a\\()x\n.endm\nX 3", {3}},
    {"Counter", ".macro X\n.int \\@\n.endm\nX\nX", {0, 1}},
    {"CounterInLabels", ".macro X\nl\\@: .int l\\@ - l\\@\n.endm\nX\nX", {0, 0}},
    {"ExpressionsStayTogether", ".macro X a b\n.int \\a, \\b\n.endm\nX 1 + 2, 3 *4", {3, 12}},
    {"ParenthesesStayTogether", ".macro X a b\n.int \\a, \\b\n.endm\nX (1 + 2) (3 << 1)", {3, 6}},
    {"StringsLoseTheirQuotes", ".macro X a\n.int \\a\n.endm\nX \"1 + 1\"", {2}},
    {"InStrings",
     ".macro X a\n.ifc \"\\a\",\"true\"\n.int 1\n.else\n.int 2\n.endif\n.endm\nX true\nX no",
     {1, 2}},
    {"Ifc",
     ".ifc a, a\n.int 1\n.endif\n.ifc \"a\",a\n.int 2\n.endif\n.ifnc a,b\n.int 3\n.endif",
     {1, 2, 3}},
    {"Ifeqs", ".ifeqs \"a\",\"a\"\n.int 1\n.endif\n.ifnes \"a\",\"b\"\n.int 2\n.endif", {1, 2}},
    {"IfElseif",
     ".macro X a\n.if \\a == 1\n.int 10\n.elseif \\a == 2\n.int 20\n.elseif \\a == 3\n.int "
     "30\n.else\n.int 40\n.endif\n.endm\nX 1\nX 2\nX 3\nX 4",
     {10, 20, 30, 40}},
    {"IfNested",
     ".if 0\n.if 1\n.int 1\n.else\n.int 2\n.endif\n.else\n.if 1\n.int 3\n.endif\n.endif",
     {3}},
    {"IfComparisons",
     ".ifeq 0\n.int 1\n.endif\n.ifne 0\n.int 2\n.endif\n.ifgt 1\n.int 3\n.endif\n.iflt 1\n.int "
     "4\n.endif",
     {1, 3}},
    {"IfDefined", "x:\n.ifdef x\n.int 1\n.endif\n.ifndef y\n.int 2\n.endif", {1, 2}},
    {"SkippedIsNotRead", ".if 0\nfrob\n.error \"no\"\n{ {\n.endif\n.int 1", {1}},
    {"Rept", ".rept 3\n.int 5\n.endr", {5, 5, 5}},
    {"Irp", ".irp a, 1, 2 ,3\n.int \\a\n.endr", {1, 2, 3}},
    {"Irpc", ".irpc a, 123\n.int \\a\n.endr", {1, 2, 3}},
    {"Exitm", ".macro X a\n.int 1\n.if \\a\n.exitm\n.endif\n.int 2\n.endm\nX 1\nX 0", {1, 1, 2}},
    {"Purgem", ".macro X\n.int 1\n.endm\nX\n.purgem X\n.macro X\n.int 2\n.endm\nX", {1, 2}},
    {"NestedCalls",
     ".macro IN a\n.int \\a\n.endm\n.macro OUT a\nIN \\a\nIN \\a + 1\n.endm\nOUT 1",
     {1, 2}},
    {"NestedDefinition", ".macro MAKE n v\n.macro \\n\n.int \\v\n.endm\n.endm\nMAKE X 6\nX", {6}},
    {"EquInMacro", ".macro X a\n.equ t, \\a * 2\n.int t\n.endm\nX 1\nX 2", {2, 4}},
    {"LabelBeforeEndm", ".macro X\n.int 1\nend\\@: .endm\nX\n.int end0 - end0", {1, 0}},
    {"OnOneLine", ".macro X a; .int \\a; .endm; X 8", {8}},
    {"Negative", ".macro X a b\n.int \\a, \\b\n.endm\nX 1, -1", {1, 0xFFFFFFFF}},
};

class Macros : public ::testing::TestWithParam<Case> {};

TEST_P(Macros, ExpandToData) { EXPECT_EQ(dataWords(GetParam().source), GetParam().values); }
INSTANTIATE_TEST_SUITE_P(Assembler, Macros, ::testing::ValuesIn(kCases),
                         [](const auto &p) { return p.param.name; });

TEST(AssemblerMacros, MakeMnemonicsRegistersAndHalvesOfBundles) {
  EXPECT_EQ(words(".macro OP n d\nf32v2\\n $\\d, $a2:3, $a4:5\n.endm\n.macro BOTH n\n{\nnop\nOP "
                  "\\n a0:1\n}\n.endm\nBOTH add"),
            words("{ nop; f32v2add $a0:1, $a2:3, $a4:5 }"));
}

TEST(AssemblerMacros, TakeLocalLabelsAsArgumentsApart) {
  EXPECT_EQ(
      words(".macro IN one, two\nbrz $m0, \\one\\()\nbri \\two\\() // c\n.endm\n.macro OUT n\n"
            "IN .La_\\n\\()_x .La_\\n\\()_y\n.La_\\n\\()_x:\nnop\n.La_\\n\\()_y:\n.endm\nOUT add"),
      words("brz $m0, .Lx\nbri .Ly\n.Lx: nop\n.Ly:"));
}

TEST(AssemblerMacros, FindAParameterAfterThePreprocessorsBlanks) {
  // The text that "#define ONE a6" leaves of ".macro X ONE" and "$\ONE:BL".
  EXPECT_EQ(words(".macro X a6, p\nf16v4sub $a0:1, $\\ a6:BL, $\\ p\n.endm\nX a3, a4:5"),
            words("f16v4sub $a0:1, $a3:BL, $a4:5"));
}

TEST(AssemblerMacros, HideInstructionsOfTheirName) {
  EXPECT_EQ(words(".macro add\nnop\n.endm\nadd\n"), words("nop"));
}

} // namespace
} // namespace copse::assembler
