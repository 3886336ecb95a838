// Tests the cycles that code counts as it runs: the model of the worker's pipeline in
// docs/timing-model.md.
#include "tile_memory.hpp"

#include "popc/native_compiler.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace copse::popc {
namespace {

using test::OpenModule;
using test::TileMemory;
using test::VertexState;

/// One vertex type in tile memory, and the cycles that its runs count.
class Counted {
public:
  Counted(const std::string &body, Architecture arch = Architecture::Ipu2,
          std::vector<std::string> flags = {})
      : module_(
            test::compiled("#include <cmath>\nclass V : public Vertex { public: " + body + " };",
                           arch, std::move(flags))),
        tile_(21), state_(tile_, module_.vertex("V")) {}

  /// Sets a Vector<T> field to \p n elements.
  template <class T = float> Counted &field(const std::string &name, std::uint32_t n) {
    state_.span(name, tile_.place(std::vector<T>(n)), n);
    return *this;
  }
  template <class T> Counted &field(const std::string &name, const std::vector<T> &values) {
    state_.span(name, tile_.place(values), static_cast<std::uint32_t>(values.size()));
    return *this;
  }
  template <class T> Counted &set(const std::string &name, T value) {
    state_.set(name, value);
    return *this;
  }
  /// Returns the count of one run [worker cycles].
  std::uint64_t run() {
    OpenModule::cycles() = 0;
    module_.entry("V")(state_.native(), 0);
    return OpenModule::cycles();
  }

private:
  OpenModule module_;
  TileMemory tile_;
  VertexState state_;
};

/// Debug information about variables must not change the cycles of one iteration of a loop.
TEST(CycleCountingForDebuggers, EqualsTheCountWithoutDebugInformation) {
  const std::string body = "Input<Vector<float>> in; Output<Vector<float>> out; bool compute() { "
                           "float sum = 0; for (unsigned i = 0; i < in.size(); ++i) { const float "
                           "twice = in[i] * 2; out[i] = twice; sum += twice; } return sum > 0; }";
  std::vector<std::uint64_t> cycles;
  for (const char *const flag : {"-O3", "-g", kDebuggedFlag}) {
    Counted vertex(body, Architecture::Ipu2, {flag});
    cycles.push_back(vertex.field("in", 64).field("out", 64).run());
  }
  EXPECT_EQ(cycles[1], cycles[0]);
  EXPECT_EQ(cycles[2], cycles[0]);
}

class CycleCounting : public ::testing::Test {
protected:
  /// Returns the cycles of one more iteration of a loop over fields of \p body.
  static double perTurn(const std::string &body,
                        const std::function<void(Counted &, std::uint32_t n)> &fields,
                        Architecture arch = Architecture::Ipu2) {
    constexpr std::uint32_t kFew = 16, kMany = 1040;
    std::uint64_t cycles[2];
    for (const auto &[index, n] : {std::pair{0, kFew}, std::pair{1, kMany}}) {
      Counted vertex(body, arch);
      fields(vertex, n);
      cycles[index] = vertex.run();
    }
    return static_cast<double>(cycles[1] - cycles[0]) / (kMany - kFew);
  }

private:
  test::OwnCache cache_;
};

constexpr const char *kThreeVectors = "Input<Vector<float>> a, b; Output<Vector<float>> c; ";
void three(Counted &vertex, std::uint32_t n) { vertex.field("a", n).field("b", n).field("c", n); }

TEST_F(CycleCounting, PlainLoopTakesItsInstructionsAndOneBranch) {
  // ld32, ld32, f32add, st32, brnzdec
  EXPECT_EQ(perTurn(std::string(kThreeVectors) +
                        "bool compute() { const unsigned n = a.size(); for (unsigned i = 0; i < n; "
                        "++i) c[i] = a[i] + b[i]; return true; }",
                    three),
            5);
}

TEST_F(CycleCounting, LoopsWithoutVectorsInTheSourceAreNotVectorised) {
  // The host's compiler does vectorise this loop.
  const std::string body = "Input<Vector<int>> a; Output<int> c; bool compute() { int s = 0; for "
                           "(unsigned i = 0; i < a.size(); ++i) s += a[i]; *c = s; return true; }";
  EXPECT_EQ(perTurn(body, [](Counted &vertex,
                             std::uint32_t n) { vertex.field<int>("a", n).set("c", 0x60000u); }),
            3); // ld32, add, brnzdec
}

TEST_F(CycleCounting, VectorTypesMove64BitsAtOnce) {
  EXPECT_EQ(perTurn("Input<Vector<float, VectorLayout::SPAN, 8>> a, b; Output<Vector<float, "
                    "VectorLayout::SPAN, 8>> c; float s; bool compute() { const float2 *x = "
                    "reinterpret_cast<const float2 *>(&a[0]), *y = reinterpret_cast<const float2 "
                    "*>(&b[0]); float2 *z = reinterpret_cast<float2 *>(&c[0]); const unsigned n = "
                    "a.size() / 2; const float by = s; for (unsigned i = 0; i < n; ++i) z[i] = "
                    "x[i] + by * y[i]; return true; }",
                    three),
            3); // ld64, ld64, f32v2mul, f32v2add, st64, brnzdec, for two elements
  EXPECT_EQ(perTurn("Input<Vector<half, VectorLayout::SPAN, 8>> a, b; Output<Vector<half, "
                    "VectorLayout::SPAN, 8>> c; bool compute() { const half4 *x = "
                    "reinterpret_cast<const half4 *>(&a[0]), *y = reinterpret_cast<const half4 "
                    "*>(&b[0]); half4 *z = reinterpret_cast<half4 *>(&c[0]); const unsigned n = "
                    "a.size() / 4; for (unsigned i = 0; i < n; ++i) z[i] = x[i] + y[i]; return "
                    "true; }",
                    [](Counted &vertex, std::uint32_t n) {
                      vertex.field<short>("a", n).field<short>("b", n).field<short>("c", n);
                    }),
            1.25); // ld64, ld64, f16v4add, st64, brnzdec, for four elements
}

TEST_F(CycleCounting, NeighboursOfBothLanesAreIssuedTogetherInRepeatedLoops) {
  const auto loop = [](const std::string &count) {
    return perTurn("Input<Vector<float>> a, b; Output<float> c; unsigned short n; bool compute() { "
                   "float s = 0, t = 0; const unsigned turns = " +
                       count +
                       "; for (unsigned i = 0; i < turns; ++i) { s += a[i]; t += b[i]; } *c = s + "
                       "t; return true; }",
                   [](Counted &vertex, std::uint32_t n) {
                     vertex.field("a", n).field("b", n).set("c", 0x60000u);
                     vertex.set("n", static_cast<std::uint16_t>(n));
                   });
  };
  EXPECT_EQ(loop("n"), 3);        // ld32, {f32add; ld32}, f32add
  EXPECT_EQ(loop("a.size()"), 5); // ld32, f32add, ld32, f32add, brnzdec
}

TEST_F(CycleCounting, LoopsWhoseCountFitsRepeatWithoutABranch) {
  const std::string body = "Input<Vector<float>> a, b; Output<Vector<float>> c; unsigned short n; "
                           "bool compute() { const unsigned turns = n; for (unsigned i = 0; i < "
                           "turns; ++i) c[i] = a[i] + b[i]; return true; }";
  const auto fields = [](Counted &vertex, std::uint32_t n) {
    three(vertex, n);
    vertex.set("n", static_cast<std::uint16_t>(n));
  };
  EXPECT_EQ(perTurn(body, fields), 4);
  EXPECT_EQ(perTurn(body, fields, Architecture::Ipu1), 5); // its counter has 12 bits
}

TEST_F(CycleCounting, BranchesCountTheirTarget) {
  const std::string body =
      "InOut<Vector<int>> a; bool compute() { const unsigned n = a.size(); for (unsigned i = 0; i "
      "< n; ++i) if (a[i] > 100) a[i] = a[i] / 3 / a[i]; return true; }";
  Counted vertex(body);
  vertex.field<int>("a", 64); // zeros: no turn divides
  EXPECT_LT(vertex.run(), 64 * 8u);
  EXPECT_GT(Counted("int x, y; bool compute() { y = x / (y | 1); return true; }").run(), 250u)
      << "the tile has no division of integers";
}

TEST_F(CycleCounting, LoopsCountTheirIterationsAtEveryExit) {
  // Zeros must not end the loop, nor skip the rest of an iteration of the outer loop.
  Counted vertex("Input<Vector<int>> a; Output<int> c; bool compute() { int s = 0; const unsigned "
                 "n = a.size() / 16; for (unsigned r = 0; r < n; ++r) { for (unsigned i = 0; i < "
                 "16; ++i) { const int x = a[16 * r + i]; if (x == 1) break; if (x == 2) goto end; "
                 "s += x; } s ^= 1; } end: *c = s; return true; }");
  const auto count = [&](const std::vector<int> &values) {
    vertex.field("a", values).set("c", 0x60000u);
    return vertex.run();
  };
  std::vector<int> values(64 * 16);
  const std::uint64_t all = count(values);
  const auto countWith = [&](std::size_t place, int value) {
    auto changed = values;
    changed[place] = value;
    return count(changed);
  };
  const auto leftAt = [&](std::size_t place) { return countWith(place, 2); };
  const std::uint64_t perTurn = leftAt(2) - leftAt(1), perRow = leftAt(33) - leftAt(17);
  EXPECT_GT(perTurn, 2u);
  EXPECT_EQ(leftAt(9) - leftAt(1), 8 * perTurn);
  EXPECT_EQ(leftAt(60 * 16) - leftAt(10 * 16), 50 * perRow);
  EXPECT_GT(perRow, 16 * perTurn);
  // A row that ends at its first element saves nearly all of its iterations, and no more.
  EXPECT_LT(countWith(160, 1), all - 14 * perTurn);
  EXPECT_GT(countWith(160, 1), all - 17 * perTurn);
  EXPECT_EQ(all - countWith(160, 1), all - countWith(32, 1));
}

TEST_F(CycleCounting, IterationsCountOnEveryBranch) {
  // The host's compiler vectorises this loop, and the count.
  Counted vertex("Input<Vector<int>> a; Output<Vector<int>> c; bool compute() { for (unsigned r = "
                 "0; r < 3; ++r) for (unsigned i = 0; i < a.size(); ++i) if (a[i] > 0) c[i] = a[i] "
                 "* 3; return true; }");
  const auto count = [&](std::size_t positive) {
    std::vector<int> values(1000);
    for (std::size_t i = 0; i < positive; ++i)
      values[7 * i % 1000] = 1;
    vertex.field("a", values).field<int>("c", 1000);
    return vertex.run();
  };
  const std::uint64_t none = count(0), one = count(1) - none;
  EXPECT_GE(none, 3 * 1000 * 3u);
  EXPECT_GE(one, 3 * 2u); // mul, st32
  EXPECT_EQ(count(500), none + 500 * one);
  EXPECT_EQ(count(1000), none + 1000 * one);
}

TEST_F(CycleCounting, LoopsInStepsOfSixCompareInEveryIteration) {
  // PopLibs counts seven cycles for the same loop; the number of iterations is rounded up.
  EXPECT_NEAR(6 * perTurn("Input<Vector<int>> a, b; Output<Vector<int>> c; bool compute() { for "
                          "(unsigned i = 0; i < a.size(); i += 6) c[i] = a[i] + b[i]; return "
                          "true; }",
                          three),
              7, 0.05);
}

TEST_F(CycleCounting, NumbersOf64BitsAreLoadedInWordsUnlessTheyAreCopied) {
  const auto of = [](const char *expression) {
    return perTurn(std::string("Input<Vector<long long>> a, b; Output<Vector<long long>> c; bool "
                               "compute() { for (unsigned i = 0; i != c.size(); ++i) c[i] = ") +
                       expression + "; return true; }",
                   [](Counted &vertex, std::uint32_t n) {
                     for (const char *field : {"a", "b", "c"})
                       vertex.field<std::int64_t>(field, n);
                   });
  };
  EXPECT_EQ(of("a[i]"), 3);                           // ld64, st64, brnzdec
  EXPECT_EQ(of("a[i] & b[i]"), 2 * 2 + 2 + 2 + 1);    // PopLibs' table has 9 cycles, too
  EXPECT_EQ(of("~(a[i] ^ b[i])"), 2 * 2 + 2 + 2 + 1); // xnor
  EXPECT_EQ(of("a[i] + b[i]"), 2 * 2 + 4 + 2 + 1);
}

TEST_F(CycleCounting, InversionsBelongToTheirInstruction) {
  const auto of = [](const char *expression) {
    return perTurn(std::string("Input<Vector<int>> a, b; Output<Vector<int>> c; bool compute() { "
                               "for (unsigned i = 0; i != c.size(); ++i) c[i] = ") +
                       expression + "; return true; }",
                   three);
  };
  EXPECT_EQ(of("~(a[i] ^ b[i])"), 5); // ld32, ld32, xnor, st32, brnzdec
  EXPECT_EQ(of("a[i] & ~b[i]"), 5);   // andc
  EXPECT_EQ(of("~(a[i] | b[i])"), 6); // or, not
}

TEST_F(CycleCounting, PartsOfAVectorOfHalvesAreRegisters) {
  const double turn = perTurn(
      "Input<Vector<half, VectorLayout::SPAN, 8>> a; Output<Vector<half, VectorLayout::SPAN, 8>> "
      "c; bool compute() { auto *x = reinterpret_cast<const half4 *>(&a[0]); auto *z = "
      "reinterpret_cast<half4 *>(&c[0]); const unsigned n = a.size() / 4; for (unsigned i = 0; i < "
      "n; ++i) { const half4 u = x[i]; z[i] = "
      "__builtin_shufflevector(__builtin_ipu_exp(__builtin_shufflevector(u, u, 0, 1)), "
      "__builtin_ipu_exp(__builtin_shufflevector(u, u, 2, 3)), 0, 1, 2, 3); } return true; }",
      [](Counted &vertex, std::uint32_t n) { vertex.field<short>("a", n).field<short>("c", n); });
  EXPECT_EQ(4 * turn, 7); // ld64, f16v2exp, f16v2exp, st64, brnzdec
}

TEST_F(CycleCounting, StencilOfTheExampleTakesItsComparisons) {
  const auto fields = [](Counted &vertex, std::uint32_t n) {
    for (const char *field : {"above", "row", "below", "next"})
      vertex.field(field, n);
  };
  const double turn = perTurn(R"(Input<Vector<float>> above, row, below; Output<Vector<float>> next;
    float rate;
    bool compute() {
      const unsigned columns = row.size();
      for (unsigned c = 0; c < columns; ++c) {
        const float left = row[c == 0 ? columns - 1 : c - 1];
        const float right = row[c + 1 == columns ? 0 : c + 1];
        next[c] = row[c] + rate * (left + right + above[c] + below[c] - 4.0f * row[c]);
      }
      return true;
    })",
                              fields);
  EXPECT_EQ(turn, 22); // 6 loads, a store, 7 of floats, 7 of the ends, the branch
}

TEST_F(CycleCounting, FunctionsCountTheirOwnCode) {
  const std::string leaf =
      "__attribute__((noinline)) static float poly(float x) { return x * x * x "
      "+ x; } ";
  const auto fields = [](Counted &vertex, std::uint32_t n) { vertex.field("a", n); };
  const double calls =
      perTurn(leaf + "InOut<Vector<float>> a; bool compute() { const unsigned n = a.size(); for "
                     "(unsigned i = 0; i < n; ++i) a[i] = poly(a[i]); return true; }",
              fields);
  // ld32, the call, f32mul, f32mul, f32add, the return, st32, brnzdec
  EXPECT_GE(calls, 8);
  EXPECT_LE(calls, 12);
}

TEST_F(CycleCounting, MathematicsCostTheTilesCycles) {
  const auto of = [](const char *expression) {
    return perTurn(std::string("InOut<Vector<float>> a; bool compute() { const unsigned n = "
                               "a.size(); for (unsigned i = 0; i < n; ++i) a[i] = ") +
                       expression + "; return true; }",
                   [](Counted &vertex, std::uint32_t n) { vertex.field("a", n); });
  };
  const double copy = 3; // ld32, st32, brnzdec
  EXPECT_EQ(of("std::sqrt(a[i])"), copy + 5);
  EXPECT_EQ(of("std::exp(a[i])"), copy + 3);
  EXPECT_EQ(of("std::tanh(a[i])"), copy + 5);
  EXPECT_EQ(of("1.0f / a[i]"), copy + 3);
  EXPECT_GT(of("std::sin(a[i])"), 2000);
}

TEST_F(CycleCounting, BuiltinsCostTheirInstructions) {
  const auto of = [](const std::string &type, const char *expression) {
    return perTurn("InOut<Vector<" + type.substr(0, type.find_first_of("24")) +
                       ", VectorLayout::SPAN, 8>> a; bool compute() { auto *x = "
                       "reinterpret_cast<" +
                       type +
                       " *>(&a[0]); for (unsigned i = 0; i < 16; ++i) { const auto y = "
                       "x[i]; const unsigned n = a.size(); for (unsigned j = 0; j < n; "
                       "++j) { const " +
                       type + " z = " + expression + "; x[i] = z; } } return true; }",
                   [](Counted &vertex, std::uint32_t n) { vertex.field<std::uint64_t>("a", n); }) /
           16;
  };
  const double store = 2; // st32 or st64, brnzdec
  EXPECT_EQ(of("float", "__builtin_ipu_exp(x[j])"), 1 + 3 + store);
  EXPECT_EQ(of("float", "__builtin_ipu_sigm(x[j])"), 1 + 5 + store);
  EXPECT_EQ(of("float", "__builtin_ipu_oox(x[j])"), 1 + 3 + store);
  EXPECT_EQ(of("half2", "__builtin_ipu_sigm(x[j])"), 1 + 2 + store);
  EXPECT_EQ(of("half2", "__builtin_ipu_tanh(x[j])"), 1 + 1 + store);
}

TEST_F(CycleCounting, EqualRunsCountTheSame) {
  Counted vertex(std::string(kThreeVectors) +
                 "bool compute() { for (unsigned i = 0; i < a.size(); ++i) "
                 "c[i] = a[i] > 0 ? a[i] : b[i]; return true; }");
  three(vertex, 333);
  const std::uint64_t first = vertex.run();
  EXPECT_EQ(vertex.run(), first);
  EXPECT_GT(first, 333u * 4);
}

TEST_F(CycleCounting, EmptyVertexTakesAFewCycles) {
  EXPECT_LE(Counted("bool compute() { return true; }").run(), 2u);
}

} // namespace
} // namespace copse::popc
