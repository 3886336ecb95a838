// Tests how inline assembly becomes calls of the interpreter. inline_assembly_test.cpp tests popc's
// messages with a compiler, and tests of the engine execute statements.
#include "inline_assembly.hpp"
#include "llvm_module.hpp"

#include "wire/codelet_abi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <string>
#include <vector>

namespace copse::popc {
namespace {

using test::Text;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Kind = wire::AssemblyOperand::Kind;

/// A module after the pass.
class Replaced {
public:
  explicit Replaced(const std::string &text, AssemblySource source = {{}, Architecture::Ipu2})
      : module_(text) {
    module_.with(InlineAssemblyPass(source, use));
  }

  std::string text() const { return module_.text(); }
  /// Returns the start of a block, and its operands.
  wire::AssemblyBlock block(unsigned number = 0) const {
    wire::AssemblyBlock head;
    std::memcpy(&head, bytesOf(number).data(), sizeof head);
    return head;
  }
  std::vector<wire::AssemblyOperand> operands(unsigned number = 0) const {
    std::vector<wire::AssemblyOperand> operands(block(number).operands);
    std::memcpy(operands.data(), bytesOf(number).data() + sizeof(wire::AssemblyBlock),
                operands.size() * sizeof(wire::AssemblyOperand));
    return operands;
  }
  std::string bytesOf(unsigned number) const {
    const auto *const block =
        module_.module().getNamedGlobal("copse.assembly." + std::to_string(number));
    return llvm::cast<llvm::ConstantDataArray>(block->getInitializer())->getAsString().str();
  }

  InlineAssemblyUse use;

private:
  Text module_;
};

/// Returns a function of one statement with one input and one output of \p type.
std::string moved(const std::string &type, const std::string &instruction = "mov $0, $1") {
  return "define " + type + " @f(" + type + " %x) {\n  %r = call " + type + " asm \"" +
         instruction + "\", \"=r,r,~{dirflag},~{fpsr},~{flags}\"(" + type + " %x)\n  ret " + type +
         " %r\n}\n";
}
std::string statement(const std::string &text, const std::string &function = "f") {
  return "define void @" + function + "() {\n  call void asm sideeffect \"" + text +
         "\", \"~{memory},~{dirflag},~{fpsr},~{flags}\"()\n  ret void\n}\n";
}

TEST(InlineAssemblyPass, CallsTheInterpreterWithTheOperandsInMemory) {
  const std::string text = Replaced(moved("i32")).text();
  EXPECT_THAT(text, AllOf(HasSubstr("%1 = call i32 @copse.assembly.0.run(i32 %x)\n  ret i32 %1"),
                          HasSubstr("define internal i32 @copse.assembly.0.run(i32 %0) #0 {\n"
                                    "  %copse.values = alloca [2 x <4 x i32>], align 16\n"),
                          HasSubstr("attributes #0 = { alwaysinline nounwind }")));
  EXPECT_THAT(text, AllOf(HasSubstr("store i32 %0, ptr %2, align 16\n"),
                          HasSubstr("load ptr, ptr @__copseAssembly"),
                          HasSubstr("load ptr, ptr @copse.assembly.0.at"),
                          HasSubstr("(ptr %4, ptr %copse.values, ptr @__copseAccumulators)"),
                          HasSubstr("load i32, ptr %5, align 16\n  ret i32 %6")));
}

TEST(InlineAssemblyPass, PutsPointersToBlocksIntoASectionWhoseEndsAModuleExports) {
  EXPECT_THAT(Replaced(moved("i32")).text(),
              AllOf(HasSubstr("$__copseAccumulators = comdat any"),
                    HasSubstr("@__copseAssembly = external global ptr"),
                    HasSubstr("@__copseAccumulators = linkonce_odr hidden thread_local global ["),
                    HasSubstr("@__start_copse_assembly = extern_weak hidden global ptr"),
                    HasSubstr("@__stop_copse_assembly = extern_weak hidden global ptr"),
                    HasSubstr("@__copseAssemblyBlocks = weak_odr constant [2 x ptr] [ptr "
                              "@__start_copse_assembly, ptr @__stop_copse_assembly]"),
                    HasSubstr("@copse.assembly.0.at = internal externally_initialized global ptr "
                              "@copse.assembly.0, section \"copse_assembly\", align 8")));
}

TEST(InlineAssemblyPass, UsesVariablesThatTheModuleHas) {
  const std::string text =
      Replaced("@__copseAssembly = weak global ptr null\n"
               "@__copseAccumulators = external thread_local global [4 x i8]\n" +
               moved("i32"))
          .text();
  EXPECT_THAT(text, AllOf(HasSubstr("@__copseAssembly = weak global ptr null"),
                          HasSubstr("@__copseAccumulators = external thread_local global [4 x i8]"),
                          Not(HasSubstr("@__copseAssembly.")), Not(HasSubstr("comdat"))));
}

TEST(InlineAssemblyPass, LeavesAModuleWithoutStatementsAsItIs) {
  const std::string text = "define void @f() {\n  ret void\n}\n";
  EXPECT_EQ(Replaced(text).text(), Text(text).text());
}

/// A type, and the registers that hold it.
struct OperandCase {
  const char *type, *instruction;
  Kind kind;
  bool isAux;
  unsigned count;
};
const OperandCase kOperands[] = {
    {"i8", "mov $0, $1", Kind::Words, false, 1},
    {"i32", "mov $0, $1", Kind::Words, false, 1},
    {"ptr", "mov $0, $1", Kind::Pointer, false, 1},
    {"half", "mov $0, $1", Kind::Half, true, 1},
    {"float", "mov $0, $1", Kind::Words, true, 1},
    {"<2 x half>", "or $0, $1, $$azero", Kind::Words, true, 1},
    {"<2 x float>", "or64 $0, $1, $$azeros", Kind::Words, true, 2},
    {"<4 x half>", "or64 $0, $1, $$azeros", Kind::Words, true, 2},
    {"<4 x i8>", "mov $0, $1", Kind::Words, false, 1},
};
TEST(InlineAssemblyPass, ChoosesRegistersByTheTypesOfOperands) {
  for (const OperandCase &c : kOperands) {
    const auto operands = Replaced(moved(c.type, c.instruction)).operands();
    ASSERT_EQ(operands.size(), 2U) << c.type;
    for (const wire::AssemblyOperand &operand : operands) {
      EXPECT_EQ(operand.kind, c.kind) << c.type;
      EXPECT_EQ(operand.isAux != 0, c.isAux) << c.type;
      EXPECT_EQ(operand.count, c.count) << c.type;
    }
    EXPECT_EQ(operands[0].isOutput, 1) << c.type;
    EXPECT_EQ(operands[1].isInput, 1) << c.type;
    EXPECT_EQ(operands[1].first, operands[0].first + c.count) << c.type;
  }
}

TEST(InlineAssemblyPass, ExtendsNarrowValuesToARegister) {
  EXPECT_THAT(Replaced(moved("i8")).text(),
              AllOf(HasSubstr("zext i8 %0 to i32"), HasSubstr("trunc i32 %")));
  EXPECT_THAT(Replaced(moved("<2 x i8>")).text(),
              AllOf(HasSubstr("bitcast <2 x i8> %0 to i16"), HasSubstr("zext i16 %"),
                    ContainsRegex("bitcast i16 %[0-9]+ to <2 x i8>")));
}

TEST(InlineAssemblyPass, ReturnsSeveralOutputsAndTakesABoolAsAByte) {
  const Replaced module("define i8 @f(i1 %x, i32 %y) {\n"
                        "  %r = call { i8, i32 } asm \"mov $1, $0\", \"=r,=r,0,1\"(i1 %x, i32 %y)\n"
                        "  %a = extractvalue { i8, i32 } %r, 0\n  ret i8 %a\n}\n");
  EXPECT_THAT(module.text(),
              AllOf(HasSubstr("%1 = call { i8, i32 } @copse.assembly.0.run(i1 %x, i32 %y)"),
                    HasSubstr("zext i1 %0 to i32"),
                    ContainsRegex("insertvalue \\{ i8, i32 \\} poison, i8 %[0-9]+, 0")));
}

TEST(InlineAssemblyPass, PutsNumbersAndKindsOfLongsIntoTheBlock) {
  const std::string source = "asm(\"add %0, %1, %2\" : \"=r\"(r) : \"r\"(x), \"i\"(-3));\n";
  AssemblySource known{{source, {}}, Architecture::Ipu2};
  known.expanded.statements[4] = {{"$m0"}, {0, 1}, 2, {}};
  const Replaced module("define i64 @f(i64 %x) {\n  %r = call i64 asm \"add $0, $1, $2\", "
                        "\"=r,r,i,i,i\"(i64 %x, i32 -3, i64 3, i64 2), !srcloc !0\n"
                        "  ret i64 %r\n}\n!0 = !{i64 6}\n",
                        known);
  EXPECT_THAT(module.use.errors, IsEmpty());
  ASSERT_EQ(module.operands().size(), 2U);
  EXPECT_EQ(module.operands()[0].kind, Kind::SignedLong);
  EXPECT_EQ(module.operands()[1].kind, Kind::UnsignedLong);
  EXPECT_EQ(module.operands()[0].first, 1U); // $m0 is clobbered
  EXPECT_THAT(module.bytesOf(0), HasSubstr("(add $m1, $m2, -3)"));
}

TEST(InlineAssemblyPass, NumbersBlocksInTheOrderOfTheModule) {
  const Replaced module(statement("trap 0", "f") + statement("nop", "idle") +
                        statement("trap ${:uid}", "g"));
  EXPECT_THAT(module.bytesOf(0), HasSubstr("(trap 0)"));
  EXPECT_THAT(module.bytesOf(2), HasSubstr("(trap 2)"));
}

TEST(InlineAssemblyPass, KeepsThePlaceForDebuggers) {
  EXPECT_THAT(
      Replaced("define void @f() !dbg !3 {\n  call void asm sideeffect \"trap 0\", \"\"(), !dbg "
               "!4, !srcloc !5\n  ret void\n}\n!llvm.module.flags = !{!0}\n!llvm.dbg.cu = !{!1}\n"
               "!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
               "!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2)\n"
               "!2 = !DIFile(filename: \"v.cpp\", directory: \"/\")\n"
               "!3 = distinct !DISubprogram(name: \"f\", unit: !1, file: !2)\n"
               "!4 = !DILocation(line: 7, scope: !3)\n!5 = !{i64 2}\n")
          .text(),
      AllOf(HasSubstr("call void @copse.assembly.0.run(), !dbg !"), HasSubstr("line: 7"),
            Not(HasSubstr("srcloc"))));
}

TEST(InlineAssemblyPass, PassesValuesThroughIdleStatements) {
  const std::string text =
      Replaced("define i32 @f(i32 %x) {\n  %r = call i32 asm sideeffect \"nop\\0Anop\", "
               "\"=r,0,~{memory}\"(i32 %x)\n  ret i32 %r\n}\n")
          .text();
  EXPECT_THAT(text, AllOf(HasSubstr("asm sideeffect \"# copse: cycles 2\""),
                          HasSubstr("asm sideeffect \"\", \"~{memory},"),
                          HasSubstr("freeze i32 %x"), Not(HasSubstr("@copse"))));
  EXPECT_THAT(Replaced("define { i8, i32 } @f(i1 %x) {\n  %r = call { i8, i32 } asm \"# nothing\", "
                       "\"=r,=r,0\"(i1 %x)\n  ret { i8, i32 } %r\n}\n")
                  .text(),
              AllOf(HasSubstr("zext i1 %x to i8"), HasSubstr("insertvalue { i8, i32 } poison, i8"),
                    HasSubstr("i32 poison, 1"), Not(HasSubstr("asm"))));
}

TEST(InlineAssemblyPass, LeavesTheCyclesOfBuiltinsToTheirCallers) {
  const std::string builtin = "_Z16__builtin_ipu_fov";
  EXPECT_THAT(Replaced(statement("nop", builtin)).text(), Not(HasSubstr("cycles")));
  EXPECT_EQ(Replaced(statement("trap 0", builtin)).block().isCounted, 1U);
  EXPECT_EQ(Replaced(statement("trap 0")).block().isCounted, 0U);
}

TEST(InlineAssemblyPass, ExecutesIdleStatementsOfSupervisors) {
  EXPECT_EQ(Replaced(statement("nop"), {{}, Architecture::Ipu2, true}).block().words, 1U);
}

TEST(InlineAssemblyPass, TellsWhatSupervisorsUse) {
  const Replaced module(statement("setzi $$m0, __runCodelet_W\\0Async 2") +
                        statement("sync 2", "g"));
  EXPECT_EQ(module.block().isSupervisor, 1U);
  EXPECT_TRUE(module.use.tileCode.bySupervisor);
  ASSERT_EQ(module.use.tileCode.symbols.size(), 1U);
  EXPECT_EQ(module.use.tileCode.symbols[0].name, "__runCodelet_W");
  EXPECT_THAT(module.use.supervisorPlaces, ElementsAre("<unknown>:1"));
}

TEST(InlineAssemblyPass, KnowsMacrosOfFunctionsThatAreCalledBefore) {
  const std::string macro = statement(".macro two\\0Atrap 2\\0A.endm", "macro");
  const std::string use = "  call void asm sideeffect \"two\", \"\"()\n  ret void\n}\n";
  const std::string call = "  call void @macro()\n";
  EXPECT_THAT(Replaced(macro + "define void @f() {\n" + call + use).use.errors, IsEmpty());
  EXPECT_THAT(Replaced(macro + "define void @f() {\n" + use).use.errors, HasSubstr("two"));
}

/// A module and the message about it.
struct BadCase {
  const char *text, *message;
};
const BadCase kBad[] = {
    {"module asm \"nop \\22\"\n", "error: assembly outside of functions belongs in a .S file: "
                                  "module asm \"nop \\22\"\n"},
    {"define void @f() {\n  callbr void asm \"nop\", \"!i\"() to label %a [label %b]\na:\n"
     "  ret void\nb:\n  ret void\n}\n",
     "<unknown>:1: error: inline assembly: labels of C++ are out of its reach\n"},
    {"define void @f(double %x) {\n  call void asm \"nop\", \"r\"(double %x)\n  ret void\n}\n",
     "<unknown>:1: error: inline assembly: no registers of the tile hold an operand of type "
     "'double' (in LLVM's words)\n"},
    {"define void @f(ptr %x) {\n  call void asm \"nop\", \"*m\"(ptr elementtype(i32) %x)\n"
     "  ret void\n}\n",
     "<unknown>:1: error: inline assembly: there is no constraint '*m' on the tile; registers are "
     "\"r\", numbers \"i\"\n"},
    {"define void @f(i32 %x) {\n  call void asm \"nop\", \"i\"(i32 %x)\n  ret void\n}\n",
     "<unknown>:1: error: inline assembly: operand %0 must be a number that is known here\n"},
    {"define i32 @f(float %x) {\n  %r = call i32 asm \"nop\", \"=r,0\"(float %x)\n  ret i32 %r\n"
     "}\n",
     "<unknown>:1: error: inline assembly: an input of type 'float' is tied to an output of type "
     "'i32' (in LLVM's words)\n"},
    {"define void @f() {\n  call void asm \"mov $0, $0\", \"\"()\n  ret void\n}\n",
     "<unknown>:1: error: inline assembly: there is no operand %0\n"},
};
TEST(InlineAssemblyPass, RefusesWhatTheTileCannotDo) {
  for (const BadCase &bad : kBad)
    EXPECT_EQ(Replaced(bad.text).use.errors, bad.message) << bad.text;
}

TEST(InlineAssemblyPass, ReportsAllErrorsWithTheLinesOfTheSourceAndEachOnce) {
  const AssemblySource source{
      {"# 7 \"mine.cpp\"\nasm(\"nop\\n\"\n\"nonsense\");\nasm(\"other\");\n", {}},
      Architecture::Ipu2};
  const auto statementAt = [](const std::string &function, const std::string &text,
                              const std::string &places) {
    return "define void @" + function + "() {\n  call void asm sideeffect \"" + text +
           "\", \"\"(), !srcloc " + places + "\n  ret void\n}\n";
  };
  const std::string errors =
      Replaced(statementAt("f", "nop\\0Anonsense", "!0") + statementAt("g", "other", "!1") +
                   statementAt("h", "nop\\0Anonsense", "!0") +
                   "!0 = !{i64 21, i64 29}\n!1 = !{i64 46}\n",
               source)
          .use.errors;
  const auto first = errors.find("nonsense"), second = errors.find("other");
  EXPECT_THAT(errors, AllOf(HasSubstr("mine.cpp:8"), HasSubstr("mine.cpp:9")));
  EXPECT_LT(first, second);
  EXPECT_EQ(errors.find("mine.cpp:8", second), std::string::npos) << errors;
}

} // namespace
} // namespace copse::popc
