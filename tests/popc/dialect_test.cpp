// Tests that codelets may use the C++ that clang accepts, for all targets, and with warnings as
// errors.
#include "tile_memory.hpp"

#include "popc/arch.hpp"

#include <gmock/gmock.h>

#include <cstdint>

namespace copse::popc {
namespace {

struct Idiom {
  const char *name;
  const char *source;
};

constexpr Idiom kIdioms[] = {
    {"HeadersWithoutTheirFolder", R"(
#include "StackSizeDefs.hpp"
#include "Vertex.hpp"
#include <HalfFloat.hpp>
class V : public Vertex { public: half h; bool compute() { return true; } };)"},
    {"PragmasWithMacros", R"(
#define STEPS 4
#define UNROLL _Pragma("unroll STEPS")
class V : public Vertex { public: Input<Vector<float>> in; Output<Vector<float>> out;
  bool compute() {
#pragma unroll STEPS
    for (unsigned i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
    UNROLL for (unsigned i = 0; i < in.size(); ++i) out[i] += in[i];
    return true; } };)"},
    {"VectorTypesOfClang", R"(
class V : public Vertex { public: InOut<Vector<float>> x;
  bool compute() { typedef float f2 __attribute__((ext_vector_type(2))); f2 t; t.x = x[0];
    t.y = t.x; x[1] = t.y; return true; } };)"},
    {"SpecialisationsOfFunctions", R"(
template <class T, class U> bool fits(T x, T most) { return float(U(x)) < float(most); }
template <> bool __attribute__((noinline)) fits<float, half>(float x, float most) { return x < most; }
class V : public Vertex { public: Input<float> x;
  bool compute() { return fits<float, half>(*x, 3.0f) && fits<float, int>(*x, 3.0f); } };)"},
    {"AlignmentOfAPointerAsAnUnsigned", R"(
class V : public Vertex { public: InOut<Vector<float>> x;
  bool compute() {
#ifdef __IPU__
    float *const p = &x[0];
    if (reinterpret_cast<unsigned>(p) & 4 || (unsigned)(const void *)this % 4 != 0) return false;
#endif
    asm volatile("" ::: "memory"); return x[0] != 0; } };)"},
    {"MemsetWithoutAHeader", R"(
class V : public Vertex { public: Output<Vector<int>> o;
  bool compute() { memset(&o[0], 0, o.size() * sizeof(int)); std::memcpy(&o[0], &o[1], 4);
    return true; } };)"},
    {"HalvesFromFieldsUninitialisedAndChosen", R"(
template <class T> T twice(T x) { T r; r = x + x; return r; }
class V : public Vertex { public: Input<float> a; Output<half> o; half state;
  bool compute() { half h; h = a; half k = a; *o = *a > 0 ? h : 1.0f; *o = twice(k); state = h;
    return true; } };)"},
    {"PointersWithoutConstToInputs", R"(
struct P { float a, b; };
class V : public Vertex { public: Input<Vector<float>> in;
  Input<Vector<float, VectorLayout::ONE_PTR>> one; Output<float> out;
  bool compute() { auto p = reinterpret_cast<P *>(&in[0]); float *f = &one[0];
    const float *c = &one[1]; *out = p[0].a + *f + *c; return true; } };)"},
    {"FieldsByValueAndRowsAssigned", R"(
class V : public Vertex { public:
  Vector<Input<Vector<float>>> in; Vector<Output<Vector<float>>> out; Vector<Output<int>> numbers;
  Input<float> a, b;
  float first(Vector<Input<Vector<float>>> v) { return v[0][0]; }
  bool compute() { out[0][0] = first(in); out[1] = in[1]; numbers[0] = 5;
    auto chosen = out[0][0] > 0 ? a : b; out[0][1] = chosen; return true; } };)"},
    {"FloatFunctionsAtGlobalScope", R"(
class V : public Vertex { public: Input<float> a, b; Output<float> o;
  bool compute() { *o = atan2(*a, *b) + sqrt(*a) + exp(*b) + 1.0f; return true; } };)"},
    {"MinimumOfFloatsIsAFloat", R"(
class V : public Vertex { public: Input<float> a, b; Output<float> o;
  bool compute() { *o = fmin((float)*a, (float)*b) + fmax((float)*a, 1.0f); return true; } };)"},
    {"ANameThatChangesItsMeaning", R"(
template <class T> using Sum = T;
template <class T> class V : public Vertex { public: using Sum = Sum<T>; Output<Sum> o;
  bool compute() { *o = Sum(1); return true; } };
template class V<float>;)"},
    {"AssumptionsAboutSizes", R"(
class V : public Vertex { public: Input<Vector<float>> in; Output<float> o; Input<unsigned> n;
  bool compute() { __builtin_assume(in.size() % 4 == 0); __builtin_assume(*n > 1); float sum = 0;
    for (unsigned i = 0; i < in.size(); ++i) sum += in[i]; *o = sum; return true; } };)"},
    {"RowsOfInputsAreConst", R"(
class V : public Vertex { public: Vector<Input<Vector<unsigned short, VectorLayout::ONE_PTR>>> in;
  Vector<Input<Vector<half>>> spans; Output<int> o;
  bool compute() { auto *p = &in[0][0]; p = reinterpret_cast<const unsigned short *>(p) + 1;
    const half *h = &spans[0][0]; for (const half &x : spans[1]) *o += int(x);
    *o += *p + int(*h); return true; } };)"},
};

/// Idioms of the tile that a CPU target does not have: vectors.
constexpr Idiom kOfTheTile[] = {
    {"VectorsOfBools", R"(
class V : public Vertex { public: Input<Vector<float, VectorLayout::ONE_PTR, 8>> x; Input<bool> b;
  Output<Vector<bool, VectorLayout::ONE_PTR, 8>> y;
  bool compute() { const float2 *in = reinterpret_cast<const float2 *>(&x[0]);
    const bool2 less = in[0] <= in[1], flag = {*b, *b}, none = !less;
    *reinterpret_cast<bool2 *>(&y[0]) = (less && flag) || none;
    static_assert(sizeof(bool2) == 2 && sizeof(bool4) == 4 && sizeof(bool8) == 8, ""); return less[0]; } };)"},
    {"LongVectorsBesideIntVectors", R"(
int which(int2) { return 1; }
int which(long2) { return 2; }
class V : public Vertex { public: Output<int> o;
  bool compute() { *o = which(int2{1, 2}) + which(long2{1, 2}); return true; } };)"},
    {"ComparisonsOfFloatVectorsAsLongVectors", R"(
static_assert(sizeof(long2) == 8 && sizeof(long4) == 16, "as on the tile");
long2 isLess(float2 x, float2 y) { return x < y; }
class V : public Vertex { public: Input<Vector<float>> in; Output<int> o;
  bool compute() { const float2 x = {in[0], in[1]}; long2 r = static_cast<long2>(x == x);
    r = isLess(x, x * x); *o = int(r[0] + r[1]); return true; } };)"},
    {"VectorMathWithTheTypeInFront", R"(
#include <ipu_vector_math>
class V : public Vertex { public: Input<Vector<half, VectorLayout::ONE_PTR, 8>> a; Output<Vector<half, VectorLayout::ONE_PTR, 8>> b;
  bool compute() { const half2 *p = reinterpret_cast<const half2 *>(&a[0]);
    *reinterpret_cast<half2 *>(&b[0]) = half2_fmax(p[0], half2_exp(p[1]));
    *reinterpret_cast<half4 *>(&b[4]) = ipu::clamp(half4{}, ipu::clamp(p[2], p[3]));
    return half4_sum(half4_fma(half4{}, half4{}, half4{}))[0] < float2_sum(float2_clamp(float2{}, float2{}, float2{})); } };)"},
    {"EdgesAsVectors", R"(
template <VectorLayout L> unsigned first(const Vector<unsigned, L, 4> &values) { return values[0]; }
unsigned last(const Vector<unsigned> &values) { return values[values.size() - 1]; }
class V : public Vertex { public: Input<Vector<unsigned>> in; Output<Vector<unsigned>> out;
  InOut<Vector<unsigned>> both; InOut<Vector<unsigned, VectorLayout::ONE_PTR>> pointer;
  bool compute() { out[0] = last(in) + last(both) + first(pointer); return last(out); } };)"},
    {"NamesOfConstantsAsNamesOfOperands", R"(
class V : public Vertex { public: int n; bool compute() {
  asm volatile("f32sisoamp $azeros, $a0, $azeros, %[TAMP_F32_E4_P0]\n"
               "f16v4sisoslic $azeros, $a0:1, $azeros, %[TSLIC_F16V4_1x4_W0]"
               :: [TAMP_F32_E4_P0] "i"(TAMP_F32_E4_P0), [TSLIC_F16V4_1x4_W0] "i"(TSLIC_F16V4_1x4_W0) : "memory");
  return true; } };)"},
    {"BuiltinsOfTheProgramsOwn", R"(
inline void __builtin_ipu_put_tas(float v) noexcept { asm volatile("uput $TAS, %0" :: "r"(v)); }
inline void __builtin_ipu_f32v2cmac(float2 x, float2 y) noexcept { asm volatile("f32v2mac %0, %1" :: "r"(x), "r"(y)); }
class V : public Vertex { public: Input<float> f;
  bool compute() { __builtin_ipu_put_tas(*f); __builtin_ipu_f32v2cmac(float2{}, float2{}); return true; } };)"},
    {"VariablesInRegisters", R"(
class V : public Vertex { public: Input<Vector<float>> in; Output<Vector<float>> out;
  bool compute() {
    register const float *from asm("$m2") = &in[0];
    register float *to __asm__("$m3") = &out[0];
    asm volatile("ld32 $a0, %[from], $mzero, 0\n st32 $a0, %[to], $mzero, 0" :: [from] "r"(from), [to] "r"(to) : "memory", "$a0");
    return true; } };)"},
};

/// Idioms of C++20 that are useful in device code.
constexpr Idiom kOfCpp20[] = {
    {"ConceptsAndConstraints", R"(
#include <concepts>
template <class T> concept Number = std::floating_point<T> || std::integral<T> || std::same_as<T, half>;
template <Number T> T twice(T x) { return x + x; }
auto larger(Number auto a, Number auto b) { return a > b ? a : b; }
class V : public Vertex { public: Input<float> a; Output<float> o; Output<half> h;
  bool compute() { *o = larger(twice((float)*a), 1.0f); *h = twice(half(*a)); return true; } };)"},
    {"ConstantEvaluation", R"(
#include <array>
consteval int power(int base, int n) { int r = 1; for (int i = 0; i < n; ++i) r *= base; return r; }
constexpr auto kTable = [] { std::array<int, 4> t{}; for (int i = 0; i < 4; ++i) t[i] = power(3, 2) * i; return t; }();
class V : public Vertex { public: Input<int> a; Output<int> o;
  bool compute() { *o = kTable[*a & 3]; return true; } };)"},
    {"DesignatedInitialisersAndComparisons", R"(
#include <compare>
struct Range { int begin = 0, end = 0; auto operator<=>(const Range &) const = default; };
class V : public Vertex { public: Input<int> a; Output<int> o;
  bool compute() { const Range r{.begin = *a, .end = 5}; *o = r < Range{.begin = 1, .end = 2}; return true; } };)"},
    {"BitsAndSpansAndLambdas", R"(
#include <bit>
#include <numbers>
#include <span>
class V : public Vertex { public: Input<Vector<float>> in; Output<unsigned> o;
  bool compute() {
    unsigned sum = 0;
    const auto add = [&]<class T>(T x) { sum += std::bit_cast<unsigned>(x * std::numbers::pi_v<T>); };
    for (const float x : std::span<const float>(&in[0], in.size())) [[likely]] add(x);
    *o = std::popcount(sum);
    return true;
  } };)"},
};

class Dialect : public ::testing::TestWithParam<std::tuple<Idiom, Architecture>> {
protected:
  test::OwnCache cache_;
};

TEST_P(Dialect, CompilesWithWarningsAsErrors) {
  const auto &[idiom, arch] = GetParam();
  EXPECT_NO_THROW(
      test::compiled(idiom.source, arch, {"-Wall", "-Wextra", "-Wdouble-promotion", "-Werror"}));
}

INSTANTIATE_TEST_SUITE_P(Idioms, Dialect,
                         ::testing::Combine(::testing::ValuesIn(kIdioms),
                                            ::testing::Values(Architecture::Cpu, Architecture::Ipu1,
                                                              Architecture::Ipu2)),
                         [](const auto &p) {
                           return std::string(std::get<0>(p.param).name) + "_" +
                                  std::string(traitsOf(std::get<1>(p.param)).name);
                         });

INSTANTIATE_TEST_SUITE_P(Tile, Dialect,
                         ::testing::Combine(::testing::ValuesIn(kOfTheTile),
                                            ::testing::Values(Architecture::Ipu1,
                                                              Architecture::Ipu2)),
                         [](const auto &p) {
                           return std::string(std::get<0>(p.param).name) + "_" +
                                  std::string(traitsOf(std::get<1>(p.param)).name);
                         });

class DialectOfCpp20 : public Dialect {};

TEST_P(DialectOfCpp20, CompilesWithWarningsAsErrors) {
  const auto &[idiom, arch] = GetParam();
  EXPECT_NO_THROW(
      test::compiled(idiom.source, arch, {"-std=c++20", "-Wall", "-Wextra", "-Werror"}));
}

TEST(DialectOfCpu, RefusesAPointerAsUnsigned) {
  const test::OwnCache cache;
  const char *const source = "class V : public Vertex { public: int n; bool compute() { return "
                             "reinterpret_cast<unsigned>(this) & 4; } };";
  EXPECT_THROW(test::compiled(source, Architecture::Cpu), CompileError);
  EXPECT_NO_THROW(test::compiled(source, Architecture::Ipu2));
}

INSTANTIATE_TEST_SUITE_P(Idioms, DialectOfCpp20,
                         ::testing::Combine(::testing::ValuesIn(kOfCpp20),
                                            ::testing::Values(Architecture::Cpu,
                                                              Architecture::Ipu2)),
                         [](const auto &p) {
                           return std::string(std::get<0>(p.param).name) + "_" +
                                  std::string(traitsOf(std::get<1>(p.param)).name);
                         });

/// Headers include each other in the same way as libc++'s.
TEST(DialectOfTheLibrary, AnyHeaderIncludesTheCommonFunctions) {
  const test::OwnCache cache;
  for (const char *header : {"memory", "vector", "utility", "limits"}) {
    const std::string source =
        "#include <" + std::string(header) +
        ">\ninline std::uint32_t bitsOf(float f) { std::uint32_t bits = 0; "
        "std::memcpy(&bits, &f, sizeof bits); return std::min(bits, "
        "std::numeric_limits<std::uint32_t>::max()); }\n"
        "#include <poplar/Vertex.hpp>\nclass V : public poplar::Vertex { public: "
        "poplar::Input<float> in; poplar::Output<unsigned> out;\n"
        "bool compute() { *out = bitsOf(*in); return true; } };\n";
    CompileOptions options;
    options.targets = {Architecture::Cpu, Architecture::Ipu2};
    EXPECT_EQ(compileSource(source, "codelets.cpp", options).size(), 2u) << header;
  }
}

/// Programs have replacements for them there.
TEST(DialectOfCpu, HasNoVectorsAndNoBuiltins) {
  const test::OwnCache cache;
  const char *const source =
      "struct Pair { float x, y; };\nusing float2 = Pair;\nusing half4 = Pair;\n"
      "template <class T> void __builtin_ipu_put_tas(T) {}\n"
      "class V : public Vertex { public: int n; bool compute() { __builtin_ipu_put_tas(float2{1, "
      "2}); return true; } };";
  EXPECT_NO_THROW(test::compiled(source, Architecture::Cpu, {"-Wall", "-Wextra", "-Werror"}));
  EXPECT_NO_THROW(test::compiled(source, Architecture::Ipu2, {"-U__IPU__"}));
  EXPECT_THROW(test::compiled(source, Architecture::Ipu2), CompileError);
}

/// Operations of halves in every form that LLVM's text has for them.
TEST(DialectOfHalves, VectorsOfThemSaturateElementByElement) {
  const test::OwnCache cache;
  const test::OpenModule module(test::compiled(
      "class V : public Vertex { public: Input<Vector<half, VectorLayout::SPAN, 8>> a; "
      "Output<Vector<half, VectorLayout::SPAN, 8>> o;\n"
      "bool compute() { const half4 x = *reinterpret_cast<const half4 *>(&a[0]);\n"
      "*reinterpret_cast<half4 *>(&o[0]) = x * half(2) + x / half4{1, 2, 4, 8};\n"
      "const float2 big = {float(x[2]) * 100, float(x[3]) * 100}; const half2 h = "
      "__builtin_convertvector(big, half2);\n"
      "o[4] = h[0]; o[5] = h[1]; o[6] = -x[3]; o[7] = half(int(x[0])); return true; } };",
      Architecture::Ipu2));
  test::TileMemory tile(21);
  const std::vector<_Float16> a{1.0f, 3.0f, 60000.0f, -60000.0f};
  const auto o = tile.place(std::vector<_Float16>(8), 16);
  test::VertexState state(tile, module.vertex("V"));
  state.span("a", tile.place(a), 4).span("o", o, 8);
  module.entry("V")(state.native(), 0);
  EXPECT_THAT(
      tile.read<_Float16>(o, 8),
      ::testing::ElementsAre(3.0f, 7.5f, 65504.0f, -65504.0f, 65504.0f, -65504.0f, 60000.0f, 1.0f));
}

} // namespace
} // namespace copse::popc
