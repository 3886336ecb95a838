// Each pass of codelet-compiler changes LLVM's text of a module as its header says.
#include "any_processor.hpp"
#include "builtin_calls.hpp"
#include "llvm_module.hpp"
#include "symbols.hpp"
#include "tile_functions.hpp"
#include "tile_limits.hpp"
#include "tile_operations.hpp"
#include "vertex_in_sight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace copse::popc {
namespace {

using test::Text;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Returns a function of one operation of two operands of \p type.
std::string operation(const std::string &name, const std::string &type) {
  return "define " + type + " @f(" + type + " %a, " + type + " %b) {\n  %r = " + name + " " + type +
         " %a, %b\n  ret " + type + " %r\n}\n";
}
std::string conversion(const std::string &name, const std::string &from, const std::string &to) {
  return "define " + to + " @f(" + from + " %a) {\n  %r = " + name + " " + from + " %a to " + to +
         "\n  ret " + to + " %r\n}\n";
}

std::string withCalls(const std::string &text,
                      TileArithmetic arithmetic = TileArithmetic::OfProgram) {
  return Text(text).with(TileOperationsPass(arithmetic)).text();
}
std::string withBodies(const std::string &text, TileArithmetic arithmetic) {
  return Text(text).with(TileOperationsPass(arithmetic)).with(TileBodiesPass(arithmetic)).text();
}

TEST(TileOperations, OperationsOfHalvesBecomeCalls) {
  EXPECT_THAT(withCalls(operation("fadd", "half")),
              HasSubstr("%r = call half @copse.fadd.half(half %a, half %b)"));
  EXPECT_THAT(withCalls(operation("fmul", "<4 x half>")),
              HasSubstr("%r = call <4 x half> @copse.fmul.half4(<4 x half> %a, <4 x half> %b)"));
}
TEST(TileOperations, ConversionsToHalvesBecomeCallsThatNameTheOtherType) {
  EXPECT_THAT(withCalls(conversion("sitofp", "i32", "half")),
              HasSubstr("call half @copse.sitofp.i32.half(i32 %a)"));
  EXPECT_THAT(withCalls(conversion("fptrunc", "<2 x float>", "<2 x half>")),
              HasSubstr("call <2 x half> @copse.fptrunc..2.x.float..half2(<2 x float> %a)"));
}
TEST(TileOperations, OperationsThatGiveNoHalvesStay) {
  for (const std::string &text : {operation("fadd", "float"), operation("fsub", "<2 x double>"),
                                  conversion("fpext", "half", "float")})
    EXPECT_THAT(withCalls(text), Not(HasSubstr("copse"))) << text;
}
TEST(TileOperations, DivisionsThatMayBeEventsBecomeCalls) {
  EXPECT_THAT(withCalls(operation("fdiv", "float")), HasSubstr("call float @copse.fdiv.float("));
  EXPECT_THAT(withCalls(operation("fdiv", "<2 x double>")), HasSubstr("@copse.fdiv.double2("));
  EXPECT_THAT(withCalls(operation("fdiv", "float"), TileArithmetic::Saturating),
              Not(HasSubstr("copse")));
  EXPECT_THAT(
      withCalls("define float @f(float %a) {\n  %r = fdiv float %a, 3.0\n  ret float %r\n}\n"),
      Not(HasSubstr("copse")));
}
TEST(TileOperations, OptimisersMayNeitherMergeNorMoveTheCalls) {
  EXPECT_THAT(withCalls(operation("fadd", "half")),
              AllOf(HasSubstr("declare half @copse.fadd.half(half, half) #0"),
                    HasSubstr("nounwind willreturn memory(inaccessiblemem: readwrite)")));
}

TEST(TileBodies, AskTheTileIfTheProgramHasChangedTheRules) {
  const std::string text = withBodies(operation("fadd", "<2 x half>"), TileArithmetic::OfProgram);
  EXPECT_THAT(text, AllOf(HasSubstr("load i32, ptr @__copseHalfMask, align 4, !tbaa"),
                          HasSubstr("call half @copse.round(float"),
                          HasSubstr("define internal <2 x half> @copse.fadd.half2")));
}
TEST(TileBodies, SaturateWithoutAskingIfNoProgramCanChangeTheRules) {
  const std::string text = withBodies(operation("fadd", "half"), TileArithmetic::Saturating);
  EXPECT_THAT(text, AllOf(HasSubstr("and i16"), HasSubstr("icmp eq i16"),
                          Not(HasSubstr("__copseHalfMask")), Not(HasSubstr("copse.round"))));
}
TEST(TileBodies, ExistForEachOperation) {
  std::vector<std::string> functions;
  for (const std::string type : {"half", "<8 x half>"})
    for (const std::string name : {"fadd", "fsub", "fmul", "fdiv", "frem"})
      functions.push_back(operation(name, type));
  for (const std::string type : {"float", "double", "<2 x float>"})
    functions.push_back(operation("fdiv", type));
  for (const std::string name : {"sitofp", "uitofp"})
    functions.push_back(conversion(name, "<2 x i16>", "<2 x half>"));
  functions.push_back(conversion("fptrunc", "double", "half"));
  for (const std::string &text : functions)
    EXPECT_THAT(withBodies(text, TileArithmetic::OfProgram),
                AllOf(HasSubstr("alwaysinline"), Not(HasSubstr("declare"))))
        << text;
}

const std::string kBuiltin = "define void @_Z16__builtin_ipu_fov() {\n  ret void\n}\n";

TEST(Builtins, StayApartUntilCyclesAreCounted) {
  Text module(kBuiltin + "define void @g() {\n  ret void\n}\n");
  EXPECT_THAT(module.with(BuiltinsApartPass()).text(),
              AllOf(HasSubstr("@_Z16__builtin_ipu_fov() #0"), HasSubstr("@g() {"),
                    HasSubstr("attributes #0 = { noinline }")));
  EXPECT_THAT(module.with(BuiltinsInlinePass()).text(),
              HasSubstr("attributes #0 = { alwaysinline }"));
}

TEST(AnyProcessor, IsToldByTheCommandLineOnly) {
  EXPECT_THAT(Text("define void @f() #0 {\n  ret void\n}\nattributes #0 = { nounwind "
                   "\"target-cpu\"=\"znver4\" \"target-features\"=\"+avx\" \"tune-cpu\"=\"x\" }\n")
                  .with(AnyProcessorPass())
                  .text(),
              HasSubstr("attributes #0 = { nounwind }"));
}
TEST(AnyProcessor, EntriesOfCodeletsStayApart) {
  EXPECT_THAT(Text("define void @f() #0 {\n  ret void\n}\nattributes #0 = { "
                   "\"target-features\"=\"+avx,-mmx\" }\n")
                  .with(AnyProcessorPass())
                  .text(),
              HasSubstr("attributes #0 = { \"target-features\"=\"-mmx\" }"));
}

TileLimitMessages limitsOf(const std::string &text) {
  TileLimitMessages messages;
  Text(text).with(TileLimitsPass("v.cpp", messages));
  return messages;
}

TEST(TileLimits, AVariableOfAThreadIsAnError) {
  EXPECT_THAT(limitsOf("@n = thread_local global i32 0\n").errors,
              HasSubstr("v.cpp: error: variable 'n' is thread_local"));
}
TEST(TileLimits, AVariableThatCodeChangesCausesAWarning) {
  const std::string body = "define void @f(i64 %i) {\n  %v = load i32, ptr @n\n";
  EXPECT_THAT(limitsOf("@n = global i32 0\n" + body + "  ret void\n}\n").warnings, IsEmpty());
  EXPECT_THAT(
      limitsOf("@n = global i32 0\n" + body + "  store i32 1, ptr @n\n  ret void\n}\n").warnings,
      HasSubstr("v.cpp: warning: variable 'n' is one for all tiles"));
  EXPECT_THAT(limitsOf("@n = global [2 x i32] zeroinitializer\n" + body +
                       "  store i32 1, ptr getelementptr ([2 x i32], ptr @n, i64 0, i64 1)\n  ret "
                       "void\n}\n")
                  .warnings,
              HasSubstr("'n'"));
}
TEST(TileLimits, TheHeapCausesAWarning) {
  EXPECT_THAT(limitsOf("declare ptr @_Znwm(i64)\n").warnings,
              HasSubstr("takes memory from a heap"));
}

TEST(VertexInSight, IsUsedWhereAComputeReturns) {
  EXPECT_THAT(Text("define i1 @_ZN1A7computeEv(ptr %this) {\n  ret i1 true\n}\n")
                  .with(VertexInSightPass())
                  .text(),
              HasSubstr("call void asm sideeffect \"\", \"r\"(ptr %this)\n  ret i1 true"));
}

TEST(Symbols, AreThoseThatOtherModulesMayUse) {
  const Text module("@a = global i32 0\n@b = internal global i32 0\n@c = external global i32\n"
                    "@__copseTileId = global i32 0\ndefine void @f() {\n  ret void\n}\n"
                    "define linkonce_odr void @g() {\n  ret void\n}\n"
                    "define weak void @h() {\n  ret void\n}\n");
  EXPECT_THAT(definitionsIn(module.module()), ElementsAre("a", "f"));
}
TEST(Symbols, AreMissingIfTheyHaveNamesOfC) {
  const Text module("declare float @f(ptr, i32) nounwind\ndeclare void @_Z1gv()\n"
                    "declare float @llvm.sqrt.f32(float)\n");
  EXPECT_THAT(declarationsIn(module.module()), ElementsAre("declare float @f(ptr, i32)"));
}

TEST(TileFunctions, AreThoseWhoseValuesFitIntoRegisters) {
  const Text module("declare signext i16 @f(ptr noundef, i8 zeroext, half, i1)\n"
                    "declare ptr @pointer()\ndeclare i64 @long()\ndeclare void @wide(double)\n"
                    "declare i32 @printf(ptr, ...)\n"
                    "declare void @many(i32, i32, i32, float, i32, i32)\n");
  EXPECT_THAT(declarationsIn(module.module()),
              ElementsAre("declare signext i16 @f(ptr, i8 zeroext, half, i1)"));
}
TEST(TileFunctions, CallTileCodeByTheirNames) {
  const std::string text =
      Text("declare zeroext i8 @f(ptr, i8 signext, float)\n").with(TileFunctionsPass()).text();
  EXPECT_THAT(text, AllOf(HasSubstr("@__copseTileFunction = external global ptr"),
                          HasSubstr("constant [2 x i8] c\"f\\00\""),
                          HasSubstr("define hidden zeroext i8 @f(ptr %0, i8 signext %1, float %2)"),
                          HasSubstr("ptrtoint ptr %0 to i64"), HasSubstr("sext i8 %1 to i32"),
                          HasSubstr("bitcast float %2 to i32"), HasSubstr("to i8\n  ret i8")));
}

} // namespace
} // namespace copse::popc
