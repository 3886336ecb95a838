// Tests expressions: types, shapes, aliases, layouts, errors.
#include "operation_run.hpp"

#include <gmock/gmock.h>

#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>

namespace {

using namespace copse::test;
using namespace popops::expr;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;

std::string messageOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const std::exception &e) {
    return e.what();
  }
  return "";
}

TEST(ExpressionTest, AnExpressionIsOneComputeSetWithAVertexOnEachTile) {
  OperationRun run(Machine::Model);
  const Tensor a = run.graph.addVariable(FLOAT, {8, 32}), b = run.graph.clone(a);
  poputil::mapTensorLinearly(run.graph, a);
  poputil::mapTensorLinearly(run.graph, b);
  run.initialise(a, randomValues(256, -1, 1, 1));
  run.initialise(b, randomValues(256, -1, 1, 2));
  const Tensor out =
      popops::map(run.graph, Tanh(_1 * _2 + Const(0.5f)) / (_2 * _2 + 1), {a, b}, run.prog);
  EXPECT_EQ(run.graph.getNumVertices(), 8u);
  run.output("out", out);
  run.run();
  std::vector<double> expected;
  for (std::size_t i = 0; i != 256; ++i) {
    const double x = randomValues(256, -1, 1, 1)[i], y = randomValues(256, -1, 1, 2)[i];
    expected.push_back(std::tanh(x * y + 0.5) / (y * y + 1));
  }
  EXPECT_TRUE(areClose(run.read("out"), expected, 1e-5));
}
TEST(ExpressionTest, ViewsAndMappingsOfAnyKindGiveTheSameResult) {
  for (unsigned seed = 0; seed != 6; ++seed) {
    OperationRun run(seed % 2 == 0 ? Machine::Model : Machine::TwoIpuModel);
    const auto x = randomValues(120, -9, 9, seed, true),
               y = randomValues(60, -9, 9, seed + 9, true);
    const Tensor a = run.input(INT, {10, 12}, x, seed), b = run.input(INT, {6, 10}, y, seed + 1);
    // [5, 6]: a slice, and a transposed one of every second column
    const Tensor left = a.slice({3, 4}, {8, 10}), right = b.transpose().subSample(2, 0);
    run.output("out", popops::map(run.graph, _1 * 3 - _2, {left, right}, run.prog));
    run.run();
    std::vector<double> expected;
    for (std::size_t i = 0; i != 5; ++i)
      for (std::size_t j = 0; j != 6; ++j)
        expected.push_back(x[(3 + i) * 12 + 4 + j] * 3 - y[j * 10 + 2 * i]);
    EXPECT_EQ(run.read("out"), expected) << "seed " << seed;
  }
}
TEST(ExpressionTest, ShapesBroadcast) {
  OperationRun run(Machine::Model);
  const Tensor column = run.input(INT, {3, 1}, {1, 2, 3}),
               row = run.input(INT, {4}, {10, 20, 30, 40}), one = run.input(INT, {1, 1, 1}, {100});
  const Tensor out = popops::map(run.graph, _1 + _2 + _3, {column, row, one}, run.prog);
  EXPECT_EQ(out.shape(), (std::vector<std::size_t>{1, 3, 4}));
  run.output("out", out);
  run.run();
  EXPECT_EQ(run.read("out"),
            (std::vector<double>{111, 121, 131, 141, 112, 122, 132, 142, 113, 123, 133, 143}));
}
TEST(ExpressionTest, OddAndEmptySizesWork) {
  OperationRun run(Machine::Model);
  for (const std::size_t n : {0, 1, 2, 3, 5, 13, 100}) {
    const Tensor a = run.input(HALF, {n}, std::vector<double>(n, 2));
    run.output(std::to_string(n), popops::map(run.graph, _1 * _1, {a}, run.prog));
  }
  run.run();
  for (const std::size_t n : {0, 1, 2, 3, 5, 13, 100})
    EXPECT_EQ(run.read(std::to_string(n)), std::vector<double>(n, 4));
}
TEST(ExpressionTest, InPlaceOperandsThatOverlapCountWithTheirOldValues) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(INT, {4}, {1, 2, 3, 4});
  popops::mapInPlace(run.graph, _1 + _2, {a, a.reverse(0)}, run.prog);
  popops::mapInPlace(run.graph, _1 * _2, {a, a}, run.prog);
  run.output("a", a);
  run.run();
  EXPECT_EQ(run.read("a"), (std::vector<double>{25, 25, 25, 25}));
}
TEST(ExpressionTest, InPlaceTheFirstTensorIsWrittenEvenIfItIsNotRead) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(INT, {4}, {1, 2, 3, 4}), b = run.input(INT, {1}, {7});
  popops::mapInPlace(run.graph, _2, {a, b}, run.prog);
  run.output("a", a);
  run.run();
  EXPECT_EQ(run.read("a"), (std::vector<double>{7, 7, 7, 7}));
}
TEST(ExpressionTest, APlaceholderAloneIsACopy) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(INT, {4}, {1, 2, 3, 4});
  const Tensor copy = popops::map(run.graph, _1, {a}, run.prog);
  popops::addInPlace(run.graph, a, 1, run.prog);
  run.output("copy", copy);
  run.run();
  EXPECT_EQ(run.read("copy"), (std::vector<double>{1, 2, 3, 4}));
}
TEST(ExpressionTest, TheOutputFollowsTheOperandOfFullShape) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {4, 8}, std::vector<double>(32, 1), 5);
  const Tensor b = run.input(FLOAT, {8}, std::vector<double>(8, 1), 6);
  const Tensor out = popops::add(run.graph, b, a, run.prog);
  EXPECT_EQ(run.graph.getTileMapping(out), run.graph.getTileMapping(a));
}
TEST(ExpressionTest, AConstantTakesTheTypeOfTheOtherOperand) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(HALF, {2}, {1, 2});
  const Tensor out = popops::map(run.graph, _1 * Const(3) + 1.5_half, {a}, run.prog);
  EXPECT_EQ(out.elementType(), HALF);
  run.output("out", out);
  run.run();
  EXPECT_EQ(run.read("out"), (std::vector<double>{4.5, 7.5}));
}
TEST(ExpressionTest, TwoConstantsToSelectFromHaveTheirOwnType) {
  OperationRun run(Machine::Model);
  const Tensor c = run.input(poplar::BOOL, {2}, {1, 0});
  const Tensor out = popops::map(run.graph, Select(Const(2.5f), Const(-1.0f), _1), {c}, run.prog);
  EXPECT_EQ(out.elementType(), FLOAT);
  run.output("out", out);
  run.run();
  EXPECT_EQ(run.read("out"), (std::vector<double>{2.5, -1}));
}
TEST(ExpressionTest, SeveralExpressionsAreMappedAtOnce) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {3}, {1, 2, 3});
  const auto outs = popops::map(
      run.graph, std::vector<Any>{Any(_1 + 1), Any(_1 * _1), Any(Cast(_1, INT))}, {a}, run.prog);
  ASSERT_EQ(outs.size(), 3u);
  run.output("sum", outs[0]);
  run.output("square", outs[1]);
  run.output("int", outs[2]);
  run.run();
  EXPECT_EQ(run.read("sum"), (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(run.read("square"), (std::vector<double>{1, 4, 9}));
  EXPECT_EQ(run.read("int"), (std::vector<double>{1, 2, 3}));
}
TEST(ExpressionTest, TypesThatDoNotAgreeAreAnError) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {2}, {1, 2}), b = run.input(HALF, {2}, {1, 2});
  EXPECT_THAT(messageOf([&] {
                popops::map(run.graph, _1 + _2, {a, b}, run.prog);
              }),
              ::testing::StartsWith("Error inferring types in expression: operands of types float "
                                    "and half"));
  EXPECT_THAT(messageOf([&] { popops::map(run.graph, Const(1) + Const(2), {a}, run.prog); }),
              ::testing::StartsWith("Error inferring types in expression"));
  EXPECT_THAT(messageOf([&] { popops::map(run.graph, Cast(Const(1), INT), {a}, run.prog); }),
              ::testing::HasSubstr("a cast of a constant"));
  EXPECT_THAT(messageOf([&] { popops::map(run.graph, ~_1, {a}, run.prog); }),
              ::testing::HasSubstr("no bitwiseNot for elements of type float"));
}
TEST(ExpressionTest, APlaceholderWithoutATensorIsAnError) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {2}, {1, 2});
  EXPECT_THAT(messageOf([&] {
                popops::map(run.graph, _1 + _3, {a, a}, run.prog);
              }),
              ::testing::StartsWith("Invalid placeholder _3"));
}
TEST(ExpressionTest, AnOutputOfAnotherTypeOrShapeIsAnError) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {2}, {1, 2}),
               b = run.input(FLOAT, {3, 2}, std::vector<double>(6));
  EXPECT_THROW(popops::ltInPlace(run.graph, a, a, run.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::addInPlace(run.graph, a, b, run.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::addInPlace(run.graph, a.broadcast(2, 0), 1.0f, run.prog),
               poputil::poplibs_error);
}
TEST(ExpressionTest, ASelectOfBoolsMayHaveAnExpressionForItsCondition) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(poplar::BOOL, {3}, {1, 0, 1}),
               b = run.input(poplar::BOOL, {3}, {0, 1, 0});
  const Tensor i = run.input(poplar::INT, {3}, {5, 5, 6});
  run.output("y", popops::map(run.graph, Select(_1, _2, Equal(_3, Const(5))), {a, b, i}, run.prog));
  run.run();
  EXPECT_EQ(run.read("y"), (Values{1, 0, 0}));
}
TEST(ExpressionTest, AnUnknownOptionIsAnError) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {2}, {1, 2});
  EXPECT_THAT(messageOf([&] {
                popops::neg(run.graph, a, run.prog, {}, {{"fast", "true"}});
              }),
              ::testing::StartsWith("map: Unrecognised option 'fast'"));
  popops::neg(run.graph, a, run.prog, {}, {{"enableGenerateCodelet", "false"}});
}
TEST(ExpressionTest, TreesCanBeComparedAndPrinted) {
  EXPECT_TRUE((_1 + Const(2)).deepEquals(Add(_1, Const(2))));
  EXPECT_FALSE(deepEquals(_1 + _2, _2 + _1));
  EXPECT_TRUE(Any(_1 < _2).operator const Expr &().isA<BinaryOp>());
  std::ostringstream out;
  Select(_1, -_2, _3).print(out, 0, false);
  EXPECT_EQ(out.str(), "SELECT(_1, NEGATE(_2), _3)");
}

} // namespace
