// Tests the checks before accesses that may be to tile memory, and the source positions that they
// report.
#include "access_checks.hpp"
#include "llvm_module.hpp"

#include "wire/codelet_abi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace copse::popc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kLines = R"(
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!7}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !DIFile(filename: "/user/add.cpp", directory: "")
!2 = !DIFile(filename: "/device/Vector.hpp", directory: "")
!3 = distinct !DISubprogram(name: "compute", file: !1, line: 8, type: !8, spFlags: DISPFlagDefinition, unit: !7)
!4 = distinct !DISubprogram(name: "at", file: !2, line: 90, type: !8, spFlags: DISPFlagDefinition, unit: !7)
!5 = !DILocation(line: 12, column: 3, scope: !3)
!6 = !DILocation(line: 91, column: 3, scope: !4, inlinedAt: !5)
!7 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1)
!8 = !DISubroutineType(types: !{})
)";

std::string checkedBody(const std::string &body, const std::string &function = "@f") {
  return test::Text("%class.Add = type { i32, i32, float }\n"
                    "@__copseCycleOffset = external global i64\n"
                    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
                    "define void " +
                    function + "(ptr %0, i64 %1, ptr %from) {\n" + body + "  ret void\n}\n" +
                    kLines)
      .with(AccessChecksPass("/device"))
      .text();
}

/// Matches the call before an access.
auto hasCheck(const std::string &pointer, const std::string &bytes, unsigned flags) {
  return HasSubstr("(ptr " + pointer + ", i64 " + bytes + ", i32 " + std::to_string(flags) +
                   ", ptr @copse.site)");
}
const auto kHasNone = Not(HasSubstr("@copse.site"));

TEST(AccessChecks, PrecedeLoads) {
  EXPECT_THAT(checkedBody("  %3 = load <2 x float>, ptr %0, align 8\n"), hasCheck("%0", "8", 8));
}
TEST(AccessChecks, PrecedeStores) {
  EXPECT_THAT(checkedBody("  store i16 7, ptr %0, align 2\n"),
              hasCheck("%0", "2", wire::kCheckedStore | 2));
}
TEST(AccessChecks, CoverBothSidesOfACopy) {
  const std::string copy = "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %0, ptr align 2 %from, "
                           "i64 %1, i1 false)\n";
  EXPECT_THAT(checkedBody(copy), hasCheck("%0", "%1", wire::kCheckedStore | 4));
  EXPECT_THAT(checkedBody(copy), hasCheck("%from", "%1", 2));
}
TEST(AccessChecks, SkipVariablesOfTheFunction) {
  EXPECT_THAT(checkedBody("  %3 = alloca [4 x i32], align 4\n"
                          "  %4 = getelementptr i32, ptr %3, i64 %1\n"
                          "  store i32 0, ptr %4, align 4\n"),
              kHasNone);
}
TEST(AccessChecks, SkipGlobalVariables) {
  EXPECT_THAT(checkedBody("  %3 = load i64, ptr @__copseCycleOffset, align 8\n"), kHasNone);
}
TEST(AccessChecks, SkipLoadsOfVertexState) {
  const std::string load = "  %3 = getelementptr inbounds %class.Add, ptr %0, i64 0, i32 2\n"
                           "  %4 = load float, ptr %3, align 4\n";
  EXPECT_THAT(checkedBody(load, "@__runCodelet_Add"), kHasNone);
  EXPECT_THAT(checkedBody(load), hasCheck("%3", "4", 4));
}
const std::string kLoop = "  br label %loop\n"
                          "loop:\n"
                          "  %i = phi i64 [ 0, %2 ], [ %next, %loop ]\n"
                          "  %at = getelementptr inbounds float, ptr %0, i64 %i\n"
                          "  %x = load float, ptr %at, align 4\n"
                          "  %next = add nuw nsw i64 %i, 1\n";
const std::string kLoopEnd = "  br i1 %end, label %out, label %loop\nout:\n";

TEST(AccessChecks, AreHoistedOutOfCountedLoops) {
  const std::string text = checkedBody(kLoop + "  %end = icmp eq i64 %next, %1\n" + kLoopEnd);
  const auto range = text.find("load ptr, ptr @" + std::string(wire::kCheckRangeSymbol));
  ASSERT_NE(range, std::string::npos) << text;
  EXPECT_LT(range, text.find("br label %loop"));
  EXPECT_THAT(text, HasSubstr("call void @copse.checkUnless(ptr %at, i64 4, i32 4, ptr "
                              "@copse.site, i1 %copse.range.good)"));
}
TEST(AccessChecks, StayInLoopsForStoresIfTheLoopLoadsElsewhere) {
  const std::string text = checkedBody(kLoop +
                                       "  store float %x, ptr %at, align 4\n"
                                       "  %other = load ptr, ptr %at, align 4\n"
                                       "  %y = load float, ptr %other, align 4\n"
                                       "  %end = icmp eq i64 %next, %1\n" +
                                       kLoopEnd);
  EXPECT_THAT(text, hasCheck("%at", "4", wire::kCheckedStore | 4));
  EXPECT_THAT(text, HasSubstr("(ptr %at, i64 4, i32 4, ptr @copse.site, i1 %copse.range.good)"));
}
TEST(AccessChecks, StayInUncountedLoops) {
  const std::string text = checkedBody(kLoop + "  %end = fcmp oeq float %x, 0.0\n" + kLoopEnd);
  EXPECT_THAT(text, hasCheck("%at", "4", 4));
  EXPECT_THAT(text, Not(HasSubstr("%copse.range.good")));
}
TEST(AccessChecks, NameTheUsersLineForAccessesInDeviceHeaders) {
  EXPECT_THAT(checkedBody("  %3 = load float, ptr %0, align 4, !dbg !6\n"),
              HasSubstr("[17 x i8] c\"/user/add.cpp:12\\00\""));
}

} // namespace
} // namespace copse::popc
