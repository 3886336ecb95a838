#include "assembled.hpp"

#include <gmock/gmock.h>

namespace copse::assembler {
namespace {

using test::Architecture;
using test::errorOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Refusal {
  const char *name;
  const char *source;
  const char *where; ///< line and column
  const char *what;
  Architecture architecture = Architecture::Ipu2;
};

const Refusal kRefusals[] = {
    {"OffsetOutOfRange", "ld32 $m0, $m1, $mzero, 4096", "1:24", "out of range 0..4095"},
    {"NegativeOffset", "ld32 $m0, $m1, $mzero, -1", "1:24", "out of range 0..4095"},
    {"StepOutOfRange", "ld32step $m0, $mzero, $m1+=, 128", "1:30", "out of range -128..127"},
    {"SetziOutOfRange", "setzi $m0, 0x100000", "1:12", "out of range 0..1048575"},
    {"OrNeitherForm", "or $a0, $a0, 0x12345", "1:14", "operand 3 of 'or' is 74565"},
    {"AddOutOfRange", "add $m0, $m1, 65536", "1:15", "out of range"},
    {"WrongFile", "add $a0, $m1, $m2", "1:5", "operand 1 of 'add' must be a $m register"},
    {"MisalignedPair", "ld64 $a1:2, $m0, $mzero, 0", "1:6", "'$a1:2' is no register"},
    {"PairWanted", "ld64 $a0, $m0, $mzero, 0", "1:6", "an aligned pair such as $a2:3"},
    {"QuadWanted", "ld128 $a0:1, $m0, $mzero, 0", "1:7", "an aligned group of four"},
    {"NoSuchRegister", "add $m16, $m0, $m1", "1:5", "'$m16' is no register"},
    {"SuffixMissing", "ld32step $m0, $mzero, $m1, 1", "1:23", "with +="},
    {"SuffixTooMuch", "ld32 $m0, $mzero, $m1+=, 1", "1:19", "must be a $m register, not '$m1+='"},
    {"BroadcastMissing", "f16v4add $a0:1, $a2, $a4:5", "1:17", "operand 2 of 'f16v4add'"},
    {"TooFewOperands", "add $m0, $m1", "1:1", "'add' has 3 operands, not 2"},
    {"UnknownInstruction", "frobnicate $m0", "1:1", "there is no instruction 'frobnicate'"},
    {"UnknownDirective", ".frobnicate", "1:1", "there is no directive '.frobnicate'"},
    {"NotOnThisArchitecture", "f8v2tof16 $a0, $a1", "1:1", "does not exist on this architecture"},
    {"QuartersOnIpu1", "f8v8hihov4amp $a0:1, $a2:3, $a4:5, 0", "1:1", "does not exist",
     Architecture::Ipu1},
    {"SupervisorInWorker", "runall $m0, $m1, 0", "1:1", "an instruction of the supervisor"},
    {"WorkerInSupervisor", ".supervisor\nf32add $a0, $a1, $a2", "2:1", "an instruction of workers"},
    {"TapackInSupervisor", ".supervisor\ntapack $m0:1, $m2, $m3, $m4", "2:1",
     "an instruction of workers"},
    {"RptInSupervisor", ".supervisor\nrpt $m0, 0", "2:1", "an instruction of workers"},
    {"ExitInSupervisor", ".supervisor\nexitz $mzero", "2:1", "an instruction of workers"},
    {"BundleInSupervisor", ".supervisor\n{ nop; fnop }", "2:1", "the supervisor has no bundles"},
    {"CsrOfTheOther", "get $m0, $SSR", "1:10", "'$SSR' is no CSR of a worker"},
    {"CsrOfTheOtherHalf", "get $m0, $FP_CLR", "1:10", "is reached by uget and uput"},
    {"LowerCsrByUget", "uget $a0, $WSR", "1:11", "is reached by get and put"},
    {"CsrOfALaterOne", "uput $FP_SCL, $a0", "1:6", "no CSR of a worker of this architecture"},
    {"AuxFirst", "{ f32add $a0, $a1, $a2; ld32 $m0, $m1, $mzero, 0 }", "1:1", "must come first"},
    {"SoloInBundle", "{ exitz $mzero; fnop }", "1:1", "'exitz' must stand alone"},
    {"OneHalf", "{ nop }", "1:1", "a bundle holds two instructions, this one 1"},
    {"ThreeHalves", "{ nop; fnop; fnop }", "1:1", "this one 3"},
    {"TwoMainHalves", "{ nop; nop }", "1:1", "two of the main lane"},
    {"TwoAuxHalves", "{ fnop; fnop }", "1:1", "two of the auxiliary lane"},
    {"CommentWithoutEnd", "nop\n nop /* nop", "2:6", "this comment never ends"},
    {"PlaceBehind", "nop\nnop\n.org 4", "3:6", "4 bytes back"},
    {"PlaceFarBehind", ".data\n.byte 1\n.org 1<<63", "3:6", "9223372036854775809 bytes back"},
    {"PlaceElsewhere", ".data\nx: .byte 1\n.text\nnop\n. = x + 8", "5:5", "in this section"},
    {"PlaceWithinAWord", ".org 2", "1:6", "a multiple of 4"},
    {"OpenBundle", "{ nop\nfnop\n", "1:1", "this bundle never ends"},
    {"BundleInBundle", "{ { nop", "1:3", "a bundle inside a bundle"},
    {"StrayBrace", "}", "1:1", "'}' without '{'"},
    {"LabelInBundle", "{ x: nop; fnop }", "1:3", "a label cannot stand inside a bundle"},
    {"LdconstInBundle", "{ ldconst $m0, 1; fnop }", "1:3", "cannot be in a bundle"},
    {"BothHalvesWrite", "{ ld32 $a0, $m0, $mzero, 0; f32add $a0, $a1, $a2 }", "1:1",
     "both halves of the bundle write $a0"},
    {"BothHalvesOverlap", "{ ld64 $a0:1, $m0, $mzero, 0; f32add $a1, $a1, $a2 }", "1:1",
     "write $a1"},
    {"ZeroPairAndZero", "{ ld64 $azeros, $m0, $mzero, 0; f32add $a15, $a1, $a2 }", "1:1",
     "both halves"},
    {"LoadedAndStepped", "ld32step $m1, $m0, $m1+=, 1", "1:1", "'ld32step' writes $m1 twice"},
    {"EqualPairs", "ld2x64pace $a0:1, $a0:1, $m2:3+=, $mzero, 0", "1:1", "writes $a0 twice"},
    {"EqualZeroPairs", "ld2x64pace $azeros, $azeros, $m2:3+=, $mzero, 0", "1:1", "twice"},
    {"LoadInPair", "ld64a32pace $a0:1, $a1, $m2:3+=, $mzero, 0", "1:1", "writes $a1 twice"},
    {"OddWeights", ".supervisor\nld128putcs 1", "2:1", "must be even"},
    {"WeightsOutOfRange", ".supervisor\nld64putcs 64", "2:1", "out of range 0..63"},
    {"WeightsOfNone", ".supervisor\nld64putcs 64", "2:1", "out of range 0..63", Architecture::Ipu1},
    {"RepeatMisaligned", "nop\nnop\nrpt $m0, 0\n{ nop; fnop }", "3:1", "not 8-aligned"},
    {"RepeatOfASingle", "nop\nrpt $m0, 0\nnop\nnop", "3:1", "only bundles"},
    {"RepeatOfABranch", "nop\nrpt $m0, 0\n{ bri 0x4c000; fnop }", "3:1", "'bri' may not stand"},
    {"RepeatOfAGet", "nop\nrpt $m0, 0\n{ get $m0, $WSR; fnop }", "3:1", "'get' may not stand"},
    {"RepeatOfAUput", "nop\nrpt $m0, 0\n{ nop; uput $TAS, $a0 }", "3:1", "'uput' may not stand"},
    {"RepeatTooLong", "nop\nrpt $m0, 1\n{ nop; fnop }", "2:1", "beyond the end of its section"},
    {"RepeatOf257", "nop\nrpt $m0, 256\n{ nop; fnop }", "2:10", "out of range 0..255"},
    {"RepeatOfMinusOne", "nop\nrpt $m0, (2f - 1f)/8 - 1\n1:\n2:\n", "2:1",
     "is -1, out of range 0..255"},
    {"MisalignedTarget", "bri 0x4c002", "1:5", "a multiple of 4"},
    {"MisalignedLabel", "bri x\n.data\n.byte 1\n.text\n.byte 1,2\nx:\n", "1:1", "not 4-aligned"},
    {"TargetInData", "bri x\n.data\nx: .int 1", "1:1", "not executable"},
    {"MisalignedCode", ".byte 1\nnop", "2:1", "must be 4-aligned"},
    {"CodeInData", ".data\nnop", "2:1", "not executable"},
    {"DefinedTwice", "x:\nx:", "2:1", "'x' is defined twice"},
    {"EquivTwice", ".equiv x, 1\n.equiv x, 2", "2:8", "'x' is defined twice"},
    {"NoLabelBefore", "bri 1b", "1:5", "no label '1:' before"},
    {"NoLabelBehind", "bri 1f", "1:1", "no label '1:' behind"},
    {"AddressAsOffset", "ld32 $m0, $m1, $mzero, x\nx:", "1:1", "must be a number, not an address"},
    {"ProductOfLabels", "setzi $m0, x * x\nx:", "1:1", "addresses can only have numbers added"},
    {"DivisionByZero", ".int 1/0", "1:1", "division by zero"},
    {"NoNumber", "add $m0, $m1, 12q", "1:15", "'12q' is no number"},
    {"NoBracket", "add $m0, $m1, (1", "1:17", "')' is missing"},
    {"NoOperand", "add $m0, $m1,", "1:14", "an operand is missing"},
    {"Garbage", "add $m0, $m1, 1 1", "1:17", "unexpected|',' or the end"},
    {"LdconstTooLarge", "ldconst $m0, 0x100000000", "1:14", "must have 32 bits"},
    {"LdconstForward", "ldconst $m0, 2f\n2:", "1:14", "must be known here"},
    {"IfForward", ".if 2f - 1f\n.endif\n1:\n2:", "1:5", "must be known here"},
    {"IfOpen", ".if 1\nnop\n", "2:1", "no .endif"},
    {"ElseAlone", ".else", "1:1", ".else without an .if"},
    {"EndifAlone", ".endif", "1:1", ".endif without an .if"},
    {"ElseTwice", ".if 1\n.else\n.else\n.endif", "3:1", "a second .else"},
    {"SaidSo", ".error \"no such operator\"", "1:1", "no such operator"},
    {"MacroOpen", ".macro X\nnop\n", "1:1", "its end is missing"},
    {"MacroTooMany", ".macro X a\n.endm\nX 1, 2", "3:6", "has 1 parameters"},
    {"MacroRequired", ".macro X a:req\n.endm\nX", "3:1", "needs a value for 'a'"},
    {"MacroItself", ".macro X\nX\n.endm\nX", "2:1", "nested more than 200 deep"},
    {"MacroGrows", ".macro X a\nX \\a\\a\\a\\a\\a\\a\\a\\a\n.endm\nX a", "2:1", "than 64 MiB"},
    {"RepeatGrows",
     ".rept 1000000\n.int 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, "
     "14, 15, 16, 17\n"
     ".endr",
     "1:1", "more than 64 MiB"},
    {"RepeatsGrow", ".rept 100000\n.rept 1000\n.endr\n.endr", "2:1", "expand without end"},
    {"SumGrows", ".rept 20000\n.equ x, x + y\n.endr", "2:1", "more than 10000 terms"},
    {"ValuesGrow",
     "\n\n.int a\n.set a, b+b\n.set b, c+c\n.set c, d+d\n.set d, e+e\n.set e, f+f\n.set f, g+g\n"
     ".set g, h+h\n.set h, i+i\n.set i, j+j\n.set j, k+k\n.set k, l+l\n.set l, m+m\n.set m, n+n\n"
     ".set n, o+o\n.set o, p+p\n.set p, q+q\n.set q, r+r\n.set r, s+s\n.set s, t+t\n.set t, 1",
     "3:1", "from more than 100000"},
    {"FillsGrow", ".rept 100\n.section .data.s\\@\n.endr\n.space 0x200001", "4:1", "do not fit"},
    {"AlignOdd", ".align 3", "1:1", "a power of two"},
    {"AlignTooFar", ".align 131072", "1:1", "a power of two up to 65536, not 131072"},
    {"AlignPowerTooFar", ".p2align 17", "1:1", "from 0 to 16, not 17"},
    {"StackWithoutName", "DEF_STACK_USAGE 8", "1:1", "the name of a function"},
    {"MoveToAux", "mov $a0, $m0", "1:10", "no instruction moves from $m to $a"},
    {"ByteTooLarge", ".byte 256", "1:1", "does not fit into 1 byte"},
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, NamesLineAndReason) {
  const Refusal &c = GetParam();
  const std::string error = errorOf(c.source, c.architecture);
  EXPECT_THAT(error, StartsWith(std::string("test.S:") + c.where + ": error: "));
  const std::string what = c.what;
  const auto bar = what.find("|");
  if (bar == std::string::npos)
    EXPECT_THAT(error, HasSubstr(what));
  else
    EXPECT_THAT(error,
                ::testing::AnyOf(HasSubstr(what.substr(0, bar)), HasSubstr(what.substr(bar + 1))));
}
INSTANTIATE_TEST_SUITE_P(Assembler, Refused, ::testing::ValuesIn(kRefusals),
                         [](const auto &p) { return p.param.name; });

TEST(AssemblerErrors, AreCollected) {
  const std::string error = errorOf("frob\nnop\nadd $m0\n");
  EXPECT_THAT(error, HasSubstr("test.S:1:1"));
  EXPECT_THAT(error, HasSubstr("test.S:3:1"));
}

TEST(AssemblerErrors, NameTheBodysLineInRepetitions) {
  const std::string error =
      errorOf("nop\n.rept 3\nnop\nfrob\n.endr\n.irp x, 1, 2\n\nfrob\n.endr\ngrob");
  EXPECT_THAT(error, HasSubstr("test.S:4:1: error: there is no instruction 'frob'\n"
                               "test.S:2:1: note: in '.rept' used here"));
  EXPECT_THAT(error, HasSubstr("test.S:8:1: error"));
  EXPECT_THAT(error, HasSubstr("test.S:10:1: error: there is no instruction 'grob'"));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("test.S:5:")));
}

TEST(AssemblerErrors, EndAfterTwenty) {
  std::string source;
  for (int i = 0; i < 100; ++i)
    source += "frob\n";
  const std::string error = errorOf(source);
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 21);
  EXPECT_THAT(error, HasSubstr("too many errors"));
}

TEST(AssemblerErrors, FollowLineMarkers) {
  EXPECT_THAT(errorOf("# 41 \"other.S\"\nnop\nfrob\n"), StartsWith("other.S:42:1: error"));
}

TEST(AssemblerErrors, NameTheLineThatExpandedTheMacro) {
  const std::string error =
      errorOf(".macro OUTER\nINNER\n.endm\n.macro INNER\n  frob\n.endm\nOUTER\n");
  EXPECT_THAT(error, StartsWith("test.S:5:3: error: there is no instruction 'frob'"));
  EXPECT_THAT(error, HasSubstr("test.S:2:1: note: in 'INNER' used here"));
  EXPECT_THAT(error, HasSubstr("test.S:7:1: note: in 'OUTER' used here"));
}

TEST(AssemblerWarnings, ReportShiftsThatDoNothing) {
  const Assembled result = assemble("shl $m0, $m1, 32\n", "test.S", Architecture::Ipu2);
  EXPECT_THAT(result.warnings, HasSubstr("test.S:1:1: warning: only the five low bits"));
}

} // namespace
} // namespace copse::assembler
