// Tests the code that counts cycles, and where a function adds its count to the thread's.
// cycle_counting_test.cpp tests the cycles.
#include "cycle_counting.hpp"
#include "llvm_module.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace copse::popc {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string counted(const std::string &functions, Architecture arch = Architecture::Ipu2) {
  return test::Text("target datalayout = \"e-i64:64-n8:16:32:64-S128\"\n"
                    "@__copseCycleOffset = external global i64\n"
                    "@__copseReadRegister = external global ptr\n"
                    "@__copseMatrix = external global ptr\n" +
                    functions)
      .with(CycleCountingPass(arch))
      .text();
}
std::string countedBody(const std::string &body) {
  return counted("define void @f(ptr %p, i64 %n, i16 %short) {\n" + body + "  ret void\n}\n");
}

TEST(CycleCountingPass, AddsTheCountToTheThreadWhereAFunctionReturns) {
  EXPECT_THAT(countedBody("  store float 1.0, ptr %p\n"),
              AllOf(HasSubstr("%copse.count.0 = alloca i64"),
                    ContainsRegex("add i64 %[0-9]+, 2\n"), // st32, br $lr
                    HasSubstr("load i64, ptr @__copseCycleOffset"),
                    HasSubstr("call ptr @llvm.thread.pointer()")));
}
TEST(CycleCountingPass, LeavesFunctionsOfPopcAlone) {
  for (const std::string name : {"copse.fadd.half", "_Z16__builtin_ipu_fov"})
    EXPECT_THAT(
        counted("define void @" + name + "(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n"),
        Not(HasSubstr("alloca")))
        << name;
}
TEST(CycleCountingPass, PermitsCountingFunctionsToAccessMemory) {
  const std::string text = counted("define i32 @f(i32 %x) memory(none) speculatable {\n  %y = mul "
                                   "i32 %x, %x\n  ret i32 %y\n}\ndefine i32 @g(i32 %x) {\n  %y = "
                                   "call i32 @f(i32 %x) memory(none)\n  ret i32 %y\n}\n");
  EXPECT_THAT(text,
              AllOf(HasSubstr("define i32 @f(i32 %x) {"), HasSubstr("call i32 @f(i32 %x)\n")));
}
TEST(CycleCountingPass, HandsTheCountOverBeforeCodeThatMayReadIt) {
  const auto body = [](const std::string &service) {
    return countedBody("  store float 1.0, ptr %p\n  %g = load ptr, ptr @" + service +
                       "\n  call void %g()\n");
  };
  const std::string place = "store i64 0, ptr %copse.count.0, align 8\n  call void %g()";
  EXPECT_THAT(body("__copseReadRegister"), HasSubstr(place));
  EXPECT_THAT(body("__copseMatrix"), Not(HasSubstr(place)));
}

/// Returns a loop over floats.
std::string loop(const std::string &bound, const std::string &step = "1") {
  return "  br label %loop\nloop:\n  %i = phi i64 [ 0, %0 ], [ %next, %loop ]\n"
         "  %at = getelementptr float, ptr %p, i64 %i\n  %x = load float, ptr %at\n"
         "  %y = fadd float %x, 1.0\n  store float %y, ptr %at\n  %next = add nuw i64 %i, " +
         step + "\n  %end = icmp eq i64 %next, " + bound + "\n  br i1 %end, label %out, label " +
         "%loop\nout:\n";
}
auto takes(unsigned cyclesOfTurn) {
  return ::testing::ContainsRegex("add i64 %[0-9]+, " + std::to_string(cyclesOfTurn) +
                                  "\n  store i64 %[0-9]+, ptr %copse.count.1");
}

TEST(CycleCountingPass, CountsALevelOfLoopsInAVariable) {
  EXPECT_THAT(countedBody(loop("%n")), AllOf(HasSubstr("%copse.count.1 = alloca i64"), takes(4)))
      << "ld32, f32add, st32, brnzdec";
}
TEST(CycleCountingPass, TakesNoBranchForACountThatFitsTheHardwaresField) {
  EXPECT_THAT(countedBody(loop("1000")), takes(3));
  EXPECT_THAT(countedBody(loop("70000")), takes(4));
  EXPECT_THAT(countedBody("  %m = zext i16 %short to i64\n" + loop("%m")), takes(3));
}
TEST(CycleCountingPass, ComparesInLoopsWhoseCountNeedsADivision) {
  EXPECT_THAT(countedBody(loop("%n", "6")), takes(6));
}

} // namespace
} // namespace copse::popc
