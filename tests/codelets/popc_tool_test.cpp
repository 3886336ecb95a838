#include "assembler/object.hpp"
#include "codelets/child_process.hpp"
#include "codelets/objdump.hpp"
#include "tile_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace copse::codelets {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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

TEST_F(PopcTool, ListsItsTargets) {
  const ChildResult result = popc({"--list-targets"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.output, "cpu,ipu1,ipu2\n");
}

TEST_F(PopcTool, TellsVersionAndHelp) {
  EXPECT_THAT(popc({"--version"}).output, StartsWith("popc"));
  EXPECT_THAT(popc({"--help"}).output, HasSubstr("--target"));
}

TEST_F(PopcTool, CompilesForAllTargetsByDefault) {
  write("a.cpp", "A");
  const ChildResult result = popc({"-O2", "a.cpp", "-o", "a.gp"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const auto modules = modulesOf("a.gp");
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[0].arch, Arch::Cpu);
  EXPECT_EQ(modules[2].arch, Arch::Ipu2);
}

TEST_F(PopcTool, TakesTargetsInEveryWayOfWritingThem) {
  write("a.cpp", "A");
  for (const std::vector<std::string> &target : std::vector<std::vector<std::string>>{
           {"-target=ipu2"}, {"--target=ipu2"}, {"--target", "ipu2"}}) {
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
  EXPECT_EQ(modulesOf("in.gp").at(0).vertices.at(0).name, "FromStdin");
}

TEST_F(PopcTool, NativeIpuDefinesTheMacro) {
  std::ofstream(folder_.path() / "i.cpp") << "#ifndef __IPU__\n#error no ipu\n#endif\n"
                                          << source("I");
  EXPECT_EQ(popc({"--target", "ipu2", "i.cpp", "-o", "i.gp"}).exitCode, 1);
  EXPECT_EQ(popc({"--target", "ipu2", "--native-ipu", "i.cpp", "-o", "i.gp"}).exitCode, 0);
}

TEST_F(PopcTool, CompileErrorIsExitCode1OnStandardError) {
  std::ofstream(folder_.path() / "bad.cpp") << "\nint f() { return wrong; }\n";
  const ChildResult result = popc({"bad.cpp", "-o", "bad.gp"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("bad.cpp:2:"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "bad.gp"));
}

TEST_F(PopcTool, LeavesOutTargetsThatNobodyAskedForAndNothingCompilesFor) {
  std::ofstream(folder_.path() / "mk2.cpp")
      << "#if __IPU_ARCH_VERSION__ < 2\n#error for Mk2 only\n#endif\n"
      << source("Mk2");
  const ChildResult result = popc({"mk2.cpp", "-o", "mk2.gp"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.errors, HasSubstr("left out for target ipu1"));
  ASSERT_EQ(modulesOf("mk2.gp").size(), 1u);
  EXPECT_EQ(modulesOf("mk2.gp").at(0).arch, Arch::Ipu2);
  EXPECT_EQ(popc({"--target", "ipu1,ipu2", "mk2.cpp", "-o", "mk2.gp"}).exitCode, 1);
}

TEST_F(PopcTool, WrongUsageIsExitCode2) {
  EXPECT_EQ(popc({}).exitCode, 2);
  EXPECT_EQ(popc({"--target", "ipu9", "a.cpp"}).exitCode, 2);
  EXPECT_EQ(popc({"--nonsense", "a.cpp"}).exitCode, 2);
  EXPECT_EQ(popc({"a.cpp", "-o"}).exitCode, 2);
}

TEST_F(PopcTool, SaysThatThereIsNoTextOfTheTilesToWrite) {
  write("a.cpp", "A");
  for (const char *flag : {"-S", "-E", "--emit-llvm", "-emit-llvm"}) {
    const ChildResult result = popc({flag, "--target=ipu2", "a.cpp", "-o", "a.S"});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.errors, HasSubstr(std::string(flag) + ": codelets become native code"));
  }
}

TEST_F(PopcTool, TakesACommandLineAsMakefilesWriteIt) {
  write("a.cpp", "A");
  const ChildResult result =
      popc({"-c", "-O3", "-Wall", "-I", ".", "-DN=4", "-target=ipu2", "a.cpp", "-o", "a.gp"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(modulesOf("a.gp").at(0).arch, Arch::Ipu2);
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

TEST_F(PopcTool, ObjdumpWritesWhatAssemblesToTheSameBytes) {
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

TEST_F(PopcTool, ObjdumpSaysWhenThereIsNothing) {
  write("a.cpp", "A");
  ASSERT_EQ(popc({"-o", "a.gp", "--target", "ipu2", "a.cpp"}).exitCode, 0);
  std::ostringstream out;
  EXPECT_THROW(objdump({(folder_.path() / "a.gp").string(), "", ""}, out), FileError);
}

} // namespace
} // namespace copse::codelets
