#include "devices.hpp"

#include "poplar/exceptions.hpp"

#include <bit>
#include <cstdint>
#include <numeric>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char *kInlineAssemblyCodelets = R"code(
#include <cstdint>
#include <ipu_builtins.h>
#include <poplar/Vertex.hpp>
using namespace poplar;

template <class To, class From> To bits(From from) {
  To to = {};
  static_assert(sizeof to >= sizeof from, "");
  __builtin_memcpy(&to, &from, sizeof from);
  return to;
}

class Scalars : public Vertex {
public:
  Input<int> i;
  Input<unsigned> u;
  Input<float> f;
  Input<half> h;
  Output<Vector<unsigned>> results;
  bool compute() {
    int sum; unsigned product; float scaled; half doubled;
    asm("add %0, %1, %2" : "=r"(sum) : "r"(*i), "i"(-7));
    asm("mul %[product], %[x], %[y]" : [product] "=r"(product) : [x] "r"(*u), [y] "n"(3));
    asm("f32mul %0, %1, %1" : "=r"(scaled) : "r"(*f));
    asm("f16v2add %0, %1, %1" : "=r"(doubled) : "r"(*h));
    const bool yes = *i != 0;
    unsigned char byte = 200;
    unsigned flag, sixteen;
    short less;
    asm("mov %0, %1" : "=r"(flag) : "r"(yes));
    asm("add %0, %0, 100" : "+r"(byte));
    asm("add %0, %1, 0" : "=r"(sixteen) : "r"(static_cast<unsigned short>(0xFFFE)));
    asm("sub %0, $mzero, %1" : "=r"(less) : "r"(5));
    results[0] = unsigned(sum); results[1] = product; results[2] = bits<unsigned>(scaled);
    results[3] = bits<unsigned>(doubled); results[4] = flag; results[5] = byte; results[6] = sixteen;
    results[7] = unsigned(int(less));
    return true;
  }
};

class Vectors : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 16>> x;
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> y;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> sums;
  Output<Vector<half, VectorLayout::ONE_PTR, 8>> products;
  Output<Vector<unsigned>> words;
  bool compute() {
    const float2 *a = reinterpret_cast<const float2 *>(&x[0]);
    const half4 *b = reinterpret_cast<const half4 *>(&y[0]);
    float2 two, doubled;
    float4 four;
    asm("f32v2add %0, %1, %2" : "=r"(two) : "r"(a[0]), "r"(a[1]));
    asm("ld128 %0, $mzero, %1, 0" : "=r"(four) : "r"(&x[0]));
    asm volatile("setzi $a6, 8\n uput $FP_CLR, $a6\n f32v4acc %1\n f32v4acc %1\n f32v2gina %0, $azeros, 0"
                 : "=r"(doubled) : "r"(four) : "$a6");
    const float2 rest = __builtin_ipu_f32v2gina(float2{}, 0);
    for (int i = 0; i < 2; ++i) {
      sums[i] = two[i];
      sums[2 + i] = doubled[i];
      sums[4 + i] = rest[i];
    }
    half4 wide; half2 narrow = {y[0], y[1]};
    asm("f16v4mul %0, %1, %2" : "=r"(wide) : "r"(b[0]), "r"(b[1]));
    asm("f16v2add %0, %0, %0" : "+r"(narrow));
    for (int i = 0; i < 4; ++i) products[i] = wide[i];
    for (int i = 0; i < 2; ++i) products[4 + i] = narrow[i];
    uint2 packed;
    unsigned long long both = 0x1122334455667788ull;
    asm("tapack %0, %1, %2, %3" : "=r"(packed) : "r"(0x54321), "r"(0x6789A), "r"(0x12345));
    short2 shorts = {1, -2};
    asm("sort4x16hi %0, %0, $mzero" : "+r"(shorts));
    asm("" : "+r"(both)); // nothing changes
    words[0] = packed[0]; words[1] = packed[1]; words[2] = unsigned(both >> 32);
    words[3] = bits<unsigned>(shorts);
    return true;
  }
};

class Memory : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> x;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> copy;
  Output<float> dot;
  Output<Vector<unsigned>> counts;
  bool compute() {
    const float *from = &x[0];
    float *to = &copy[0];
    unsigned left = x.size() - 1, loops = 0;
    float word;
    // A loop with a label, and a pointer that moves on.
    asm volatile(R"(
        1: ld32step %[word], $mzero, %[from]+=, 1
           st32step %[word], $mzero, %[to]+=, 1
           add %[loops], %[loops], 1
           brnzdec %[left], 1b
        )"
        : [from] "+r"(from), [to] "+r"(to), [left] "+r"(left), [loops] "+r"(loops), [word] "=&r"(word)
        :
        : "memory");
    // A repeat of bundles with the accumulators, which builtins share.
    const float2 *pairs = reinterpret_cast<const float2 *>(&x[0]);
    unsigned turns = x.size() / 2;
    asm volatile(R"(
        setzi $a6, 8
        uput $FP_CLR, $a6
        setzi $a0, 0
        zero $a2:3
        .align 8
        {
          rpt %[turns], 0
          fnop
        }
        {
          ld64step $a2:3, $mzero, %[pairs]+=, 1
          f32v2mac $a2:3, $a2:3
        }
        f32v2mac $a2:3, $a2:3
        )"
        : [pairs] "+r"(pairs)
        : [turns] "r"(turns)
        : "$a2:3", "$a6", "$a0", "memory");
    const float2 sums = __builtin_ipu_f32v2gina(float2{}, 0);
    *dot = sums[0] + sums[1];
    counts[0] = loops;
    counts[1] = unsigned(from - &x[0]);
    counts[2] = unsigned(pairs - reinterpret_cast<const float2 *>(&x[0]));
    std::uintptr_t address = reinterpret_cast<std::uintptr_t>(&x[0]);
    std::size_t offset = 4;
    float second;
    asm("add %[p], %[p], %[o]\n ld32 %[v], $mzero, %[p], 0" : [p] "+r"(address), [v] "=r"(second) : [o] "r"(offset));
    counts[3] = bits<unsigned>(second);
    counts[4] = unsigned(address - reinterpret_cast<std::uintptr_t>(&x[0]));
    return true;
  }
};

class Registers : public Vertex {
public:
  Output<Vector<unsigned>> results;
  bool compute() {
    unsigned tied, early, other;
    asm("add %0, %1, 1" : "=r"(tied) : "0"(41u));
    asm("setzi %0, 5\n mov %1, %2" : "=&r"(early), "=r"(other) : "r"(9u));
    unsigned fixed;
    asm("setzi $m0, 1\n setzi $m1, 2\n setzi $m2, 3\n add %0, $m0, %1" : "=r"(fixed) : "r"(10u) : "$m0", "$m1", "$m2");
    // As many operands as there are registers.
    unsigned o0, o1, o2, o3, o4, o5, o6;
    asm("add %0, %7, 1\n add %1, %8, 1\n add %2, %9, 1\n add %3, %10, 1\n add %4, %11, 1\n add %5, %12, 1\n add %6, %13, 1"
        : "=r"(o0), "=r"(o1), "=r"(o2), "=r"(o3), "=r"(o4), "=r"(o5), "=r"(o6)
        : "r"(0), "r"(1), "r"(2), "r"(3), "r"(4), "r"(5), "r"(6));
    unsigned number, before, after;
    asm volatile("uput $PRNG_SEED, %0" :: "r"(bits<float>(99u)));
    asm volatile("urand32 $a1\n mov %0, $a1" : "=r"(number) :: "$a1");
    __builtin_ipu_uput(99, 0x107);
    before = __builtin_ipu_urand32();
    const unsigned start = __builtin_ipu_get_scount_l();
    asm volatile("nop\n nop\n nop");
    after = __builtin_ipu_get_scount_l() - start;
    results[0] = tied; results[1] = early; results[2] = other; results[3] = fixed;
    results[4] = o0 + 10 * o1 + 100 * o2 + 1000 * o3 + 10000 * o4 + 100000 * o5 + 1000000 * o6;
    results[5] = number == before; results[6] = after;
    return true;
  }
};

template <class T> T larger(T x, T y);
template <> float larger(float x, float y) {
  float r;
  asm("f32max %0, %1, %2" : "=r"(r) : "r"(x), "r"(y));
  return r;
}
template <> half larger(half x, half y) {
  half r;
  asm("f16v2max %0, %1, %2" : "=r"(r) : "r"(x), "r"(y));
  return r;
}
template <class T> class Largest : public Vertex {
public:
  Input<Vector<T>> x;
  Output<T> result;
  bool compute() {
    T most = x[0];
    for (unsigned i = 1; i < x.size(); ++i) {
      asm volatile("# only a comment" ::: "memory");
      most = larger<T>(most, x[i]);
    }
    *result = most;
    return true;
  }
};
template class Largest<float>;
template class Largest<half>;

template <bool kTwice> static __attribute__((always_inline)) void chooseStep() {
  if constexpr (kTwice)
    asm volatile(".macro step R BY:vararg\n add \\R, \\R, \\BY\n add \\R, \\R, \\BY\n.endm" ::);
  else
    asm volatile(".macro step R BY:vararg\n add \\R, \\R, \\BY; .endm; " ::);
}
template <bool kTwice> static __attribute__((always_inline)) unsigned stepped(unsigned x) {
  chooseStep<kTwice>();
  asm volatile("step %0, 5\n// for the next choice\n.purgem step" : "+r"(x));
  return x;
}
class Macros : public Vertex {
public:
  Output<Vector<unsigned>> results;
  bool compute() {
    results[0] = stepped<false>(1);
    results[1] = stepped<true>(1);
    asm volatile(".macro zeroed R\n or \\R, $mzero, $mzero\n.endm" ::);
    unsigned zero = 9;
    asm volatile("zeroed %0" : "+r"(zero));
    results[2] = zero;
    return true;
  }
};

// The tile's compiler has nothing under these names.
inline void __builtin_ipu_put_tas(float v) noexcept { asm volatile("uput $TAS, %0" :: "r"(v + 1.0f)); }
template <class T> static __attribute__((noinline)) unsigned distance(T *first, T *second) {
  register T *from asm("$m2") = first;
  register T *to asm("$m3") = second;
  register unsigned words asm("$m7");
  asm("sub %[words], $m3, $m2\n shr %[words], $m7, 2" : [words] "=r"(words) : [from] "r"(from), [to] "r"(to));
  return words;
}
class Named : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<unsigned>> results;
  bool compute() {
    results[0] = distance(&x[1], &x[4]);
    __builtin_ipu_put_tas(41.0f);
    results[1] = unsigned(bits<float>(__builtin_ipu_uget(0x108)));
    const unsigned start = __builtin_ipu_get_scount_l();
    for (int i = 0; i < 1000; ++i)
      asm volatile("nop\n{ nop; fnop }");
    results[2] = __builtin_ipu_get_scount_l() - start;
    return true;
  }
};

class Variable : public Vertex {
public:
  Output<float> y;
  bool compute() {
    float local = 1.0f;
    const float *p = &local;
    asm volatile("ld32 %0, $mzero, %1, 0" : "=r"(*y) : "r"(p) : "memory");
    return true;
  }
};
class OffTheTile : public Vertex {
public:
  Output<float> y;
  bool compute() {
    asm volatile("ld32 %0, $mzero, $mzero, 0" : "=r"(*y));
    return true;
  }
};
class Ends : public Vertex {
public:
  Output<float> y;
  bool compute() {
    *y = 1;
    asm volatile("exitz $mzero");
    return true;
  }
};
class ForTheSupervisor : public Vertex {
public:
  Output<float> y;
  bool compute() {
    *y = 1;
    asm volatile("sync %0" :: "i"(1));
    return true;
  }
};
)code";

/// Inline assembly on the devices that have __IPU__.
class InlineAssembly : public OnEveryDevice {
protected:
  InlineAssembly() {
    std::stringstream source(kInlineAssemblyCodelets);
    graph_.addCodelets(source);
    set_ = graph_.addComputeSet("set");
  }
  VertexRef vertex(const std::string &type) {
    const VertexRef v = graph_.addVertex(set_, type);
    graph_.setTileMapping(v, 0);
    return v;
  }
  Tensor local(const Type &type, std::size_t elements, const char *name) {
    const Tensor t = graph_.addVariable(type, {elements}, name);
    graph_.setTileMapping(t, 0);
    graph_.createHostRead(name, t);
    return t;
  }
  template <class T>
  Tensor filled(const Type &type, const std::vector<T> &values, const char *name) {
    const Tensor t = local(type, values.size(), name);
    graph_.setInitialValue(t, ArrayRef<T>(values));
    return t;
  }
  std::string faultOf(const char *type) {
    graph_.connect(vertex(type)["y"], local(FLOAT, 1, "y")[0]);
    Engine engine = load(Execute(set_));
    try {
      engine.run();
    } catch (const application_runtime_error &error) {
      return error.what();
    }
    return "";
  }
  ComputeSet set_;
};

INSTANTIATE_TEST_SUITE_P(Devices, InlineAssembly, ::testing::ValuesIn(kModelAndIpu), deviceName);

TEST_P(InlineAssembly, TakesAndGivesScalarsOfEveryType) {
  const VertexRef v = vertex("Scalars");
  graph_.connect(v["i"], filled<int>(INT, {50}, "i")[0]);
  graph_.connect(v["u"], filled<unsigned>(UNSIGNED_INT, {11}, "u")[0]);
  graph_.connect(v["f"], filled<float>(FLOAT, {1.5F}, "f")[0]);
  graph_.connect(v["h"], filled<float>(HALF, {2.5F}, "h")[0]);
  graph_.connect(v["results"], local(UNSIGNED_INT, 8, "results"));
  Engine engine = load(Execute(set_));
  engine.run();
  EXPECT_THAT(read<unsigned>(engine, "results", 8),
              ElementsAre(43U, 33U, std::bit_cast<unsigned>(2.25F), 0x4500U, 1U, (200 + 100) % 256U,
                          0xFFFEU, static_cast<unsigned>(-5)));
}

TEST_P(InlineAssembly, TakesAndGivesVectorsInGroupsOfRegisters) {
  const VertexRef v = vertex("Vectors");
  graph_.connect(v["x"], filled<float>(FLOAT, {1, 2, 3, 4}, "x"));
  graph_.connect(v["y"], filled<float>(HALF, {1, 2, 3, 4, 5, 6, 7, 8}, "y"));
  graph_.connect(v["sums"], local(FLOAT, 6, "sums"));
  graph_.connect(v["products"], local(HALF, 6, "products"));
  graph_.connect(v["words"], local(UNSIGNED_INT, 4, "words"));
  Engine engine = load(Execute(set_));
  engine.run();
  EXPECT_THAT(read<float>(engine, "sums", 6), ElementsAre(4, 6, 2, 4, 6, 8));
  EXPECT_THAT(read<std::uint16_t>(engine, "products", 6),
              ElementsAre(0x4500, 0x4A00, 0x4D40, 0x5000, 0x4000, 0x4400)); // 5, 12, 21, 32, 2, 4
  EXPECT_THAT(read<unsigned>(engine, "words", 4),
              ElementsAre(0x345U << 21 | 0x54321U, 0x24U << 21 | 0x6789AU, 0x11223344U, 0xFFFEU));
}

TEST_P(InlineAssembly, ReadsAndWritesTheTilesMemoryInLoopsAndRepeats) {
  std::vector<float> x(16);
  std::iota(x.begin(), x.end(), 1.0F);
  const VertexRef v = vertex("Memory");
  graph_.connect(v["x"], filled<float>(FLOAT, x, "x"));
  graph_.connect(v["copy"], local(FLOAT, x.size(), "copy"));
  graph_.connect(v["dot"], local(FLOAT, 1, "dot")[0]);
  graph_.connect(v["counts"], local(UNSIGNED_INT, 5, "counts"));
  Engine engine = load(Execute(set_));
  engine.run();
  EXPECT_EQ(read<float>(engine, "copy", x.size()), x);
  EXPECT_EQ(read<float>(engine, "dot", 1)[0],
            std::inner_product(x.begin(), x.end(), x.begin(), 0.0F));
  EXPECT_THAT(read<unsigned>(engine, "counts", 5),
              ElementsAre(16U, 16U, 8U, std::bit_cast<unsigned>(2.0F), 4U));
}

TEST_P(InlineAssembly, HasTheWorkersRegistersAndKeepsThemApart) {
  graph_.connect(vertex("Registers")["results"], local(UNSIGNED_INT, 7, "results"));
  Engine engine = load(Execute(set_));
  engine.run();
  EXPECT_THAT(read<unsigned>(engine, "results", 7),
              ElementsAre(42U, 5U, 9U, 11U, 7654321U, 1U, 6 * (1 + 3U)));
}

TEST_P(InlineAssembly, KnowsMacrosOfStatementsBeforeAndOfFunctionsThatAreCalled) {
  graph_.connect(vertex("Macros")["results"], local(UNSIGNED_INT, 3, "results"));
  Engine engine = load(Execute(set_));
  engine.run();
  EXPECT_THAT(read<unsigned>(engine, "results", 3), ElementsAre(6U, 11U, 0U));
}

TEST_P(InlineAssembly, UsesTheRegistersOfVariablesAndTheProgramsOwnBuiltins) {
  const VertexRef v = vertex("Named");
  graph_.connect(v["x"], filled<float>(FLOAT, {1, 2, 3, 4, 5}, "x"));
  graph_.connect(v["results"], local(UNSIGNED_INT, 3, "named"));
  Engine engine = load(Execute(set_));
  engine.run();
  const std::vector<unsigned> results = read<unsigned>(engine, "named", 3);
  EXPECT_EQ(results[0], 3U);
  EXPECT_EQ(results[1], 42U);
  // The loop has two instructions that do nothing, and a branch where rpt cannot repeat them.
  EXPECT_GE(results[2], 6 * 2000U);
  EXPECT_LE(results[2], 6 * 3010U);
}

TEST_P(InlineAssembly, IsInstantiatedWithTemplates) {
  const VertexRef floats = vertex("Largest<float>"), halves = vertex("Largest<half>");
  graph_.connect(floats["x"], filled<float>(FLOAT, {1, 7, 3}, "x"));
  graph_.connect(floats["result"], local(FLOAT, 1, "largest")[0]);
  graph_.connect(halves["x"], filled<float>(HALF, {1, 2, 9}, "y"));
  graph_.connect(halves["result"], local(HALF, 1, "half")[0]);
  Engine engine = load(Execute(set_));
  engine.run();
  EXPECT_EQ(read<float>(engine, "largest", 1)[0], 7);
  EXPECT_EQ(read<std::uint16_t>(engine, "half", 1)[0], 0x4880);
}

TEST_P(InlineAssembly, StopsTheProgramWhereAnOperandPointsToAVariable) {
  EXPECT_THAT(faultOf("Variable"), AllOf(HasSubstr("'Variable'"), HasSubstr("inline assembly"),
                                         HasSubstr("variables of functions")));
}

TEST_P(InlineAssembly, StopsTheProgramAtABadAccess) {
  EXPECT_THAT(faultOf("OffTheTile"), AllOf(HasSubstr("'OffTheTile'"), HasSubstr("inline assembly"),
                                           HasSubstr("ld32"), HasSubstr("memory address 0")));
}

TEST_P(InlineAssembly, DoesNotEndAVertex) {
  EXPECT_THAT(faultOf("Ends"), AllOf(HasSubstr("'Ends'"), HasSubstr("exitz")));
}

TEST_P(InlineAssembly, SupervisorInstructionStopsOnAWorker) {
  EXPECT_THAT(faultOf("ForTheSupervisor"),
              AllOf(HasSubstr("'ForTheSupervisor'"), HasSubstr("sync 1"), HasSubstr("supervisor")));
}

} // namespace
} // namespace copse::test
