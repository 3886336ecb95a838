// Tests that a module cut into parts defines each function and variable as often as a linker
// accepts, and that each part has everything that it uses.
#include "llvm_module.hpp"
#include "module_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace copse::popc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// The parts of a module that are no functions.
const std::string kHead = R"(target triple = "x86_64-pc-linux-gnu"

$_Z6inlinev = comdat any

@__copseTileId = weak global ptr null, align 8
@table = private unnamed_addr constant [3 x i8] c"@c\00"
@missing = external global i32
)";
const std::string kCounter = "@counter = internal global i32 0\n";
const std::string kTail = R"(
attributes #0 = { nounwind }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
)";

std::string define(const std::string &head, const std::vector<std::string> &uses = {}) {
  std::string text = "; Function Attrs: nounwind\ndefine " + head + " #0 {\n";
  for (std::size_t i = 0; i < uses.size(); ++i)
    text += "  %v" + std::to_string(i) + " = load i32, ptr " + uses[i] + "\n";
  return text + "  ret void\n}\n";
}

/// Returns the text of parts for which each function is large enough.
std::vector<std::string> partsWith(const std::string &functions) {
  std::vector<std::string> texts;
  for (const std::string &part : partsOf(test::Text(kHead + functions + kTail).module(), 1))
    texts.push_back(test::Text(part).text());
  return texts;
}

/// Returns how many of \p parts contain \p text.
std::size_t partsThatHave(const std::vector<std::string> &parts, const std::string &text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      parts, [&](const std::string &part) { return part.find(text) != std::string::npos; }));
}

TEST(ModuleParts, SeparateUnrelatedFunctions) {
  const auto parts = partsWith(define("weak_odr void @a()") + define("weak_odr void @b()"));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_THAT(parts[0], HasSubstr("@a()"));
  EXPECT_THAT(parts[0], Not(HasSubstr("@b()")));
  for (const std::string &part : parts)
    EXPECT_THAT(part, AllOf(HasSubstr("wchar_size"), Not(HasSubstr("@missing"))));
}

TEST(ModuleParts, AFunctionIsWithThoseThatUseIt) {
  const auto parts = partsWith(define("void @a()", {"@c"}) + define("void @b()") +
                               define("void @\"c d\"()") + define("void @c()"));
  ASSERT_THAT(parts, SizeIs(3));
  EXPECT_EQ(partsThatHave(parts, "void @c()"), 1u);
  EXPECT_THAT(parts[0], HasSubstr("void @a()"));
  EXPECT_THAT(parts[0], HasSubstr("void @c()"));
}

TEST(ModuleParts, AVariableKeepsItsFunctionsTogether) {
  const auto parts = partsWith(kCounter + define("void @a()", {"@counter"}) + define("void @b()") +
                               define("void @d()", {"@counter"}));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(partsThatHave(parts, "@counter = internal"), 1u);
  EXPECT_THAT(parts[0], HasSubstr("@a()"));
  EXPECT_THAT(parts[0], HasSubstr("@d()"));
}

TEST(ModuleParts, AHelperKeepsTheFunctionsOfItsVariableTogether) {
  const auto parts = partsWith(kCounter + define("void @a()", {"@_Z6inlinev"}) +
                               define("void @b()") + define("void @d()", {"@counter"}) +
                               define("linkonce_odr void @_Z6inlinev()", {"@counter"}));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(partsThatHave(parts, "@counter = internal"), 1u);
}

TEST(ModuleParts, HelpersAndConstantsAreCopied) {
  const auto parts = partsWith(
      define("void @a()", {"@_Z6inlinev", "@table", "@copse.round"}) +
      define("void @b()", {"@_Z6inlinev", "@table", "@copse.round", "@local"}) +
      define("internal void @local() unnamed_addr") + define("linkonce_odr void @_Z6inlinev()") +
      define("internal void @copse.round(float %x)"));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(partsThatHave(parts, "linkonce_odr void @_Z6inlinev()"), 2u);
  EXPECT_EQ(partsThatHave(parts, "@table = private"), 2u);
  EXPECT_EQ(partsThatHave(parts, "define internal void @copse.round"), 2u);
  EXPECT_EQ(partsThatHave(parts, "define internal void @local()"), 1u);
}

TEST(ModuleParts, DefineAFunctionWhoseAddressMattersOnce) {
  const auto parts = partsWith(define("void @a()", {"@local"}) + define("void @b()", {"@local"}) +
                               define("void @d()") + define("internal void @local()"));
  EXPECT_THAT(parts, SizeIs(2));
  EXPECT_EQ(partsThatHave(parts, "define internal void @local()"), 1u);
}

TEST(ModuleParts, ListTheirDefinitions) {
  const auto parts =
      partsWith("@llvm.compiler.used = appending global [3 x ptr] [ptr @a, ptr @__copseTileId, "
                "ptr @b], section \"llvm.metadata\"\n" +
                define("weak void @a()") + define("weak void @b()"));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_THAT(parts[0], HasSubstr("[2 x ptr] [ptr @a, ptr @__copseTileId], section"));
  EXPECT_THAT(parts[1], HasSubstr("[1 x ptr] [ptr @b], section"));
}

TEST(ModuleParts, KeepUnusedDefinitionsOfPopc) {
  const auto parts = partsWith(define("void @a()") + define("void @b()"));
  EXPECT_EQ(partsThatHave(parts, "@__copseTileId = weak"), 1u);
}

TEST(ModuleParts, KeepFunctionsOfPopcWithTheirCallees) {
  const auto parts =
      partsWith(define("void @a()") + define("weak void @__copseFunction_b()", {"@_Z6inlinev"}) +
                define("linkonce_odr void @_Z6inlinev()"));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(partsThatHave(parts, "weak void @__copseFunction_b()"), 1u);
  EXPECT_EQ(partsThatHave(parts, "linkonce_odr void @_Z6inlinev()"), 1u);
}

TEST(ModuleParts, ASmallModuleStaysWhole) {
  const test::Text module(kHead + define("void @a()") + define("void @b()") + kTail);
  EXPECT_THAT(partsOf(module.module(), 2), IsEmpty());
}

TEST(ModuleParts, AModuleThatCannotBeDividedStaysWhole) {
  const std::string functions = define("void @a()") + define("void @b()");
  for (const std::string line :
       {"module asm \"nop\"\n", "@c = alias void (), ptr @a\n",
        "@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer\n"})
    EXPECT_THAT(partsWith(line + functions), IsEmpty()) << line;
}

} // namespace
} // namespace copse::popc
