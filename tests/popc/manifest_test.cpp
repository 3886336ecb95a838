// Tests that the compiled form of a source is stored with the headers that the compiler read. An
// unchanged source is not expanded again; everything that may change the expansion invalidates the
// entry.
#include "manifest.hpp"
#include "tile_memory.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sys/stat.h>

namespace copse::popc {
namespace {

namespace fs = std::filesystem;

/// A folder with codelets, which have a constant N.
class Workplace {
public:
  Workplace() {
    if (const char *named = std::getenv("COPSE_CXX"))
      usual_ = named;
  }
  ~Workplace() {
    if (usual_.empty())
      ::unsetenv("COPSE_CXX");
    else
      ::setenv("COPSE_CXX", usual_.c_str(), 1);
    ::unsetenv("CPATH");
  }
  Workplace(const Workplace &) = delete;
  Workplace &operator=(const Workplace &) = delete;

  std::string path(const std::string &name) const { return folder_.file(name); }
  void write(const std::string &name, const std::string &text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  void setCompilersOwnFlags(const std::string &ownFlags) const {
    const std::string compiler = usual_.empty() ? "clang++-16" : usual_;
    ::setenv("COPSE_CXX", (compiler + " " + ownFlags).c_str(), 1);
  }

  /// \returns N
  unsigned compile() const {
    CompileOptions options;
    options.targets = {Architecture::Ipu2};
    options.directory = folder_.path();
    options.flags = flags;
    const std::string text = "#include <poplar/Vertex.hpp>\n" + source + R"(
class A : public poplar::Vertex { public: bool compute() { return true; } };
extern "C" __attribute__((visibility("default"))) const unsigned theN = N;
)";
    const test::OpenModule opened(compileSource(text, path("here/a.cpp"), options).at(0));
    return *static_cast<const unsigned *>(opened.symbol("theN"));
  }
  /// Compiles until the headers are old enough: one that was written a moment ago might be written
  /// again, unseen.
  /// \returns true if the result is stored then; each expansion writes a manifest as a new file
  bool remembers() const {
    compile();
    compile();
    const auto before = manifests();
    compile();
    return !before.empty() && manifests() == before;
  }
  /// Returns the manifests, with their inodes.
  std::map<fs::path, ino_t> manifests() const {
    std::map<fs::path, ino_t> found;
    struct stat status {};
    for (const auto &file : fs::recursive_directory_iterator(cache_.path()))
      if (file.path().extension() == ".manifest" && ::stat(file.path().c_str(), &status) == 0)
        found[file.path()] = status.st_ino;
    return found;
  }

  std::string source = "#include \"n.hpp\"";
  std::vector<std::string> flags;

private:
  std::string usual_;
  test::OwnCache cache_;
  test::TemporaryFolder folder_;
};

struct Change {
  const char *name;
  std::map<std::string, std::string> files;
  std::vector<std::string> flags;
  std::string source;
  std::function<void(const Workplace &)> make; ///< after which N is 3, and was 2
};

const std::string kInclude = "#include \"n.hpp\"", kTwo = "#define N 2\n", kThree = "#define N 3\n";
const std::string kTwoUnlessTold = "#ifndef N\n" + kTwo + "#endif\n";

void writeThree(const Workplace &at, const char *file) { at.write(file, kThree); }

const Change kChanges[] = {
    {"HeaderOfTheSameSizeAndTime",
     {{"here/n.hpp", kTwo}},
     {},
     kInclude,
     [](const Workplace &at) {
       const auto time = fs::last_write_time(at.path("here/n.hpp"));
       writeThree(at, "here/n.hpp");
       fs::last_write_time(at.path("here/n.hpp"), time);
     }},
    {"HeaderOfAHeader",
     {{"far/outer.hpp", kInclude}, {"far/n.hpp", kTwo}},
     {"-Ifar"},
     "#include <outer.hpp>",
     [](const Workplace &at) { writeThree(at, "far/n.hpp"); }},
    {"HeaderInAnEarlierFolder",
     {{"far/n.hpp", kTwo}, {"near/other.hpp", ""}},
     {"-Inear", "-I", "far"},
     kInclude,
     [](const Workplace &at) { writeThree(at, "near/n.hpp"); }},
    {"FolderThatWasMissing",
     {{"far/n.hpp", kTwo}},
     {"-Inear", "-Ifar"},
     kInclude,
     [](const Workplace &at) { writeThree(at, "near/n.hpp"); }},
    {"FolderWithinAFolderThatWasMissing",
     {{"far/a/b/n.hpp", kTwo}, {"near/other.hpp", ""}},
     {"-Inear", "-Ifar"},
     "#include <a/b/n.hpp>",
     [](const Workplace &at) { writeThree(at, "near/a/b/n.hpp"); }},
    {"HeaderBesideTheSource",
     {{"far/n.hpp", kTwo}, {"here/other.hpp", ""}},
     {"-Ifar"},
     kInclude,
     [](const Workplace &at) { writeThree(at, "here/n.hpp"); }},
    {"HeaderWhereTheCompilerRuns",
     {{"here/n.hpp", kTwo}},
     {},
     kInclude,
     [](const Workplace &at) { writeThree(at, "n.hpp"); }},
    {"HeaderBesideTheHeaderThatWantsIt",
     {{"far/sub/outer.hpp", kInclude}, {"farther/n.hpp", kTwo}},
     {"-Ifar", "-Ifarther"},
     "#include \"sub/outer.hpp\"",
     [](const Workplace &at) { writeThree(at, "far/sub/n.hpp"); }},
    {"HeaderThatIsAskedFor",
     {},
     {"-Ifar"},
     "#if __has_include ( <n.hpp> )\n" + kInclude + "\n#else\n" + kTwo + "#endif",
     [](const Workplace &at) { writeThree(at, "far/n.hpp"); }},
    {"HeaderThatWasAskedForAndGoes",
     {{"here/more.hpp", ""}},
     {},
     "#if __has_include(\"more.hpp\")\n" + kTwo + "#else\n" + kThree + "#endif",
     [](const Workplace &at) { fs::remove(at.path("here/more.hpp")); }},
    {"HeaderThatGoes",
     {{"near/n.hpp", kTwo}, {"far/n.hpp", kThree}},
     {"-Inear", "-Ifar"},
     kInclude,
     [](const Workplace &at) { fs::remove(at.path("near/n.hpp")); }},
    {"FolderOfTheEnvironment",
     {{"far/n.hpp", kThree}, {"here/other.hpp", ""}},
     {},
     "#if __has_include(<n.hpp>)\n" + kInclude + "\n#else\n" + kTwo + "#endif",
     [](const Workplace &at) { ::setenv("CPATH", at.path("far").c_str(), 1); }},
    {"Compiler",
     {},
     {},
     kTwoUnlessTold,
     [](const Workplace &at) { at.setCompilersOwnFlags("-DN=3"); }},
};

class Changes : public ::testing::TestWithParam<Change> {};

TEST_P(Changes, AreDetected) {
  const Change &change = GetParam();
  Workplace at;
  for (const auto &[name, text] : change.files)
    at.write(name, text);
  at.flags = change.flags;
  at.source = change.source;
  EXPECT_TRUE(at.remembers());
  EXPECT_EQ(at.compile(), 2u);
  change.make(at);
  EXPECT_EQ(at.compile(), 3u);
}
INSTANTIATE_TEST_SUITE_P(Manifest, Changes, ::testing::ValuesIn(kChanges),
                         [](const auto &p) { return p.param.name; });

// Changes that no list of files shows.
const struct Unforeseeable {
  const char *name, *source;
  std::vector<std::string> flags;
} kUnforeseeable[] = {
    {"DateInTheSource", "#define N sizeof(__DATE__) / 12", {}},
    {"TimeInAHeader", "#include \"time.hpp\"", {}},
    {"ComputedName", "#define NAME <vector>\n#if __has_include(NAME)\n#define N 1\n#endif", {}},
    {"FlagThatIsNotKnown", "", {"-imacros", "macros.hpp"}},
    {"FlagOfAResponseFile", "", {"@flags"}},
    {"FlagWithAFile", "#define N 1", {"-fdebug-prefix-map=/a=b"}},
};
class Unremembered : public ::testing::TestWithParam<Unforeseeable> {};
TEST_P(Unremembered, SourceIsExpandedEachTime) {
  Workplace at;
  at.write("here/time.hpp", "#define N sizeof(__TIME__) / 9\n");
  at.write("macros.hpp", "#define N 1\n");
  at.write("flags", "-DN=1\n");
  at.source = GetParam().source;
  at.flags = GetParam().flags;
  EXPECT_FALSE(at.remembers());
  EXPECT_EQ(at.compile(), 1u);
}
INSTANTIATE_TEST_SUITE_P(Manifest, Unremembered, ::testing::ValuesIn(kUnforeseeable),
                         [](const auto &p) { return p.param.name; });

TEST(Manifest, IsNotKeptIfAHeaderMayHaveChangedWhileItWasRead) {
  const Workplace at;
  at.write("n.hpp", kTwo);
  const Dependencies header{{at.path("n.hpp")}, {}};
  const auto now = std::chrono::system_clock::now();
  const Manifests manifests;
  manifests.keep("source", {"module", false}, header, now);
  EXPECT_FALSE(manifests.find("source"));
  manifests.keep("source", {"module", true}, header, now + std::chrono::hours(1));
  const auto found = manifests.find("source");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->moduleKey, "module");
  EXPECT_TRUE(found->testsIpu);
}

TEST(Manifest, IsIgnoredIfDamaged) {
  Workplace at;
  at.write("here/n.hpp", kTwo);
  EXPECT_TRUE(at.remembers());
  const fs::path manifest = at.manifests().begin()->first;
  std::ifstream in(manifest, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  bytes.erase(bytes.rfind('\n', bytes.size() - 2)); // its record of the last file
  std::ofstream(manifest, std::ios::binary) << bytes;
  const auto damaged = at.manifests();
  EXPECT_EQ(at.compile(), 2u);
  EXPECT_NE(at.manifests(), damaged) << "the source is expanded again";
  EXPECT_TRUE(at.remembers());
}

} // namespace
} // namespace copse::popc
