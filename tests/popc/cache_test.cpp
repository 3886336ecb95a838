#include "module_builder.hpp"
#include "spoiled_files.hpp"
#include "tile_memory.hpp"

#include "disk_cache/file_cache.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

namespace copse::popc {
namespace {

namespace fs = std::filesystem;

constexpr const char *kSource =
    "class A : public Vertex { public: int n; bool compute() { return n > SIZE; } };";

class CodeletCache : public ::testing::Test {
protected:
  std::vector<fs::path> entries(const char *kind = ".gp") const {
    std::vector<fs::path> files;
    for (const auto &file : fs::recursive_directory_iterator(cache_.path()))
      if (file.path().extension() == kind)
        files.push_back(file.path());
    return files;
  }
  /// Returns the number of objects that code generation makes for ipu1 and ipu2.
  std::size_t objectsOf(const std::string &source) const {
    for (const Architecture arch : {Architecture::Ipu1, Architecture::Ipu2})
      test::compiled(source, arch);
    return entries(".o").size();
  }
  static Module compile(const std::string &size = "1") {
    return test::compiled(kSource, Architecture::Ipu2, {"-DSIZE=" + size});
  }
  test::OwnCache cache_;
};

TEST_F(CodeletCache, KeepsOneEntryPerSourceAndFlags) {
  compile();
  compile();
  EXPECT_EQ(entries().size(), 1u);
  compile("2");
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(CodeletCache, HitIsReadFromTheEntry) {
  Module module = compile();
  // Marks the entry with a name that no compiler returns.
  module.name = "from the cache";
  disk_cache::FileCache("codelets")
      .keep(entries().at(0).filename().string(),
            [&](std::ostream &out) { writeGp(out, {module}); });
  EXPECT_EQ(compile().name, "from the cache");
}

TEST_F(CodeletCache, ChangedHeaderIsAMiss) {
  const test::TemporaryFolder folder;
  const auto stateBytes = [&](int n) {
    std::ofstream(folder.path() / "n.hpp") << "#define N " << n << "\n";
    CompileOptions options;
    options.targets = {Architecture::Ipu2};
    return compileSource("#include <poplar/Vertex.hpp>\n#include \"n.hpp\"\n"
                         "class A : public poplar::Vertex { public: int n[N]; bool compute() { "
                         "return true; } };",
                         (folder.path() / "a.cpp").string(), options)
        .at(0)
        .vertices.at(0)
        .stateBytes;
  };
  EXPECT_EQ(stateBytes(2), 8u);
  EXPECT_EQ(stateBytes(3), 12u);
}

TEST_F(CodeletCache, AnotherPopcHasEntriesOfItsOwn) {
  const NativeCompiler compiler;
  TranslationUnit unit;
  unit.source = "int unused;";
  unit.path = (cache_.path() / "a.cpp").string();
  unit.directory = cache_.path().string();
  const auto build = [&](const Cache &cache) {
    return buildModule({unit}, compiler, cache).module.elf;
  };
  build(Cache());
  const auto others = build(Cache("another popc"));
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_EQ(build(Cache("another popc")), others);
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_EQ(Cache().popc().size(), 64u);
}

TEST_F(CodeletCache, TargetsShareTheObjectOfEqualCode) {
  EXPECT_EQ(objectsOf("class A : public Vertex { public: Output<Vector<float>> out; bool compute() "
                      "{ for (auto &x : out) x = 1; return true; } };"),
            1u);
}

TEST_F(CodeletCache, TargetsWithDifferentMacrosHaveTheirOwnObjects) {
  EXPECT_EQ(objectsOf("class A : public Vertex { public: Output<int> out; bool compute() { *out = "
                      "__IPU_ARCH_VERSION__; return true; } };"),
            2u);
}

TEST_F(CodeletCache, TargetsWithDifferentLayoutsHaveTheirOwnObjects) {
  EXPECT_EQ(objectsOf("class A : public Vertex { public: Output<Vector<float, "
                      "VectorLayout::COMPACT_PTR, 8>> out; bool compute() { out[0] = 1; return "
                      "true; } };"),
            2u);
}

TEST_F(CodeletCache, TargetsWithDifferentCyclesHaveTheirOwnObjects) {
  // The counter of ipu1's hardware loop has 12 bits.
  EXPECT_EQ(objectsOf("class A : public Vertex { public: Output<Vector<float>> out; bool compute() "
                      "{ for (unsigned i = 0; i != 5000; ++i) out[i] = 1; return true; } };"),
            2u);
}

TEST_F(CodeletCache, DamagedEntryIsReplaced) {
  const Module first = compile();
  const fs::path entry = entries().at(0);
  for (const auto &[kind, spoil] : copse::test::spoiledFiles()) {
    spoil(entry);
    EXPECT_EQ(compile().elf, first.elf) << "the entry is " << kind;
    if (fs::is_regular_file(fs::symlink_status(entry))) { // a folder with a file in it stays
      EXPECT_GT(fs::file_size(entry), first.elf.size()) << kind;
    }
    fs::remove_all(entry);
    compile();
  }
}

TEST_F(CodeletCache, UnusableFolderIsNotAnError) {
  ::setenv("COPSE_CACHE_DIR", "/proc/nowhere", 1);
  EXPECT_EQ(compile().vertices.size(), 1u);
}

TEST_F(CodeletCache, ConcurrentCompilationsLeaveOneValidEntry) {
  std::vector<std::future<Module>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::async(std::launch::async, [] { return compile(); }));
  for (auto &one : all)
    EXPECT_EQ(one.get().vertices.size(), 1u);
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_TRUE(disk_cache::FileCache("codelets").find(entries()[0].filename().string()));
}

} // namespace
} // namespace copse::popc
