#include "tile_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <tuple>
#include <vector>

namespace copse::popc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CompileErrors : public ::testing::Test {
protected:
  std::string errorOf(const std::string &source, const std::string &file = "mine.cpp",
                      const CompileOptions &more = {}) {
    CompileOptions options = more;
    options.targets = {Architecture::Ipu2};
    try {
      compileSource(source, file, options);
    } catch (const CompileError &e) {
      return e.what();
    }
    ADD_FAILURE() << "compiled";
    return "";
  }
  test::OwnCache cache_;
};

TEST_F(CompileErrors, NameTheUsersFileAndLine) {
  const std::string text =
      errorOf("#include <poplar/Vertex.hpp>\n\nclass A : public poplar::Vertex {\n"
              "  bool compute() { return nonsense; }\n};\n");
  EXPECT_THAT(text, HasSubstr("mine.cpp:4:"));
  EXPECT_THAT(text, HasSubstr("nonsense"));
}

TEST_F(CompileErrors, NameAMissingHeader) {
  EXPECT_THAT(errorOf("#include \"not_there.hpp\"\n"), HasSubstr("not_there.hpp"));
}

TEST_F(CompileErrors, NameTheChosenCompilerThatCannotBeRun) {
  ::setenv("COPSE_CXX", "/no/such/compiler", 1);
  const std::string text = errorOf("#include <poplar/Vertex.hpp>\n");
  ::unsetenv("COPSE_CXX");
  EXPECT_THAT(text, HasSubstr("COPSE_CXX: '/no/such/compiler'"));
}

/// Sets COPSE_CXX to a script that acts as a compiler, for the object's lifetime.
class Pretended {
public:
  Pretended(const std::string &name, const std::string &version) : file_(folder_.file(name)) {
    std::ofstream(file_) << "#!/bin/sh\necho '" << version << "'\n";
    std::filesystem::permissions(file_, std::filesystem::perms::owner_all);
    if (const char *usual = std::getenv("COPSE_CXX"))
      usual_ = usual;
    ::setenv("COPSE_CXX", file_.c_str(), 1);
  }
  ~Pretended() {
    if (usual_.empty())
      ::unsetenv("COPSE_CXX");
    else
      ::setenv("COPSE_CXX", usual_.c_str(), 1);
  }
  Pretended(const Pretended &) = delete;
  Pretended &operator=(const Pretended &) = delete;

private:
  test::TemporaryFolder folder_;
  std::string file_, usual_;
};

TEST_F(CompileErrors, ACompilerOfAnotherVersionIsRefusedInOneLineThatSaysWhatToInstall) {
  for (const std::string version : {"14", "99"}) {
    const Pretended other("other-clang", "Debian clang version " + version + ".0.6");
    const std::string text = errorOf("#include <poplar/Vertex.hpp>\n");
    EXPECT_THAT(text, AllOf(HasSubstr("is clang " + version + "; codelets need clang 16"),
                            HasSubstr("install the package clang-16")));
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST_F(CompileErrors, AnotherCompilerIsRefusedWithTheOneToInstall) {
  const Pretended other("gxx", "g++ (Debian 12.2.0-14) 12.2.0");
  const std::string text = errorOf("#include <poplar/Vertex.hpp>\n");
  EXPECT_THAT(text, AllOf(HasSubstr("is no clang"), HasSubstr("install the package clang-16")));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST_F(CompileErrors, IgnoreTheEnvironmentVariableCxx) {
  ::setenv("CXX", "/no/such/compiler", 1);
  EXPECT_NO_THROW(test::compiled("class A : public Vertex { bool compute() { return true; } };",
                                 Architecture::Ipu2));
  ::unsetenv("CXX");
}

TEST_F(CompileErrors, WarningsAreErrorsOnRequest) {
  CompileOptions options;
  options.flags = {"-Wall", "-Werror"};
  EXPECT_THAT(
      errorOf("#include <poplar/Vertex.hpp>\nclass A : public poplar::Vertex { bool compute() {\n"
              "int unused = 0; return true; } };",
              "mine.cpp", options),
      HasSubstr("unused"));
}

TEST_F(CompileErrors, HeadersAndEntriesOfCopseHaveNoWarnings) {
  EXPECT_NO_THROW(test::compiled(
      "class A : public Vertex { public: Input<Vector<half>> a; Output<half> o; const unsigned n;\n"
      "bool compute() { *o = a[0]; return n != 0; } };",
      Architecture::Ipu2,
      {"-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-pedantic", "-Werror"}));
}

TEST_F(CompileErrors, IncludeALayoutThatTheTargetLacks) {
  EXPECT_THAT(
      errorOf(
          "#include <poplar/Vertex.hpp>\nusing namespace poplar;\nclass A : public Vertex {\n"
          "Input<Vector<int, VectorLayout::SCALED_PTR32>> a; bool compute() { return a[0]; } };"),
      HasSubstr("mine.cpp:4:"));
}

TEST_F(CompileErrors, ABaseThatAMacroChoosesIsFoundBesideAClassThatAMacroWrites) {
  const Module module = test::compiled(
      "#define ON true\n#define DEFINE(NAME) class NAME : public Vertex { public: \\\n"
      "  Input<Vector<float>> a; bool compute() { return true; } };\nDEFINE(Written)\n"
      "template <typename T> class Chosen : public SupervisorVertexIf<sizeof(T) == 4 && !ON> {\n"
      "public: Input<Vector<T>> a; bool compute() { return true; } };\n"
      "template class Chosen<float>;\n",
      Architecture::Ipu2);
  ASSERT_EQ(module.vertices.size(), 2U);
  EXPECT_NE(module.vertices[0].name, module.vertices[1].name);
  for (const auto &vertex : module.vertices)
    EXPECT_TRUE(vertex.name == "Written" || vertex.name == "Chosen<float>") << vertex.name;
}

TEST_F(CompileErrors, AConstraintInAMacrosArgumentIsSeen) {
  const Module module = test::compiled(
      "template <bool B> class V;\n"
      "#define DEFINE(B, CONSTRAINT) template <> class CONSTRAINT V<B> : public Vertex { public: "
      "\\\n"
      "  Input<Vector<float>> a; Output<Vector<float>> b; bool compute() { return true; } };\n"
      "DEFINE(true, [[poplar::constraint(\"elem(*a) != elem(*b)\")]])\nDEFINE(false, )\n",
      Architecture::Ipu2);
  ASSERT_EQ(module.vertices.size(), 2U);
  EXPECT_EQ(module.vertices[0].constraints, std::vector<std::string>{"elem(*a) != elem(*b)"});
  EXPECT_TRUE(module.vertices[1].constraints.empty());
}

TEST_F(CompileErrors, IncludeAConstraintOnAMissingField) {
  const auto vertex = [](const std::string &constraint) {
    return "class [[poplar::constraint(\"" + constraint +
           "\")]] V : public Vertex { public: Input<Vector<float>> a; Output<Vector<float>> b; "
           "bool compute() { return true; } };";
  };
  const std::string headers = "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n";
  EXPECT_THAT(errorOf(headers + vertex("elem(*a) != elem(*out)")),
              AllOf(HasSubstr("'V'"), HasSubstr("no field 'out'")));
  EXPECT_NO_THROW(test::compiled(vertex("elem(*a)!=elem(*b)"), Architecture::Ipu2));
  EXPECT_NO_THROW(test::compiled(vertex("a form of later versions"), Architecture::Ipu2));
}

TEST_F(CompileErrors, IgnoreAssemblyWithinFunctions) {
  const std::string source =
      "#include <poplar/Vertex.hpp>\nclass A : public poplar::Vertex {\n"
      "public: unsigned n; bool compute() {\n"
      "#ifdef __IPU__\nasm volatile(\"get %0, $WSR\" : \"=r\"(n));\n#else\nn = 1;\n#endif\n"
      "return true; } };";
  EXPECT_NO_THROW(test::compiled(source, Architecture::Cpu));
  EXPECT_NO_THROW(test::compiled(source, Architecture::Ipu2, {"-U__IPU__"}));
  EXPECT_NO_THROW(test::compiled(source, Architecture::Ipu2));
}

TEST_F(CompileErrors, ExcludeWarningsThatOnlyThisCompilerHas) {
  const char *const source = R"(
class A : public Vertex {
public:
  Input<Vector<short>> in;
  Output<short> sum;
  const unsigned short last;
  bool compute() {
    __builtin_assume(in.size() % 2 == 0);
    const auto count = last + 1;
    short total = 0;
#pragma clang loop unroll(disable)
    for (unsigned i = 0; i < count; ++i)
      total += in[i];
#pragma unroll
    for (unsigned i = count; i < in.size(); ++i)
      total -= in[i];
    *sum = total;
    return true;
  }
};)";
  EXPECT_NO_THROW(test::compiled(source, Architecture::Ipu2, {"-Wall", "-Werror"}));
  EXPECT_THROW(test::compiled(source, Architecture::Ipu2, {"-Wall", "-Werror", "-Wsign-compare"}),
               CompileError);
}

/// Code in compute() of a vertex V that no IPU target accepts, and words of the message, which
/// begins with the position.
const struct ErrorCase {
  const char *name;
  const char *before; ///< members of the class before compute()
  const char *code;
  std::vector<const char *> says;
} kErrorCases[] = {
    {"UnknownBuiltin",
     "",
     "*out = __builtin_ipu_f32cosine(1.0f);",
     {"mine.cpp:7:", "undeclared identifier '__builtin_ipu_f32cosine'"}},
    {"Throw", "", "throw 1;", {"mine.cpp:7:", "'throw' with exceptions disabled"}},
    {"Try", "", "try { *out = 1; } catch (...) {}", {"mine.cpp:7:", "'try' with exceptions"}},
    {"DynamicCast",
     "struct B { virtual ~B(); }; struct D : B {};",
     "B *b = nullptr; *out = dynamic_cast<D *>(b) != nullptr;",
     {"mine.cpp:7:", "dynamic_cast requires -frtti"}},
    {"TypeInformation",
     "#include <typeinfo>\n",
     "*out = *typeid(*out).name();",
     {"mine.cpp:", "typeid requires -frtti"}},
    {"ThreadLocalVariable",
     "namespace lib { thread_local int counter; }",
     "*out = ++lib::counter;",
     {"mine.cpp: error:", "'lib::counter' is thread_local", "make it a field of the vertex"}},
    {"UndefinedFunction",
     "namespace lib { float helper(float); }",
     "*out = lib::helper(1);",
     {"mine.cpp: error:", "undefined symbol 'lib::helper(float)'"}},
    {"JumpOutOfAssembly",
     "",
     "asm goto(\"br %l0\" : : : : here); here: *out = 1;",
     {"mine.cpp:7:", "labels of C++ are out of its reach"}},
};

class ErrorTable : public CompileErrors, public ::testing::WithParamInterface<ErrorCase> {};

TEST_P(ErrorTable, NamesFaultAndPosition) {
  const ErrorCase &c = GetParam();
  const std::string source = "#include <poplar/Vertex.hpp>\n" + std::string(c.before) +
                             "\nclass V : public poplar::Vertex {\npublic:\n"
                             "  poplar::Output<float> out;\n  bool compute() {\n    " +
                             c.code + "\n    return true;\n  }\n};\n";
  const std::string error = errorOf(source);
  for (const char *words : c.says)
    EXPECT_THAT(error, HasSubstr(words));
}

INSTANTIATE_TEST_SUITE_P(CodeForIpus, ErrorTable, ::testing::ValuesIn(kErrorCases),
                         [](const auto &p) { return std::string(p.param.name); });

TEST_F(CompileErrors, NameAVertexWhoseComputeHasOtherArguments) {
  const auto compiled = [](const std::string &base, const std::string &arguments) {
    test::compiled("class V : public " + base + " { public: Output<float> out; bool compute(" +
                       arguments + ") { return true; } };",
                   Architecture::Ipu2);
  };
  for (const auto &[base, arguments, says] :
       {std::tuple{"Vertex", "int", "compute() of 'V' must take no arguments"},
        {"MultiVertex", "", "compute() of 'V' must take one argument"}})
    try {
      compiled(base, arguments);
      ADD_FAILURE() << base << " compiles";
    } catch (const CompileError &error) {
      EXPECT_THAT(error.what(), HasSubstr(says));
      EXPECT_THAT(error.what(), HasSubstr("'compute' declared here"));
    }
  EXPECT_NO_THROW(compiled("Vertex", "int n = 2"));
  EXPECT_NO_THROW(compiled("MultiVertex", "unsigned worker, bool last = false"));
}

/// Returns the warnings for a codelet for Mk2.
std::string warningsOf(const std::string &before, const std::string &code) {
  ::testing::internal::CaptureStderr();
  test::compiled(before + "class V : public Vertex { public: Output<float> out; bool compute() { " +
                     code + " return true; } };",
                 Architecture::Ipu2);
  return ::testing::internal::GetCapturedStderr();
}

TEST_F(CompileErrors, VariablesSharedByAllTilesCauseAWarning) {
  EXPECT_THAT(warningsOf("", "static int counter; *out = ++counter;"),
              HasSubstr("'V::compute()::counter' is one for all tiles of this process"));
  EXPECT_THAT(warningsOf("namespace lib { int counter; }", "*out = ++lib::counter;"),
              HasSubstr("'lib::counter' is one for all tiles"));
  EXPECT_EQ(
      warningsOf("const int kTable[] = {1, 2, 3}; static int never = 5;",
                 "static const float local[] = {1, 2}; *out = kTable[int(*out) % 3] + never + "
                 "local[int(*out) % 2];"),
      "");
}

TEST_F(CompileErrors, UsesOfTheHeapCauseAWarning) {
  EXPECT_THAT(warningsOf("", "const unsigned n = *out; float *p = new float[n]; "
                             "for (unsigned i = 0; i < n; ++i) p[i] = *out * i; "
                             "for (unsigned i = 0; i < n; ++i) *out += p[n - 1 - i]; "
                             "delete[] p;"),
              HasSubstr("'operator new[](unsigned long)' takes memory from a heap"));
  EXPECT_THAT(warningsOf("#include <cstdlib>\nfloat *keep;\n",
                         "auto *p = static_cast<float *>(malloc(16)); keep = p; *out = p[1];"),
              HasSubstr("'malloc' takes memory from a heap"));
  EXPECT_EQ(warningsOf("#include <array>\n",
                       "std::array<float, 3> a{1, 2, 3}; auto *p = new int(3); "
                       "*out = a[int(*out)] + *p; delete p;"),
            "")
      << "the compiler needs no heap for a pair of new and delete that cancel out";
}

TEST_F(CompileErrors, IncludesAreRelativeToTheSourceAndToTheDirectory) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "src");
  std::filesystem::create_directories(folder.path() / "inc");
  std::ofstream(folder.path() / "src" / "near.hpp") << "#define NEAR 1\n";
  std::ofstream(folder.path() / "inc" / "far.hpp") << "#define FAR 2\n";
  std::ofstream(folder.path() / "src" / "a.cpp")
      << "#include <poplar/Vertex.hpp>\n#include \"near.hpp\"\n#include \"far.hpp\"\n"
         "class A : public poplar::Vertex { public: int n[NEAR + FAR]; bool compute() { return "
         "true; } };";
  CompileOptions options;
  options.targets = {Architecture::Ipu2};
  options.directory = folder.path().string();
  options.flags = {"-I", "inc"};
  const auto modules = compileFile("src/a.cpp", options);
  ASSERT_EQ(modules.at(0).vertices.size(), 1u);
  EXPECT_EQ(modules[0].vertices[0].fields[0].arrayLength, 3u);
  EXPECT_NE(std::filesystem::current_path(), folder.path());
}

} // namespace
} // namespace copse::popc
