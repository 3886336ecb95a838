#include "assembly_statements.hpp"
#include "tile_memory.hpp"

#include "popc/stand_in.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace copse::popc {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

AssemblyStatement onlyStatementOf(const std::string &source) {
  const auto found = withTileAssembly(source).statements;
  EXPECT_EQ(found.size(), 1U) << source;
  return found.empty() ? AssemblyStatement{} : found.begin()->second;
}

TEST(AssemblyStatements, HideClobbersOfTheTileFromTheCompiler) {
  const std::string source =
      "void f() { __asm__ __volatile__(\"nop\" ::: \"$a2:3\", \"memory\", \"$m0\"); }\n";
  EXPECT_THAT(onlyStatementOf(source).clobbers, ElementsAre("$a2:3", "$m0"));
  EXPECT_THAT(withTileAssembly(source).text,
              AllOf(HasSubstr(R"("cc", "memory", "cc")"), Not(HasSubstr("$"))));
}

TEST(AssemblyStatements, CountInputsThroughNestedParenthesesAndStrings) {
  const AssemblyStatement statement =
      onlyStatementOf("void f() { asm(R\"x(nop ) \" :)x\" \"%0\" : [a] \"=r\"(x[g(1, 2)]), "
                      "\"+r\"(*p) : [b] \"r\"(c ? (d) : e), "
                      "\"i\"(sizeof(\",)\"[0])) : \"memory\"); }\n");
  EXPECT_EQ(statement.inputs, 2U);
  EXPECT_THAT(statement.kinds, ElementsAre(0U, 1U, 2U));
}

TEST(AssemblyStatements, ExcludeNamesOfDeclarations) {
  for (const char *source :
       {"int f(const char *, ...) __asm__(\"\" \"name\") __attribute__((nonnull));\n",
        "const char *s = \"asm(\\\"x\\\" : \\\"=r\\\"(x))\"; char c = '\"';\n",
        "// asm(\"x\" : \"=r\"(x));\n", "void f() { asm volatile(\"\"); }\n"})
    EXPECT_THAT(withTileAssembly(source).text, std::string(source));
}

TEST(AssemblyStatements, KeepTheLinesOfTheSource) {
  const std::string source =
      "# 7 \"/a/b.cpp\"\nint x;\nvoid f() {\n  asm(\"nop\" ::: \"$m0\");\n}\n";
  const SourceWithAssembly found = withTileAssembly(source);
  ASSERT_EQ(found.statements.size(), 1U);
  EXPECT_EQ(placeIn(found.text, found.statements.begin()->first).text(), "/a/b.cpp:9");
}

TEST(AssemblyStatements, KnowTheRegistersOfVariablesWhileTheyAreInScope) {
  const std::string source =
      "int *global asm(\"$m1\");\n"
      "void f() { register int *p asm(\"$m2\") = g(), *q __asm__(\"$m3\");\n"
      "  { float x asm(\"$a4\"); asm(\"\" : \"=r\"( x ) : \"r\"(p), \"r\"(q + 1)); }\n"
      "  asm(\"\" :: \"r\"(x), \"r\"(q)); }\n";
  const SourceWithAssembly found = withTileAssembly(source);
  ASSERT_EQ(found.statements.size(), 2U);
  using Registers = std::map<unsigned, std::string>;
  EXPECT_EQ(found.statements.begin()->second.registers, (Registers{{0, "$a4"}, {1, "$m2"}}));
  EXPECT_EQ(found.statements.rbegin()->second.registers, (Registers{{1, "$m3"}}));
  EXPECT_THAT(found.text,
              AllOf(HasSubstr("asm(\"$m1\")"), Not(HasSubstr("register")), Not(HasSubstr("$m2"))));
}

/// Tests popc's messages about inline assembly.
class InlineAssembly : public ::testing::Test {
protected:
  static std::string codelet(const std::string &body) {
    return "#include <poplar/Vertex.hpp>\n"
           "struct A : poplar::Vertex {\n"
           "  poplar::InOut<int> x;\n"
           "  poplar::InOut<float> f;\n"
           "  bool compute() {\n" +
           body + "\n    return true;\n  }\n};\n";
  }
  static Module compiled(const std::string &body, Architecture arch = Architecture::Ipu2,
                         const std::vector<std::string> &flags = {}) {
    CompileOptions options;
    options.targets = {arch};
    options.flags = flags;
    return compileSource(codelet(body), "mine.cpp", options).at(0);
  }
  static std::string errorOf(const std::string &body) {
    try {
      compiled(body);
    } catch (const CompileError &error) {
      return error.what();
    }
    ADD_FAILURE() << "compiled: " << body;
    return "";
  }
  test::OwnCache cache_;
};

/// After one word of other code, the body of each of these is at a multiple of 8 bytes or is not.
TEST_F(InlineAssembly, MayRepeatWithRptAfterAnyCode) {
  for (const std::string before : {"", "nop\\n", "nop\\nnop\\n"})
    EXPECT_NO_THROW(compiled("int n = 4; asm volatile(\"" + before +
                             "{ rpt %[n], 0; fnop }\\n{ add %[x], %[x], 1; fnop }\" : [x] "
                             "\"+r\"(*x) : [n] \"r\"(n));"))
        << before;
  EXPECT_THAT(errorOf("int n = 4; asm volatile(\"rpt %[n], 0\\nnop\" :: [n] \"r\"(n));"),
              HasSubstr("rpt"));
}

/// A body, whose first line is line 6, and the message about it.
struct BadAssembly {
  const char *body, *place, *words;
};
const BadAssembly kBad[] = {
    {"asm(\"f32nonsense $a0\");", "mine.cpp:6", "f32nonsense"},
    {"asm(\"nop\\n\"\n\"nop\\n\"\n\"ld32 $a0\");", "mine.cpp:8", "ld32"},
    {"asm(R\"(\n nop\n f32add $m0, $a0, $a0\n)\");", "mine.cpp:8", "f32add"},
    {"asm(\"f32add %0, %0, %0\" : \"+r\"(*x));", "mine.cpp:6", "$a register"},
    {"double d = 1; asm(\"mov $a0, %0\" :: \"r\"(d));", "mine.cpp:6", "double"},
    {"asm(\"setzi $m0, nowhere\");", "mine.cpp:6", "nowhere"},
    {"asm(\"nop\" ::: \"$q7\");", "mine.cpp:6", "$q7"},
    {"asm(\"ld32 $m0, $mzero, %0, 0\" :: \"m\"(*x));", "mine.cpp:6", "constraint"},
    {"asm(\"add $m0, $m0, %0\" :: \"n\"(5000000));", "mine.cpp:6", "5000000"},
    {"float v asm(\"$m2\") = 1; asm(\"mov $a0, %0\" :: \"r\"(v));", "mine.cpp:6", "'$m2'"},
    {"asm(\"add %0, %0, 1\" : \"+r\"(*x) :: \"$m0:1\", \"$m2:3\", \"$m4:5\", \"$m6:7\", \"$m8:9\", "
     "\"$m10\");",
     "mine.cpp:6", "fewer registers"},
    {"asm(\".macro two R\\n nop\\n .endm\"::);\nasm(\"nop\\n two $m0, 1\"::);", "mine.cpp:7",
     "two"},
    {"asm(\".macro two\\n nop\\n .endm\"::);\nasm(\".purgem two\"::);\nasm(\"two\"::);",
     "mine.cpp:8", "two"},
    {"asm(\".data\\n .long 4\\n .text\\n nop\");", "mine.cpp:6", ".S file"},
};

TEST_F(InlineAssembly, ErrorsNameTheLineOfTheSource) {
  for (const BadAssembly &bad : kBad)
    EXPECT_THAT(errorOf(bad.body), AllOf(HasSubstr(bad.place), HasSubstr(bad.words))) << bad.body;
}

bool holds(const Module &module, std::string_view text) {
  const std::string_view elf(reinterpret_cast<const char *>(module.elf.data()), module.elf.size());
  return elf.find(text) != std::string_view::npos;
}

TEST_F(InlineAssembly, IsNotExecutedWithoutInstructions) {
  EXPECT_FALSE(
      holds(compiled("asm volatile(\"# a comment\" ::: \"memory\"); asm(\"\" : \"+r\"(*x));"),
            "copse_assembly"));
  EXPECT_FALSE(holds(compiled("asm volatile(\"nop\\n{ nop; fnop }\");"), "copse_assembly"));
  EXPECT_TRUE(holds(compiled("asm volatile(\"nop\\ntrap 0\");"), "copse_assembly"));
}

TEST_F(InlineAssembly, IsPassedToTheHostsCompilerForCpuTargets) {
  const Module module = compiled("asm(\"incl %0\" : \"+r\"(*x));", Architecture::Cpu);
  EXPECT_FALSE(holds(module, "copse_assembly"));
}

TEST_F(InlineAssembly, SupervisorInstructionCausesAWarning) {
  ::testing::internal::CaptureStderr();
  compiled("asm volatile(\"sync %0\" :: \"i\"(2));");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("mine.cpp:6: warning:"), HasSubstr("supervisor")));
}

constexpr const char *kSupervisor =
    "#include <poplar/Vertex.hpp>\n"
    "struct S : poplar::SupervisorVertex {\n"
    "  poplar::InOut<int> x;\n"
    "  __attribute__ (( target ( \"supervisor\" ), noinline )) bool compute() {\n"
    "    unsigned *f; asm volatile(\"setzi %0, __runCodelet_W\" : \"=r\"(f));\n"
    "    asm volatile(\"runall %0, %1, 0\\nsync 2\" :: \"r\"(f), \"r\"(this));\n"
    "#ifdef __SUPERVISOR__\n"
    "    *x = 1;\n"
    "#endif\n"
    "    return true;\n  }\n};\n";

TEST_F(InlineAssembly, InASupervisorVertexCausesNoWarningAndKeepsItsCodeletNames) {
  ::testing::internal::CaptureStderr();
  CompileOptions options;
  options.targets = {Architecture::Ipu2};
  const Module module = compileSource(kSupervisor, "mine.cpp", options).at(0);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
  ASSERT_THAT(standInOf(module), HasSubstr("__copseSupervisors_"));
  const TileCodeUse use = useOf(*module.object);
  ASSERT_EQ(use.symbols.size(), 1U);
  EXPECT_EQ(use.symbols[0].name, "__runCodelet_W");
  EXPECT_THAT(use.symbols[0].file, HasSubstr("mine.cpp"));
  EXPECT_EQ(use.symbols[0].line, 5U);
}

TEST_F(InlineAssembly, InASupervisorVertexIsTheSameInTheGpFile) {
  CompileOptions options;
  options.targets = {Architecture::Ipu2};
  const std::vector<Module> modules = compileSource(kSupervisor, "mine.cpp", options);
  std::stringstream gp;
  writeGp(gp, modules);
  const Module read = readGp(gp, "a.gp").at(0);
  EXPECT_EQ(standInOf(read), standInOf(modules.at(0)));
  EXPECT_EQ(read.elf, modules.at(0).elf);
}

TEST_F(InlineAssembly, IsCompiledForTheSupervisorOnRequest) {
  CompileOptions options;
  options.targets = {Architecture::Ipu2};
  const Module without = compileSource(kSupervisor, "mine.cpp", options).at(0);
  options.flags = {"-msupervisor"};
  const Module with = compileSource(kSupervisor, "mine.cpp", options).at(0);
  EXPECT_NE(with.sha256, without.sha256); // __SUPERVISOR__ is defined
}

TEST_F(InlineAssembly, CausesNoCompilerWarnings) {
  ::testing::internal::CaptureStderr();
  compiled("const int *p = &*x; int y; asm volatile(\"ld32 %0, $mzero, %1, 0\" : \"=r\"(y) : "
           "\"r\"(p++)); *x = y;",
           Architecture::Ipu2, {"-Wall", "-Wextra", "-Werror"});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
}

} // namespace
} // namespace copse::popc
