#include "module_builder.hpp"
#include "tile_memory.hpp"

#include "disk_cache/file_cache.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>

namespace copse::popc {
namespace {

namespace fs = std::filesystem;

constexpr const char *kSource =
    "class A : public Vertex { public: int n; bool compute() { return n > SIZE; } };";

class CodeletCache : public ::testing::Test {
protected:
  std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    for (const auto &file : fs::recursive_directory_iterator(cache_.path()))
      if (file.path().extension() == ".gp")
        files.push_back(file.path());
    return files;
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

TEST_F(CodeletCache, HitIsTakenFromTheEntry) {
  Module module = compile();
  // A mark that only an entry, and no compiler, can give.
  module.name = "from the cache";
  std::ofstream out(entries().at(0), std::ios::binary);
  writeGp(out, {module});
  out.close();
  EXPECT_EQ(compile().name, "from the cache");
}

TEST_F(CodeletCache, ChangedHeaderIsNoHit) {
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

TEST_F(CodeletCache, AnotherPopcMakesEntriesOfItsOwn) {
  const NativeCompiler compiler;
  TranslationUnit unit;
  unit.source = "int unused;";
  unit.path = (cache_.path() / "a.cpp").string();
  unit.directory = cache_.path().string();
  const auto build = [&](const Cache &cache) { return buildModule({unit}, compiler, cache).elf; };
  build(Cache());
  const auto others = build(Cache("another popc"));
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_EQ(build(Cache("another popc")), others);
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_EQ(Cache().popc().size(), 64u);
}

TEST_F(CodeletCache, DamagedEntryIsMadeAgain) {
  const Module first = compile();
  const fs::path entry = entries().at(0);
  fs::resize_file(entry, fs::file_size(entry) / 2);
  EXPECT_EQ(compile().elf, first.elf);
  EXPECT_GT(fs::file_size(entry), first.elf.size());
}

TEST_F(CodeletCache, FolderThatCannotBeUsedIsNoError) {
  ::setenv("COPSE_CACHE_DIR", "/proc/nowhere", 1);
  EXPECT_EQ(compile().vertices.size(), 1u);
}

TEST_F(CodeletCache, ManyAtOnceLeaveOneGoodEntry) {
  std::vector<std::future<Module>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::async(std::launch::async, [] { return compile(); }));
  for (auto &one : all)
    EXPECT_EQ(one.get().vertices.size(), 1u);
  ASSERT_EQ(entries().size(), 1u);
  std::ifstream in(entries()[0], std::ios::binary);
  EXPECT_EQ(readGp(in, "entry").size(), 1u);
}

class FileCacheLimit : public ::testing::Test {
protected:
  FileCacheLimit() { ::setenv("COPSE_CACHE_MIB", "1", 1); }
  ~FileCacheLimit() override { ::unsetenv("COPSE_CACHE_MIB"); }
  static void keep(const std::string &name, std::size_t bytes) {
    copse::disk_cache::FileCache("things").keep(
        name, [&](std::ostream &out) { out << std::string(bytes, 'x'); });
  }
  static bool has(const std::string &name) {
    return copse::disk_cache::FileCache("things").find(name).has_value();
  }
  /// Nobody has asked for \p name for so long.
  void age(const std::string &name, std::chrono::hours hours) const {
    const fs::path file = cache_.path() / "things" / name;
    fs::last_write_time(file, fs::last_write_time(file) - hours);
  }
  test::OwnCache cache_;
};

TEST_F(FileCacheLimit, TakesTheOldestEntriesAway) {
  for (const char *name : {"a", "b", "c"}) {
    keep(name, 300'000);
    age(name, std::chrono::hours(2));
  }
  EXPECT_TRUE(has("a")); // and is young again
  age("b", std::chrono::hours(1));
  keep("d", 300'000);
  EXPECT_TRUE(has("a"));
  EXPECT_FALSE(has("b"));
  EXPECT_TRUE(has("c"));
  EXPECT_TRUE(has("d"));
}

TEST_F(FileCacheLimit, OfZeroKeepsNothing) {
  ::setenv("COPSE_CACHE_MIB", "0", 1);
  keep("a", 1);
  EXPECT_FALSE(has("a"));
  EXPECT_FALSE(fs::exists(cache_.path() / "things"));
}

TEST_F(FileCacheLimit, LeavesNothingBehindWhenWritingFails) {
  const auto failing = [](std::ostream &) { throw std::runtime_error("no"); };
  EXPECT_THROW(copse::disk_cache::FileCache("things").keep("a", failing), std::runtime_error);
  EXPECT_TRUE(fs::is_empty(cache_.path() / "things"));
}

} // namespace
} // namespace copse::popc
