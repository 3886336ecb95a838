#include "operation_run.hpp"
#include "poplin/MatMul.hpp"

#include <poplar/CycleCount.hpp>
#include <poplar/exceptions.hpp>
#include <poplin/codelets.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>

namespace copse::test {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::Type;

Values product(const Values &a, const Values &b, std::size_t groups, std::size_t m, std::size_t k,
               std::size_t n) {
  Values c(groups * m * n);
  for (std::size_t g = 0; g != groups; ++g)
    for (std::size_t i = 0; i != m; ++i)
      for (std::size_t j = 0; j != n; ++j)
        for (std::size_t p = 0; p != k; ++p)
          c[(g * m + i) * n + j] += a[(g * m + i) * k + p] * b[(g * k + p) * n + j];
  return c;
}

struct Sizes {
  std::size_t groups, m, k, n;
};

void PrintTo(const Sizes &s, std::ostream *out) {
  *out << s.groups << " x [" << s.m << "," << s.k << "," << s.n << "]";
}

class MatMul : public ::testing::TestWithParam<Machine> {
protected:
  /// Multiplies random matrices; operands are laid out by the library, or in small pieces.
  void expectProduct(const Sizes &s, const Type &in, const Type &out, bool created,
                     const poplar::OptionFlags &options = {}) {
    SCOPED_TRACE(::testing::PrintToString(s) + " " + in.toString() + " " + out.toString() +
                 (created ? ", created" : ", in pieces"));
    std::mt19937 random(static_cast<unsigned>(s.m * 131 + s.k * 17 + s.n));
    const Values a = randomValues(random, in, s.groups * s.m * s.k);
    const Values b = randomValues(random, in, s.groups * s.k * s.n);
    OperationRun c(GetParam());
    poplin::addCodelets(c.graph);
    const Shape aShape{s.groups, s.m, s.k}, bShape{s.groups, s.k, s.n};
    const Tensor A = created ? poplin::createMatMulGroupedInputLHS(c.graph, in, out, aShape, bShape,
                                                                   "A", options)
                             : c.variable(in, aShape);
    const Tensor B = created ? poplin::createMatMulGroupedInputRHS(c.graph, in, out, aShape, bShape,
                                                                   "B", options)
                             : c.variable(in, bShape, 7);
    ASSERT_EQ(A.shape(), aShape);
    ASSERT_EQ(B.shape(), bShape);
    ASSERT_TRUE(A.isParallelWriteable() && B.isParallelWriteable());
    c.initialise(A, a);
    c.initialise(B, b);
    const Tensor C = poplin::matMulGrouped(c.graph, A, B, c.prog, out, "product", options);
    ASSERT_EQ(C.shape(), (Shape{s.groups, s.m, s.n}));
    ASSERT_EQ(C.elementType(), out);
    c.graph.getTileMapping(C); // throws unless it is complete
    const auto result = c.output(C);
    c.run();
    const bool half = in == HALF || out == HALF;
    EXPECT_TRUE(areClose(c.read(result), product(a, b, s.groups, s.m, s.k, s.n), half ? 0.02 : 1e-4,
                         half ? 2e-3 : 1e-5));
  }
};

TEST_P(MatMul, EqualsAPlainProduct) {
  const Sizes sizes[] = {{1, 1, 1, 1},    {1, 1, 7, 1}, {1, 17, 5, 3},  {1, 6, 300, 33},
                         {1, 40, 24, 50}, {3, 5, 9, 4}, {20, 2, 3, 17}, {1, 64, 64, 64}};
  for (const Sizes &s : sizes)
    for (const bool created : {true, false})
      expectProduct(s, FLOAT, FLOAT, created);
}

TEST_P(MatMul, AcceptsHalvesWithEitherTypeOfPartialSums) {
  const poplar::OptionFlags half{{"partialsType", "half"}};
  for (const bool created : {true, false}) {
    expectProduct({1, 13, 40, 21}, HALF, HALF, created);
    expectProduct({1, 13, 40, 21}, HALF, FLOAT, created);
    expectProduct({2, 9, 33, 18}, HALF, HALF, created, half);
    expectProduct({1, 9, 33, 18}, FLOAT, HALF, created, half);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, MatMul,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::TwoIpuModel),
                         [](const auto &p) { return machineName(p.param); });

TEST(MatMulOperands, MayBeTransposedAndBroadcast) {
  OperationRun c(Machine::Model);
  std::mt19937 random(3);
  const Values a = randomValues(random, FLOAT, 6 * 10), b = randomValues(random, FLOAT, 4);
  const Tensor A = c.input(FLOAT, {10, 6}, a).transpose();     // [6][10]
  const Tensor B = c.input(FLOAT, {1, 4}, b).broadcast(10, 0); // [10][4]
  const auto result = c.output(poplin::matMul(c.graph, A, B, c.prog));
  c.run();
  Values expected(6 * 4);
  for (std::size_t i = 0; i != 6; ++i)
    for (std::size_t j = 0; j != 4; ++j)
      for (std::size_t k = 0; k != 10; ++k)
        expected[i * 4 + j] += a[k * 6 + i] * b[j];
  EXPECT_TRUE(areClose(c.read(result), expected, 1e-5, 1e-6));
}

TEST(MatMulOperands, CreatedForTheForwardPassServeTransposedInTheBackwardPass) {
  OperationRun c(Machine::Model);
  std::mt19937 random(5);
  const Values w = randomValues(random, FLOAT, 30 * 20), g = randomValues(random, FLOAT, 8 * 20);
  const Tensor W = poplin::createMatMulInputRHS(c.graph, FLOAT, {8, 30}, {30, 20}, "weights");
  c.initialise(W, w);
  const Tensor G = c.input(FLOAT, {8, 20}, g);
  const auto result = c.output(poplin::matMul(c.graph, G, W.transpose(), c.prog, "backward",
                                              {{"fullyConnectedPass", "TRAINING_BWD"}}));
  c.run();
  Values expected(8 * 30);
  for (std::size_t i = 0; i != 8; ++i)
    for (std::size_t j = 0; j != 30; ++j)
      for (std::size_t k = 0; k != 20; ++k)
        expected[i * 30 + j] += g[i * 20 + k] * w[j * 20 + k];
  EXPECT_TRUE(areClose(c.read(result), expected, 1e-4, 1e-5));
}

TEST(MatMulOperands, MayBePreArranged) {
  OperationRun c(Machine::Model);
  std::mt19937 random(6);
  const Values a = randomValues(random, FLOAT, 5 * 18), b = randomValues(random, FLOAT, 18 * 9);
  const Tensor A = c.input(FLOAT, {5, 18}, a), B = c.input(FLOAT, {18, 9}, b);
  const Tensor arranged = poplin::preArrangeMatMulInputRHS(c.graph, {5, 18}, B, c.prog);
  const auto result = c.output(
      poplin::matMul(c.graph, A, arranged, c.prog, "product", {{"inputRHSIsPreArranged", "true"}}));
  c.run();
  EXPECT_TRUE(areClose(c.read(result), product(a, b, 1, 5, 18, 9), 1e-4, 1e-5));
}

TEST(MatMulOperands, MayBeEmpty) {
  OperationRun c(Machine::Model);
  const auto none = [&](const Shape &shape) { return c.graph.addVariable(FLOAT, shape); };
  EXPECT_EQ(poplin::matMul(c.graph, none({0, 4}), none({4, 3}), c.prog).shape(), (Shape{0, 3}));
  EXPECT_EQ(poplin::matMul(c.graph, none({3, 4}), none({4, 0}), c.prog).shape(), (Shape{3, 0}));
  const auto zeros = c.output(poplin::matMul(c.graph, none({2, 0}), none({0, 3}), c.prog));
  c.run();
  EXPECT_EQ(c.read(zeros), Values(6, 0.0));
}

TEST(MatMulMemory, IsLimitedByComputingOutputColumnsInTurn) {
  OperationRun c(Machine::Model, 4);
  std::mt19937 random(8);
  const Sizes s{1, 200, 64, 512};
  const Values a = randomValues(random, FLOAT, s.m * s.k),
               b = randomValues(random, FLOAT, s.k * s.n);
  const poplar::OptionFlags little{{"availableMemoryProportion", "0.1"}};
  std::ostringstream plan;
  poplin::matMulReportPlan(plan, c.graph, FLOAT, FLOAT, {s.m, s.k}, {s.k, s.n}, little);
  EXPECT_THAT(plan.str(), ::testing::Not(::testing::HasSubstr("one after the other 1\n")));
  EXPECT_THAT(plan.str(), ::testing::Not(::testing::HasSubstr("more than")));
  const Tensor A = c.input(FLOAT, {s.m, s.k}, a), B = c.input(FLOAT, {s.k, s.n}, b);
  const auto result = c.output(poplin::matMul(c.graph, A, B, c.prog, "product", little));
  c.run();
  EXPECT_TRUE(areClose(c.read(result), product(a, b, 1, s.m, s.k, s.n), 1e-3, 1e-5));
}

TEST(MatMulMemory, SendsTheInputOnceForColumnsInTurn) {
  OperationRun c(Machine::Model, 64);
  const Shape a{64, 1024}, b{1024, 2048};
  const poplar::OptionFlags little{{"availableMemoryProportion", "0.05"}, {"partialsType", "half"}};
  std::stringstream plan;
  poplin::matMulReportPlan(plan, c.graph, HALF, HALF, a, b, little);
  // The plan would take a third more cycles if each of the steps sent the input again.
  EXPECT_THAT(plan.str(), ::testing::Not(::testing::HasSubstr("one after the other 1\n")));
  const Tensor A = poplin::createMatMulInputLHS(c.graph, HALF, a, b, "A", little);
  const Tensor B = poplin::createMatMulInputRHS(c.graph, HALF, a, b, "B", little);
  poplin::matMul(c.graph, A, B, c.prog, "product", little);
  const auto measured =
      c.output(poplar::cycleCount(c.graph, c.prog, 0, poplar::SyncType::INTERNAL));
  c.run();
  const std::string text = plan.str(), label = "in all ";
  const double planned = std::stod(text.substr(text.find(label) + label.size()));
  EXPECT_NEAR(c.read(measured).front() / planned, 1, 0.1) << text;
}

TEST(MatMulCache, ChangesNoResultAndIsFilledOnce) {
  const auto build = [](poplin::matmul::PlanningCache *cache) {
    OperationRun c(Machine::Model);
    std::mt19937 random(9);
    const Tensor A = c.input(FLOAT, {12, 30}, randomValues(random, FLOAT, 360));
    const Tensor B = c.input(FLOAT, {30, 14}, randomValues(random, FLOAT, 420));
    const auto result = c.output(poplin::matMul(c.graph, A, B, c.prog, "product", {}, cache));
    c.run();
    return c.read(result);
  };
  poplin::matmul::PlanningCache cache;
  const Values first = build(&cache);
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(build(&cache), first);
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(build(nullptr), first);
}

TEST(MatMulAcc, AddsScaledProducts) {
  for (const Type &type : {FLOAT, HALF}) {
    OperationRun c(Machine::Model);
    std::mt19937 random(10);
    const Values a = randomValues(random, type, 6 * 20), b = randomValues(random, type, 20 * 7);
    const Values before = randomValues(random, type, 42);
    const Tensor A = c.input(type, {6, 20}, a), B = c.input(type, {20, 7}, b);
    const Tensor C = c.input(type, {6, 7}, before), k = c.input(FLOAT, {1}, {2});
    poplin::matMulAcc(c.graph, C, -0.5f, A, B, c.prog);
    poplin::matMulAcc(c.graph, C, k, A, B, c.prog);
    const auto result = c.output(C);
    c.run();
    Values expected = product(a, b, 1, 6, 20, 7);
    for (std::size_t i = 0; i != expected.size(); ++i)
      expected[i] = before[i] + 1.5 * expected[i];
    EXPECT_TRUE(
        areClose(c.read(result), expected, type == HALF ? 0.02 : 1e-4, type == HALF ? 0.02 : 1e-5));
  }
}

TEST(MatMulErrors, NameShapesAndTypes) {
  OperationRun c(Machine::Model);
  const auto t = [&](const Type &type, const Shape &shape) { return c.variable(type, shape); };
  const auto message = [&](const Tensor &a, const Tensor &b,
                           const poplar::DebugContext &debugContext = {}) -> std::string {
    try {
      poplin::matMul(c.graph, a, b, c.prog, debugContext);
    } catch (const poputil::poplibs_error &e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(t(FLOAT, {2, 3}), t(FLOAT, {4, 5})),
            "matMul: [2,3] x [4,5]: inner dimensions 3 and 4 differ");
  EXPECT_EQ(message(t(FLOAT, {4, 5}), t(FLOAT, {4, 5}), "fc1"),
            "matMul 'fc1': [4,5] x [4,5]: inner dimensions 5 and 4 differ");
  EXPECT_EQ(message(t(FLOAT, {2, 3}), t(FLOAT, {3})),
            "matMul: [2,3] x [3]: the operands must have 2 dimensions");
  EXPECT_EQ(message(t(FLOAT, {2, 3}), t(HALF, {3, 5})),
            "matMul: the operands have different types, float and half");
  EXPECT_EQ(message(t(poplar::INT, {2, 3}), t(poplar::INT, {3, 5})),
            "matMul: the operands must be HALF or FLOAT, not int");
  EXPECT_THROW(
      poplin::matMulGrouped(c.graph, t(FLOAT, {2, 3, 4}), t(FLOAT, {1, 4, 5}), c.prog, FLOAT),
      poputil::poplibs_error);
}

TEST(MatMulErrors, NameOptions) {
  OperationRun c(Machine::Model);
  const auto message = [&](const poplar::OptionFlags &options) -> std::string {
    try {
      poplin::createMatMulInputLHS(c.graph, FLOAT, {2, 3}, {3, 4}, "A", options);
    } catch (const poplar::invalid_option &e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(message({{"partialType", "half"}}),
              ::testing::StartsWith("matMul: Unrecognised option 'partialType'; did you mean "
                                    "'partialsType'? The options are "));
  EXPECT_EQ(
      message({{"partialsType", "int"}}),
      "matMul: Invalid value 'int' for option 'partialsType': Not one of the values: float, half");
  EXPECT_EQ(
      message({{"availableMemoryProportion", "2"}}),
      "matMul: Invalid value '2' for option 'availableMemoryProportion': Not a number from 0 to 1");
  EXPECT_EQ(message({{"gatherOutput", "true"}, {"use128BitConvUnitLoad", "false"}}), "no error");
}

} // namespace
} // namespace copse::test
