#include "tile_memory.hpp"

#include "assembler/object.hpp"
#include "popc/arch.hpp"
#include "popc/child_process.hpp"
#include "popc/objdump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>

namespace copse::popc {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class PopcTool : public ::testing::Test {
protected:
  ChildResult popc(std::vector<std::string> arguments, const std::string &input = "") {
    arguments.insert(arguments.begin(), COPSE_POPC);
    return runChild(arguments, input, folder_.path().string(), std::chrono::seconds(60));
  }
  void write(const std::string &file, const std::string &name) {
    std::ofstream(folder_.path() / file) << source(name);
  }
  static std::string source(const std::string &name) {
    return "#include <poplar/Vertex.hpp>\nclass " + name +
           " : public poplar::Vertex { public: int n; bool compute() { return n; } };\n";
  }
  std::vector<Module> modulesOf(const std::string &file) {
    return compileFile((folder_.path() / file).string(), {});
  }
  test::OwnCache cache_;
  test::TemporaryFolder folder_;
};

TEST_F(PopcTool, KeepsTheCompilersVersionText) {
  write("a.cpp", "A");
  const auto answers = cache_.path() / "compilers";
  const auto compileAgain = [&] {
    std::filesystem::remove_all(cache_.path() / "codelets");
    EXPECT_EQ(popc({"a.cpp", "-o", "a.gp"}).exitCode, 0);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(answers), {}), 1);
    return std::filesystem::directory_iterator(answers)->path();
  };
  const auto answer = compileAgain();
  const auto bytes = std::filesystem::file_size(answer);
  std::filesystem::resize_file(answer, bytes - 1);
  EXPECT_EQ(compileAgain(), answer);
  EXPECT_EQ(std::filesystem::file_size(answer), bytes) << "a damaged answer is asked for again";
}

TEST_F(PopcTool, CompilesOnceIfManyProcessesBeginAtOnce) {
  std::ofstream(folder_.path() / "a.cpp") << "#warning told\n" << source("A");
  std::vector<std::future<ChildResult>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::async(std::launch::async, [&, i] {
      return popc({"--target", "ipu2", "a.cpp", "-o", std::to_string(i) + ".gp"});
    }));
  unsigned compilations = 0;
  for (auto &one : all) {
    const ChildResult result = one.get();
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    compilations += result.errors.find("told") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(compilations, 1u);
}

TEST_F(PopcTool, ListsItsTargets) {
  const ChildResult result = popc({"--list-targets"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.output, "cpu,ipu1,ipu2,ipu21\n");
}

TEST_F(PopcTool, PrintsVersionAndHelp) {
  // Scripts use the third word as the version of Poplar. A framework searches for a hash of 10 to
  // 32 letters and digits.
  EXPECT_THAT(popc({"--version"}).output,
              MatchesRegex("POPLAR version 2\\.2\\.0 \\([0-9a-z]{10,32}\\)\n"
                           "copse [0-9.]+ \\([0-9a-z]{10,32}\\), Poplar API 2\\.2\\.0\n"));
  EXPECT_THAT(popc({"--help"}).output, HasSubstr("--target"));
}

TEST_F(PopcTool, CompilesForAllTargetsByDefault) {
  write("a.cpp", "A");
  const ChildResult result = popc({"-O2", "a.cpp", "-o", "a.gp"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const auto modules = modulesOf("a.gp");
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[0].arch, Architecture::Cpu);
  EXPECT_EQ(modules[2].arch, Architecture::Ipu2);
}

TEST_F(PopcTool, AcceptsTargetsInEverySpelling) {
  write("a.cpp", "A");
  for (const std::vector<std::string> &target : std::vector<std::vector<std::string>>{
           {"-target=ipu2"}, {"--target=ipu2"}, {"--target", "ipu2"}, {"-target", "ipu2"}}) {
    std::vector<std::string> arguments{"a.cpp", "-o", "a.gp"};
    arguments.insert(arguments.end(), target.begin(), target.end());
    EXPECT_EQ(popc(arguments).exitCode, 0);
    EXPECT_EQ(modulesOf("a.gp").size(), 1u);
  }
}

TEST_F(PopcTool, JoinsSourcesAndPartialFiles) {
  write("a.cpp", "A");
  write("b.cpp", "B");
  ASSERT_EQ(popc({"--target", "ipu2", "a.cpp", "-o", "a.gp"}).exitCode, 0);
  ASSERT_EQ(popc({"--target", "ipu2", "-o", "ab.gp", "a.gp", "b.cpp"}).exitCode, 0);
  const auto modules = modulesOf("ab.gp");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].vertices.at(0).name, "A");
  EXPECT_EQ(modules[1].vertices.at(0).name, "B");
}

TEST_F(PopcTool, ReadsStandardInput) {
  ASSERT_EQ(popc({"--target", "cpu", "-", "-o", "in.gp"}, source("FromStdin")).exitCode, 0);
  const Module module = modulesOf("in.gp").at(0);
  EXPECT_EQ(module.vertices.at(0).name, "FromStdin");
  EXPECT_THAT(module.definitions, ::testing::IsEmpty()) << "others have no use for its entry point";
  EXPECT_THAT(module.sources, ::testing::IsEmpty());
}

TEST_F(PopcTool, DefinesTheMacroOfTheTileForIpuTargetsOnly) {
  std::ofstream(folder_.path() / "i.cpp") << "#ifndef __IPU__\n#error no ipu\n#endif\n"
                                          << source("I");
  EXPECT_EQ(popc({"--target", "ipu1,ipu2,ipu21", "i.cpp", "-o", "i.gp"}).exitCode, 0);
  EXPECT_EQ(popc({"--target", "ipu2", "-U__IPU__", "i.cpp", "-o", "i.gp"}).exitCode, 1);
  EXPECT_EQ(popc({"--target", "cpu", "i.cpp", "-o", "i.gp"}).exitCode, 1);
}

TEST_F(PopcTool, LinksItsSourcesWithEachOther) {
  std::ofstream(folder_.path() / "helper.cpp") << "int helper(int x) { return x + 1; }\n";
  std::ofstream(folder_.path() / "v.cpp")
      << "#include <poplar/Vertex.hpp>\nint helper(int);\nclass V : public poplar::Vertex { "
         "public: int n; bool compute() { return helper(n) == 42; } };\n";
  const ChildResult result = popc({"v.cpp", "helper.cpp", "-o", "v.gp"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const auto modules = modulesOf("v.gp");
  ASSERT_EQ(modules.size(), 3u); // one for each target
  const test::OpenModule opened(modules.at(2));
  test::TileMemory tile(21);
  test::VertexState state(tile, opened.vertex("V"));
  state.set("n", 41);
  EXPECT_TRUE(opened.entry("V")(state.native(), 0));
}

TEST_F(PopcTool, AcceptsTargetsAsJson) {
  std::ofstream(folder_.path() / "a.cpp") << source("A") << "#ifdef MORE\n"
                                          << source("B") << "#endif\n";
  const ChildResult result = popc({"a.cpp", "-o", "a.gp", "--target",
                                   R"(["cpu", {"name": "ipu2"},
                {"name": "ipu2:more", "arch": "ipu2", "compile-flags": ["-DMORE"]}])"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const auto modules = modulesOf("a.gp");
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[0].arch, Architecture::Cpu);
  EXPECT_EQ(modules[1].arch, Architecture::Ipu2);
  EXPECT_EQ(modules[1].variant, "");
  EXPECT_EQ(modules[1].vertices.size(), 1u);
  EXPECT_EQ(modules[2].arch, Architecture::Ipu2);
  EXPECT_EQ(modules[2].variant, "ipu2:more");
  EXPECT_EQ(modules[2].vertices.size(), 2u);
}

/// Returns a vertex with a field of another type on the tile, and additional source for the tile.
std::string branchedSource(const std::string &elsewhere) {
  return "#include <poplar/Vertex.hpp>\n"
         "#ifdef __IPU__\nusing Count = unsigned short;\nstatic int more() { return 0; }\n#else\n"
         "using Count = unsigned;\n" +
         elsewhere +
         "\n#endif\n"
         "class V : public poplar::Vertex { public: Count n; bool compute() { return int(n) + "
         "more() == 42; } };\n";
}

TEST_F(PopcTool, AddsTheBranchesForOtherProcessorsForIpuModels) {
  std::ofstream(folder_.path() / "v.cpp") << branchedSource("static int more() { return 0; }");
  ASSERT_EQ(popc({"--target", "cpu,ipu2", "v.cpp", "-o", "v.gp"}).exitCode, 0);
  const auto modules = modulesOf("v.gp");
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[1].variant, "");
  EXPECT_EQ(modules[1].vertices.at(0).fields.at(0).type, ElementType::UnsignedShort);
  EXPECT_EQ(modules[2].arch, Architecture::Ipu2);
  EXPECT_EQ(modules[2].variant, "ipu2:model");
  EXPECT_EQ(modules[2].vertices.at(0).fields.at(0).type, ElementType::UnsignedInt);
}

TEST_F(PopcTool, AddsNothingForIpuModelsIfTheOtherBranchesDoNotCompile) {
  std::ofstream(folder_.path() / "v.cpp") << branchedSource("#error for IPUs only");
  const ChildResult result = popc({"--target", "ipu2", "v.cpp", "-o", "v.gp"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(modulesOf("v.gp").size(), 1u);
}

TEST_F(PopcTool, LinksCodeForIpuModelsWithSourcesThatHaveNoBranches) {
  std::ofstream(folder_.path() / "v.cpp") << branchedSource("int more();");
  std::ofstream(folder_.path() / "more.cpp") << "int more() { return 1; }\n";
  for (const std::string name : {"v", "more"})
    ASSERT_EQ(popc({"--target", "ipu2", name + ".cpp", "-o", name + ".gp"}).exitCode, 0);
  const ChildResult result = popc({"v.gp", "more.gp", "-o", "all.gp"});
  ASSERT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.errors, "");
  const auto modules = modulesOf("all.gp");
  ASSERT_EQ(modules.size(), 3u);
  ASSERT_EQ(modules[1].variant, "ipu2:model");
  const test::OpenModule opened(modules[1]);
  test::TileMemory tile(21);
  test::VertexState state(tile, opened.vertex("V"));
  state.set("n", 41);
  EXPECT_TRUE(opened.entry("V")(state.native(), 0));
}

TEST_F(PopcTool, RefusesJsonThatNamesNoTargets) {
  write("a.cpp", "A");
  const auto errorsFor = [&](const std::string &targets) {
    const ChildResult result = popc({"a.cpp", "-o", "a.gp", "--target", targets});
    EXPECT_EQ(result.exitCode, 2) << targets;
    return result.errors;
  };
  EXPECT_THAT(errorsFor(R"(["ipu7"])"), HasSubstr("unknown target 'ipu7'; there are cpu,ipu1"));
  EXPECT_THAT(errorsFor(R"(["ipu2")"), HasSubstr("is no list of targets"));
  EXPECT_THAT(errorsFor(R"([{"arch": "ipu2"}])"), HasSubstr("is no list of targets"));
  EXPECT_THAT(errorsFor("[]"), HasSubstr("--target needs a list"));
}

/// Two sources, each of which uses something of the other, and whose .gp files are compiled
/// separately.
class PartialGpFiles : public PopcTool {
protected:
  PartialGpFiles() {
    std::ofstream(folder_.path() / "v.cpp")
        << "#include <poplar/Vertex.hpp>\nnamespace lib { int helper(int); int step() { return 1; "
           "} }\n"
           "class V : public poplar::Vertex { public: int n; bool compute() { return "
           "lib::helper(n) == 42; } };\n";
    std::ofstream(folder_.path() / "helper.cpp")
        << "namespace lib { int step(); extern const int zero; int helper(int x) { return x + "
           "step() + zero; } }\n";
    std::ofstream(folder_.path() / "zero.cpp")
        << "namespace lib { extern const int zero; const int zero = 0; }\n";
  }
  void compileApart(const std::vector<std::string> &flags = {}) {
    for (const std::string name : {"v", "helper", "zero"}) {
      std::vector<std::string> arguments{name + ".cpp", "-o", name + ".gp"};
      arguments.insert(arguments.end(), flags.begin(), flags.end());
      const ChildResult result = popc(arguments);
      EXPECT_EQ(result.exitCode, 0) << result.errors;
      warnings_ += result.errors;
    }
  }
  std::string warnings_;
};

TEST_F(PartialGpFiles, WarnAboutMissingSymbols) {
  compileApart();
  EXPECT_THAT(warnings_, HasSubstr("v.cpp: warning: undefined symbol 'lib::helper(int)'"));
  EXPECT_THAT(warnings_, HasSubstr("helper.cpp: warning: undefined symbol 'lib::step()'"));
  EXPECT_THAT(warnings_, HasSubstr("helper.cpp: warning: undefined symbol 'lib::zero'"));
  EXPECT_THROW(checkComplete(modulesOf("v.gp")), CompileError);
}

TEST_F(PartialGpFiles, AreLinkedWithEachOther) {
  compileApart();
  const ChildResult result = popc({"v.gp", "helper.gp", "zero.gp", "-o", "all.gp"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const auto modules = modulesOf("all.gp");
  EXPECT_NO_THROW(checkComplete(modules));
  for (const Module &module : modules) {
    if (module.vertices.empty())
      continue;
    const test::OpenModule opened(module);
    test::TileMemory tile(21);
    test::VertexState state(tile, opened.vertex("V"));
    state.set("n", 41);
    EXPECT_TRUE(opened.entry("V")(state.native(), 0)) << traitsOf(module.arch).name;
  }
}

TEST_F(PartialGpFiles, MayBeLinkedInSteps) {
  compileApart({"--target", "ipu2"});
  const ChildResult first = popc({"v.gp", "helper.gp", "-o", "some.gp"});
  EXPECT_EQ(first.exitCode, 0);
  EXPECT_THAT(first.errors, HasSubstr("'lib::zero'"));
  EXPECT_EQ(popc({"some.gp", "zero.gp", "-o", "all.gp"}).exitCode, 0);
  EXPECT_NO_THROW(checkComplete(modulesOf("all.gp")));
}

TEST_F(PartialGpFiles, MayBeLinkedWithoutTheirSources) {
  compileApart({"--target", "ipu2"});
  const test::TemporaryFolder elsewhere;
  for (const char *const file : {"v.gp", "helper.gp", "zero.gp"})
    std::filesystem::copy(folder_.path() / file, elsewhere.path() / file);
  std::filesystem::remove_all(folder_.path());
  const ChildResult result = runChild({COPSE_POPC, "v.gp", "helper.gp", "zero.gp", "-o", "all.gp"},
                                      "", elsewhere.path().string(), std::chrono::seconds(60));
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_NO_THROW(checkComplete(compileFile((elsewhere.path() / "all.gp").string(), {})));
}

TEST_F(PartialGpFiles, NameDuplicateDefinitions) {
  compileApart({"--target", "ipu2"});
  std::ofstream(folder_.path() / "zero.cpp")
      << "namespace lib { extern const int zero; const int zero = 0; int step() { return 2; } }\n";
  EXPECT_EQ(popc({"zero.cpp", "--target", "ipu2", "-o", "zero.gp"}).exitCode, 0);
  const ChildResult result = popc({"v.gp", "helper.gp", "zero.gp", "-o", "all.gp"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("error: duplicate symbol 'lib::step()'"));
}

TEST_F(PopcTool, TreatsAMissingSymbolOfCAsTileCodeForIpuTargets) {
  std::ofstream(folder_.path() / "v.cpp")
      << "#include <poplar/Vertex.hpp>\nextern \"C\" int helper(int);\nclass V : public "
         "poplar::Vertex { public: int n; bool compute() { return helper(n) == 42; } };\n";
  EXPECT_EQ(popc({"v.cpp", "--target", "ipu1,ipu2", "-o", "v.gp"}).exitCode, 0);
  for (const Module &module : modulesOf("v.gp"))
    EXPECT_THAT(module.tileFunctions, ::testing::ElementsAre("helper"));
  const ChildResult result = popc({"v.cpp", "--target", "cpu", "-o", "v.gp"});
  EXPECT_THAT(result.errors, HasSubstr("v.cpp: warning: undefined symbol 'helper'"));
}

TEST_F(PopcTool, NamesASymbolThatTwoSourcesDefineAndBothSources) {
  write("v.cpp", "V");
  for (const char *file : {"one.cpp", "two.cpp"})
    std::ofstream(folder_.path() / file) << "int helper(int x) { return x + 1; }\n";
  const ChildResult result = popc({"v.cpp", "one.cpp", "two.cpp", "-o", "v.gp"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors,
              ::testing::AllOf(HasSubstr("two.cpp: error: duplicate symbol 'helper(int)'"),
                               HasSubstr("one.cpp defines it, too")));
}

TEST_F(PopcTool, NamesAVertexWithAnEntryInBothLanguages) {
  write("v.cpp", "V");
  std::ofstream(folder_.path() / "v.S") << ".globl __runCodelet_V\n__runCodelet_V: exitz $mzero\n";
  const ChildResult result = popc({"--target", "ipu2", "v.cpp", "v.S", "-o", "v.gp"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors,
              ::testing::AllOf(HasSubstr("v.S: error: duplicate symbol '__runCodelet_V'"),
                               HasSubstr("the vertex 'V' of v.cpp has a compute() in C++"),
                               HasSubstr("isExternalCodelet")));
  for (const char *const file : {"v.cpp", "v.S"})
    EXPECT_EQ(popc({"--target", "ipu2", file, "-o", std::string(file) + ".gp"}).exitCode, 0);
  EXPECT_EQ(popc({"v.cpp.gp", "v.S.gp", "-o", "v.gp"}).exitCode, 1);
}

TEST_F(PopcTool, IncludesAClassOfTwoSourcesOnce) {
  std::ofstream(folder_.path() / "shared.hpp") << source("Shared");
  for (const char *file : {"one.cpp", "two.cpp"})
    std::ofstream(folder_.path() / file) << "#include \"shared.hpp\"\n";
  const ChildResult result = popc({"--target", "ipu2", "one.cpp", "two.cpp", "-o", "v.gp"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(modulesOf("v.gp").at(0).vertices.size(), 1u);
}

TEST_F(PopcTool, CompileErrorIsExitCode1OnStandardError) {
  std::ofstream(folder_.path() / "bad.cpp") << "\nint f() { return wrong; }\n";
  const ChildResult result = popc({"bad.cpp", "-o", "bad.gp"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("bad.cpp:2:"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "bad.gp"));
}

TEST_F(PopcTool, OmitsUnrequestedTargetsThatDoNotCompile) {
  std::ofstream(folder_.path() / "mk2.cpp")
      << "#if __IPU_ARCH_VERSION__ < 2\n#error for Mk2 only\n#endif\n"
      << source("Mk2");
  const ChildResult result = popc({"mk2.cpp", "-o", "mk2.gp"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.errors, HasSubstr("left out for target ipu1"));
  ASSERT_EQ(modulesOf("mk2.gp").size(), 1u);
  EXPECT_EQ(modulesOf("mk2.gp").at(0).arch, Architecture::Ipu2);
  EXPECT_EQ(popc({"--target", "ipu1,ipu2", "mk2.cpp", "-o", "mk2.gp"}).exitCode, 1);
}

TEST_F(PopcTool, WrongUsageIsExitCode2) {
  EXPECT_EQ(popc({}).exitCode, 2);
  EXPECT_EQ(popc({"--target", "ipu9", "a.cpp"}).exitCode, 2);
  EXPECT_EQ(popc({"--nonsense", "a.cpp"}).exitCode, 2);
  EXPECT_EQ(popc({"a.cpp", "-o"}).exitCode, 2);
}

TEST_F(PopcTool, RefusesToWriteTileCodeAsLlvm) {
  write("a.cpp", "A");
  for (const char *flag : {"--emit-llvm", "-emit-llvm"}) {
    const ChildResult result = popc({flag, "--target=ipu2", "a.cpp", "-o", "a.S"});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.errors, HasSubstr(std::string(flag) + ": codelets become native code"));
  }
}

TEST_F(PopcTool, WritesAssembly) {
  write("a.cpp", "A");
  std::ofstream(folder_.path() / "t.S") << "#define reg m1\nf: add $reg, $reg, 1\n";
  const auto textOf = [&](const char *file) {
    std::ifstream in(folder_.path() / file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  for (const char *flag : {"-S", "--S"}) {
    ASSERT_EQ(popc({flag, "--target=ipu2", "a.cpp"}).exitCode, 0);
    EXPECT_THAT(textOf("a.s"), HasSubstr("__runCodelet_A:"));
    std::filesystem::remove(folder_.path() / "a.s");
  }
  ASSERT_EQ(popc({"-S", "--target=cpu,ipu2", "a.cpp", "-o", "both.s"}).exitCode, 0);
  EXPECT_THAT(textOf("both.s"),
              ::testing::AllOf(HasSubstr("a.cpp for cpu\n"), HasSubstr("a.cpp for ipu2\n")));
  ASSERT_EQ(popc({"-S", "--target=ipu2", "t.S", "-o", "t.s"}).exitCode, 0);
  EXPECT_THAT(textOf("t.s"), HasSubstr("f: add $m1, $m1, 1"));
  EXPECT_EQ(popc({"-S", "--target=ipu2", "bad.gp"}).exitCode, 2);
}

TEST_F(PopcTool, WritesPreprocessedSources) {
  std::ofstream(folder_.path() / "p.cpp")
      << "#ifdef __IPU__\nint x = __IPU_ARCH_VERSION__;\n#endif\n";
  const ChildResult result = popc({"-E", "--target=ipu21", "p.cpp"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output, HasSubstr("int x = 21;"));
}

TEST_F(PopcTool, CompilesSourcesInC) {
  std::ofstream(folder_.path() / "helper.c")
      << "#include <stddef.h>\n#include <stdlib.h>\n"
         "int addUp(const int *values, size_t new) {\n"
         "  register int total = 0; const void *class = values; const int *p = class;\n"
         "  for (size_t i = 0; i < new; ++i) total += p[i];\n"
         "#ifdef __IPU__\n  unsigned long big = 40;\n"
         "  if (total < 0) __asm__ volatile(\"add %0, %1, 2\" : \"=r\"(total) : \"r\"(big) : "
         "\"$m1\");\n"
         "#endif\n  return total; }\n";
  std::ofstream(folder_.path() / "v.cpp")
      << "#include <poplar/Vertex.hpp>\nextern \"C\" int addUp(const int *, unsigned long);\n"
         "class V : public poplar::Vertex { public: int a, b; bool compute() { return addUp(&a, 2) "
         "== 42; } };\n";
  const ChildResult result = popc({"-std=c++20", "v.cpp", "helper.c", "-o", "v.gp"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  for (const Module &module : modulesOf("v.gp")) {
    const test::OpenModule opened(module);
    test::TileMemory tile(traitsOf(module.arch).slotBits);
    test::VertexState state(tile, opened.vertex("V"));
    state.set("a", 40).set("b", 2);
    EXPECT_TRUE(opened.entry("V")(state.native(), 0)) << traitsOf(module.arch).name;
    state.set("b", 3);
    EXPECT_FALSE(opened.entry("V")(state.native(), 0)) << traitsOf(module.arch).name;
  }
}

TEST_F(PopcTool, FailsWithoutCodeForAnyIpu) {
  std::ofstream(folder_.path() / "c.cpp")
      << "#ifdef __IPU__\nint f() { return undeclared; }\n#endif\n"
      << source("C");
  const ChildResult result = popc({"c.cpp", "-o", "c.gp"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors,
              ::testing::AllOf(HasSubstr("undeclared"), HasSubstr("compiles for no IPU")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "c.gp"));
  EXPECT_EQ(popc({"c.cpp", "--target", "cpu", "-o", "c.gp"}).exitCode, 0);
}

TEST_F(PopcTool, WarnsAboutAClassWithoutCompute) {
  std::ofstream(folder_.path() / "n.cpp")
      << "#include <poplar/Vertex.hpp>\n"
         "namespace mine {\nclass NoC : public poplar::Vertex { public: int n; };\n}\n"
         "class Base : public poplar::Vertex { public: int n; };\n"
         "class Derived : public Base { public: bool compute() { return n; } };\n"
         "class Shared : public poplar::MultiVertex { public: int n; };\n"
         "template <class T> class Later : public Shared { public: bool compute(unsigned) { return "
         "n; } };\n";
  const ChildResult result = popc({"n.cpp", "--target", "ipu2", "-o", "n.gp"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(
      result.errors,
      HasSubstr("n.cpp:3: warning: class 'mine::NoC' derives from a vertex, but has no compute()"));
  EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
}

TEST_F(PopcTool, LinksFunctionsWithNamesOfCFromOtherGpFiles) {
  std::ofstream(folder_.path() / "v.cpp")
      << "#include <poplar/Vertex.hpp>\nextern \"C\" int helper(int);\nclass V : public "
         "poplar::Vertex { public: int n; bool compute() { return helper(n) == 42; } };\n";
  std::ofstream(folder_.path() / "helper.cpp")
      << "extern \"C\" int helper(int x) { return x + 1; }\n";
  std::ofstream(folder_.path() / "helper.S")
      << ".globl helper\n.type helper, @function\nhelper: add $m0, $m0, 1\n br $lr\n";
  for (const std::string file : {"v.cpp", "helper.cpp", "helper.S"})
    ASSERT_EQ(popc({file, "--target", "ipu2", "-o", file + ".gp"}).exitCode, 0) << file;
  ASSERT_EQ(popc({"v.cpp.gp", "helper.cpp.gp", "-o", "all.gp"}).exitCode, 0);
  const Module linked = modulesOf("all.gp").at(0);
  EXPECT_THAT(linked.tileFunctions, ::testing::IsEmpty());
  const test::OpenModule opened(linked);
  test::TileMemory tile(21);
  test::VertexState state(tile, opened.vertex("V"));
  state.set("n", 41);
  EXPECT_TRUE(opened.entry("V")(state.native(), 0));
  // Tile code of the same name is called as such.
  ASSERT_EQ(popc({"v.cpp.gp", "helper.S.gp", "-o", "tile.gp"}).exitCode, 0);
  EXPECT_THAT(modulesOf("tile.gp").at(0).tileFunctions, ::testing::ElementsAre("helper"));
}

TEST_F(PopcTool, AcceptsTheCommandLinesOfMakefiles) {
  write("a.cpp", "A");
  const ChildResult result =
      popc({"-c", "-O3", "-Wall", "-I", ".", "-DN=4", "-target=ipu2", "a.cpp", "-o", "a.gp"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(modulesOf("a.gp").at(0).arch, Architecture::Ipu2);
}

TEST_F(PopcTool, MissingInputIsExitCode1) {
  const ChildResult result = popc({"missing.cpp", "-o", "x.gp"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("missing.cpp"));
}

constexpr const char *kAssembly = R"(#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"
#include "poplar/AvailableVTypes.h"
#include "own.h.S"
#define pointer m0
#define NAME __runCodelet_V___float
DEF_STACK_USAGE (8 + OWN) NAME
.section .text.NAME, FUNCTION_IS_WORKER
.globl NAME
.type NAME, @function
.align 8
linux: // a macro of some machines
NAME:
  ld32 $pointer, $mvertex_base, $mzero, 4/4
  setzi $m1, TMEM_REGION0_BASE_ADDR
#ifdef VECTOR_AVAIL_SCALED_PTR32
  nop
#endif
  exitz $mzero
.size NAME, . - NAME
#endif
)";

TEST_F(PopcTool, AssemblesForSeveralTargets) {
  std::ofstream(folder_.path() / "a.S") << kAssembly;
  std::ofstream(folder_.path() / "own.h.S") << "#define OWN 8\n";
  const ChildResult result = popc({"-O3", "-Werror", "-std=c++17", "-I", ".", "-o", "a.gp",
                                   "--target", "cpu,ipu1,ipu2", "a.S"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const auto modules = modulesOf("a.gp");
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[0].object, nullptr) << "tile code means nothing on a CPU";
  const auto sectionBytes = [&](std::size_t module) {
    return modules[module].object->sections.at(1).bytes.size();
  };
  EXPECT_EQ(sectionBytes(1), 16u);
  EXPECT_EQ(sectionBytes(2), 12u);
  EXPECT_NE(modules[1].object->sections[1].bytes[5], modules[2].object->sections[1].bytes[5]);
  EXPECT_EQ(modules[2].object->stackUses.at(0).bytes, 16u);
  EXPECT_NE(modules[1].sha256, modules[2].sha256);
  EXPECT_TRUE(std::ranges::any_of(modules[2].object->symbols,
                                  [](const auto &symbol) { return symbol.name == "linux"; }));
}

TEST_F(PopcTool, NamesLinesOfAssemblyThatItRefuses) {
  std::ofstream(folder_.path() / "a.S") << "#define reg m1\n  nop\n  add $reg, $reg\n";
  const ChildResult result = popc({"-o", "a.gp", "--target", "ipu2", "a.S"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("a.S:3:3: error: 'add' has 3 operands, not 2"));
}

TEST_F(PopcTool, JoinsAssemblyAndCodelets) {
  write("a.cpp", "A");
  std::ofstream(folder_.path() / "b.S") << "f: nop\n";
  ASSERT_EQ(popc({"-o", "b.gp", "--target", "ipu2", "b.S"}).exitCode, 0);
  ASSERT_EQ(popc({"-o", "ab.gp", "--target", "ipu2", "a.cpp", "b.gp"}).exitCode, 0);
  const auto modules = modulesOf("ab.gp");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].object, nullptr);
  ASSERT_NE(modules[1].object, nullptr);
  EXPECT_EQ(*modules[1].object, *modulesOf("b.gp")[0].object);
}

/// The constants that assembly of libraries uses, with their values.
TEST_F(PopcTool, AssemblyKnowsTheConstantsOfTheTile) {
  const struct {
    const char *name;
    std::uint32_t ipu1, ipu2;
  } cases[] = {
      {"CSR_W_WSR__CTXTID_M1__MASK", 7, 7},
      {"CSR_W_FP_CLR__ZAACC__SHIFT", 3, 3},
      {"CSR_W_FP_CLR__ZAACC__MASK", 1, 1},
      {"TMEM_REGION0_BASE_ADDR", 0x40000, 0x4C000},
      {"TMEM_BASE_ADDR", 0x40000, 0x4C000},
      {"CTXT_WORKERS", 6, 6},
      {"TEXCH_SYNCZONE_LOCAL", 2, 2},
      {"CSR_W_REPEAT_COUNT__VALUE__MASK", 0xFFF, 0xFFFF},
      {"TMEM_ELEMSIZE", 0x4000, 0x4000},
      {"CSR_W_FP_CTL__INDEX", 0x102, 0x102},
      {"CSR_S_FP_ICTL__INDEX", 0x20, 0x20},
      {"CSR_S_FP_ICTL__INV__SHIFT", 0, 0},
      {"CSR_S_FP_ICTL__DIV0__SHIFT", 1, 1},
      {"CSR_S_FP_ICTL__OFLO__SHIFT", 2, 2},
      {"CSR_S_FP_ICTL__ESR__SHIFT", 19, 19},
      {"CSR_S_FP_ICTL__NANOO__SHIFT", 20, 20},
      {"CSR_S_FP_ICTL__NANOO__MASK", 1, 1},
      {"TMEM_BYTE_MAX_ADDRESS_WIDTH", 21, 21},
      {"TMEM_FULL_ADDRESS_MASK", 0x1FFFFF, 0x1FFFFF},
      {"TAMP_F16V4_E4_P0", 0x30, 0x30},
      {"TAMP_F16V4_E4_P3", 0x33, 0x33},
      {"TAMP_F16V4_E2_P1", 0x11, 0x11},
      {"TAMP_F16V4_E1_P0", 0, 0},
      {"TAMP_F32_E4_P7", 0x37, 0x37},
      {"TAMP_F32_E2_P3", 0x13, 0x13},
      {"TAMP_F32_E1_P2", 2, 2},
      {"TAMP_F8V8_E4_P3", 0x33, 0x33},
      {"TSLIC_F16V4_1x4_W0", 0x30, 0x30},
      {"TSLIC_F16V4_1x4_W1", 0x34, 0x34},
      {"TSLIC_F16V4_1x3_W0", 0x20, 0x20},
      {"TSLIC_F32_1x3_W0_P1", 0x21, 0x21},
      {"TISTACC_P1", 1, 1},
      {"TSTACC_P0", 0, 0},
  };
  std::string source = "#include <arch/gc_tile_defines.h>\n.section .data.x, \"a\", @progbits\n";
  for (const auto &c : cases) // in the preprocessor's own expressions, too
    source += std::string("#if ") + c.name + " >= 0\n.int " + c.name + "\n#endif\n";
  std::ofstream(folder_.path() / "constants.S") << source;
  ASSERT_EQ(popc({"-o", "c.gp", "--target", "ipu1,ipu2", "constants.S"}).exitCode, 0);
  const auto modules = modulesOf("c.gp");
  for (std::size_t m = 0; m < 2; ++m) {
    const auto &bytes = modules.at(m).object->sections.at(1).bytes;
    ASSERT_EQ(bytes.size(), 4 * std::size(cases));
    for (std::size_t i = 0; i < std::size(cases); ++i) {
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data() + 4 * i, sizeof value);
      EXPECT_EQ(value, m == 0 ? cases[i].ipu1 : cases[i].ipu2) << cases[i].name;
    }
  }
  // In C and C++ they are the same numbers.
  source = "#include <arch/gc_tile_defines.h>\n";
  for (const auto &c : cases)
    source += "_Static_assert(" + std::string(c.name) + " == (__IPU_ARCH_VERSION__ == 1 ? " +
              std::to_string(c.ipu1) + " : " + std::to_string(c.ipu2) + "), \"\");\n";
  for (const char *file : {"constants.c", "constants.cpp"}) {
    std::ofstream(folder_.path() / file) << source;
    EXPECT_EQ(popc({"-o", "c.gp", "--target", "ipu1,ipu2", "-Wno-c11-extensions", file}).exitCode,
              0)
        << file;
  }
}

/// The sources are in the style of public libraries: macros that define functions, names that are
/// pasted together, registers with names, supervisors, jump tables.
TEST_F(PopcTool, AssemblesSourcesInTheStyleOfLibraries) {
  const std::string styles = COPSE_CODELET_STYLES;
  const struct {
    const char *file, *symbol;
  } cases[] = {
      {"unary", "__runCodelet_popops__UnaryOp1D___popops__expr__UnaryOpType__SQUARE_float"},
      {"cast", "__runCodelet_popops__Cast___half_float"},
      {"amp", "__runCodelet_poplin__ConvPartial1x1Out___half_half_true_16_false"},
      {"idioms", "__runCodelet_Misc"},
  };
  for (const auto &c : cases)
    for (const std::string target : {"ipu1", "ipu2", "ipu21"}) {
      const ChildResult result = popc({"-o", "s.gp", "--target", target, "-I", styles + "/include",
                                       "-DNUM=1", styles + "/" + c.file + ".S"});
      ASSERT_EQ(result.exitCode, 0) << c.file << " " << target << " " << result.errors;
      const auto object = modulesOf("s.gp").at(0).object;
      EXPECT_TRUE(std::ranges::any_of(object->symbols, [&](const auto &s) {
        return s.name == c.symbol && s.isFunction;
      })) << c.symbol;
      std::ofstream again(folder_.path() / "again.S");
      objdump({(folder_.path() / "s.gp").string(), target, ""}, again);
      again.close();
      ASSERT_EQ(popc({"-o", "again.gp", "--target", target, "again.S"}).exitCode, 0);
      const auto second = modulesOf("again.gp").at(0).object;
      ASSERT_EQ(second->sections.size(), object->sections.size());
      for (std::size_t s = 0; s < second->sections.size(); ++s)
        EXPECT_EQ(second->sections[s].bytes, object->sections[s].bytes) << object->sections[s].name;
    }
}

TEST_F(PopcTool, ObjdumpsTextAssemblesToTheSameBytes) {
  std::ofstream(folder_.path() / "a.S") << kAssembly;
  std::ofstream(folder_.path() / "own.h.S") << "#define OWN 0\n";
  ASSERT_EQ(popc({"-o", "a.gp", "--target", "ipu1,ipu2", "a.S"}).exitCode, 0);
  std::ofstream again(folder_.path() / "again.S");
  objdump({(folder_.path() / "a.gp").string(), "ipu1", "a.S"}, again);
  again.close();
  const ChildResult result = popc({"-o", "again.gp", "--target", "ipu1", "again.S"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(modulesOf("again.gp")[0].object->sections[1].bytes,
            modulesOf("a.gp")[0].object->sections[1].bytes);
}

TEST_F(PopcTool, ObjdumpNamesVariantsOfTargets) {
  std::ofstream(folder_.path() / "a.S") << kAssembly;
  std::ofstream(folder_.path() / "own.h.S") << "#define OWN 0\n";
  ASSERT_EQ(
      popc({"-o", "a.gp", "--target", R"(["ipu2", {"name": "ipu2:own", "arch": "ipu2"}])", "a.S"})
          .exitCode,
      0);
  std::ostringstream out;
  objdump({(folder_.path() / "a.gp").string(), "", ""}, out);
  EXPECT_THAT(out.str(), HasSubstr("# a.S for ipu2\n"));
  EXPECT_THAT(out.str(), HasSubstr("# a.S for ipu2:own\n"));
}

TEST_F(PopcTool, ObjdumpReportsAnEmptyObject) {
  write("a.cpp", "A");
  ASSERT_EQ(popc({"-o", "a.gp", "--target", "ipu2", "a.cpp"}).exitCode, 0);
  std::ostringstream out;
  EXPECT_THROW(objdump({(folder_.path() / "a.gp").string(), "", ""}, out), FileError);
}

} // namespace
} // namespace copse::popc
