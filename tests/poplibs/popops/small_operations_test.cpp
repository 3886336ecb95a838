// Tests scaled addition, encodings, loops, predicates, padding, scalars in rows.
#include "operation_run.hpp"

#include <popops/AllTrue.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Loop.hpp>
#include <popops/NaN.hpp>
#include <popops/Pad.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/exceptions.hpp>

namespace {

using namespace copse::test;
using poplar::BOOL;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;

TEST(ScaledAddTest, ScalesAreNumbersOrTensors) {
  OperationRun run(Machine::Model);
  const auto a = [&] { return run.input(FLOAT, {3}, {1, 2, 3}); };
  const Tensor b = run.input(HALF, {3}, {10, 20, 30}), two = run.input(FLOAT, {1}, {2}),
               half = run.input(HALF, {}, {0.5});
  std::vector<Tensor> results = {a(), a(), a(), a(), a(), a()};
  popops::scaledAddTo(run.graph, results[0], b, 0.5f, run.prog);
  popops::scaledAddTo(run.graph, results[1], b, half, run.prog);
  popops::scaledAddTo(run.graph, results[2], two, b, half, run.prog);
  popops::scaledAddTo(run.graph, results[3], 2.0f, b, 0.5f, run.prog,
                      popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
  popops::scaledSubtractFrom(run.graph, results[4], b, 0.1f, run.prog);
  popops::scaledSubtractFrom(run.graph, results[5], 2.0f, b, 0.5f, run.prog);
  for (std::size_t i = 0; i != results.size(); ++i)
    run.output(std::to_string(i), results[i]);
  run.run();
  EXPECT_EQ(run.read("0"), (std::vector<double>{6, 12, 18}));
  EXPECT_EQ(run.read("1"), (std::vector<double>{6, 12, 18}));
  EXPECT_EQ(run.read("2"), (std::vector<double>{7, 14, 21}));
  EXPECT_EQ(run.read("3"), (std::vector<double>{4, 8, 12}));
  EXPECT_TRUE(areClose(run.read("4"), {0, 0, 0}, 0, 1e-6));
  EXPECT_EQ(run.read("5"), (std::vector<double>{-3, -6, -9}));
}
TEST(ScaledAddTest, HalvesAreRoundedOnce) {
  OperationRun run(Machine::Model);
  // In half, the scale would become 2048, not 2049.
  const Tensor a = run.input(HALF, {1}, {1}), b = run.input(HALF, {1}, {1});
  popops::scaledAddTo(run.graph, a, b, 2049.0f, run.prog);
  const Tensor i = run.input(INT, {2}, {1, 2});
  popops::scaledAddTo(run.graph, i, run.input(INT, {2}, {5, 6}), 3.0f, run.prog);
  run.output("a", a);
  run.output("i", i);
  run.run();
  EXPECT_EQ(run.read("a"), std::vector<double>{2050});
  EXPECT_EQ(run.read("i"), (std::vector<double>{16, 20}));
}
TEST(ScaledAddTest, ShapesThatDifferAreAnError) {
  OperationRun run(Machine::Model);
  EXPECT_THROW(popops::scaledAddTo(run.graph, run.input(FLOAT, {2}, {1, 2}),
                                   run.input(FLOAT, {1}, {1}), 1.0f, run.prog),
               poputil::poplibs_error);
}

TEST(EncodingTest, RowsAreOneHot) {
  OperationRun run(Machine::Model);
  const Tensor indices = run.input(UNSIGNED_INT, {4}, {2, 0, 4294967295.0, 7});
  const Tensor ones = run.input(FLOAT, {4, 3}, std::vector<double>(12, 9), 3);
  const Tensor other = run.input(INT, {4, 3}, std::vector<double>(12, 9), 4);
  popops::encodeOneHot(run.graph, indices, ones, run.prog);
  popops::encodeOneHot(run.graph, indices, other, run.prog, run.input(INT, {}, {5}),
                       run.input(INT, {1}, {-1}));
  run.output("ones", ones);
  run.output("other", other);
  run.run();
  EXPECT_EQ(run.read("ones"), (std::vector<double>{0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(run.read("other"), (std::vector<double>{-1, -1, 5, 5, -1, -1, -1, -1, -1, -1, -1, -1}));
}
TEST(EncodingTest, IotaCountsWhereverElementsAre) {
  OperationRun run(Machine::Model);
  const Tensor t = run.input(INT, {23}, std::vector<double>(23, 0), 5),
               u = run.input(UNSIGNED_INT, {3}, {0, 0, 0});
  popops::iota(run.graph, t, -4, run.prog);
  popops::iota(run.graph, u, 7u, run.prog);
  run.output("t", t);
  run.output("u", u);
  run.run();
  std::vector<double> expected;
  for (int i = 0; i != 23; ++i)
    expected.push_back(i - 4);
  EXPECT_EQ(run.read("t"), expected);
  EXPECT_EQ(run.read("u"), (std::vector<double>{7, 8, 9}));
  EXPECT_THROW(popops::iota(run.graph, t, 1u, run.prog), poputil::poplibs_error);
}

TEST(LoopTest, TheBodySeesItsCounter) {
  OperationRun run(Machine::Model);
  const Tensor sum = run.input(UNSIGNED_INT, {1}, {0});
  run.prog.add(popops::countedLoop(run.graph, 3, 10, 3, [&](const Tensor &counter) {
    poplar::program::Sequence body;
    popops::addInPlace(run.graph, sum, counter, body);
    return body;
  }));
  run.output("sum", sum);
  run.run();
  EXPECT_EQ(run.read("sum"), std::vector<double>{3 + 6 + 9});
}
TEST(LoopTest, ALimitOnTheDeviceMayBeZero) {
  OperationRun run(Machine::Model);
  const Tensor trips = run.input(INT, {1}, {0}), none = run.input(INT, {1}, {0});
  poplar::program::Sequence body, never;
  popops::addInPlace(run.graph, trips, 1, body);
  popops::addInPlace(run.graph, none, 1, never);
  const Tensor count = run.input(INT, {1}, {77});
  run.prog.add(popops::countedForLoop(run.graph, count, 5, run.input(INT, {1}, {-1}), -2, body));
  run.prog.add(popops::countedForLoop(run.graph, 4, run.input(INT, {}, {4}), 1, never));
  run.output("trips", trips);
  run.output("none", none);
  run.output("count", count);
  run.run();
  EXPECT_EQ(run.read("trips"), std::vector<double>{3});
  EXPECT_EQ(run.read("none"), std::vector<double>{0});
  EXPECT_EQ(run.read("count"), std::vector<double>{-1});
}
TEST(LoopTest, ALoopWithoutAnEndIsAnError) {
  OperationRun run(Machine::Model);
  const auto body = [](const Tensor &) { return poplar::program::Sequence(); };
  EXPECT_THROW(popops::countedLoop(run.graph, 0, 4, 0, body), poputil::poplibs_error);
  EXPECT_THROW(popops::countedLoop(run.graph, 4, 4, 1, body), poputil::poplibs_error);
}

TEST(PredicateTest, AllElementsOrSomeAreTested) {
  OperationRun run(Machine::Model);
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const Tensor good = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}),
               bad = run.input(FLOAT, {3}, {1, nan, 2}),
               large = run.input(FLOAT, {3}, {1, -infinity, 2}),
               none = run.graph.addVariable(HALF, {0});
  run.output("good", popops::hasNaN(run.graph, good, run.prog));
  run.output("bad", popops::hasNaN(run.graph, bad, run.prog));
  run.output("large", popops::hasNaN(run.graph, large, run.prog));
  run.output("large or bad", popops::hasNaNOrInf(run.graph, large, run.prog));
  run.output("none", popops::hasNaN(run.graph, none, run.prog));
  run.output("all", popops::allTrue(run.graph, run.input(BOOL, {2, 2}, {1, 1, 1, 1}), run.prog));
  run.output("not all", popops::allTrue(run.graph, run.input(BOOL, {4}, {1, 1, 0, 1}), run.prog));
  run.run();
  for (const char *name : {"good", "large", "none", "not all"})
    EXPECT_EQ(run.read(name), std::vector<double>{0}) << name;
  for (const char *name : {"bad", "large or bad", "all"})
    EXPECT_EQ(run.read(name), std::vector<double>{1}) << name;
  EXPECT_THROW(popops::allTrue(run.graph, good, run.prog), poputil::poplibs_error);
}

TEST(PadTest, ValuesBordersAndMirrorsAreAdded) {
  OperationRun run(Machine::Model);
  const Tensor t = run.input(INT, {3}, {1, 2, 3}), matrix = run.input(INT, {2, 2}, {1, 2, 3, 4});
  const auto show = [&](const char *name, const Tensor &view) {
    run.output(name, popops::map(run.graph, popops::expr::_1, {view}, run.prog));
  };
  show("values", popops::pad(run.graph, matrix, {1, 0}, {0, 1}, 9));
  show("less", popops::pad(run.graph, t, -1, 2, 0, 0.0f, popops::padding::MappingMethod::EDGE));
  show("tensor", popops::pad(run.graph, t, 1, 0, 0, run.input(INT, {1}, {7})));
  show("edge", popops::pad(t, 2, 1, 0, popops::padding::Type::EDGE));
  show("reflect", popops::pad(t, {2}, {1}, popops::padding::Type::REFLECT));
  run.run();
  EXPECT_EQ(run.read("values"), (std::vector<double>{9, 9, 9, 1, 2, 9, 3, 4, 9}));
  EXPECT_EQ(run.read("less"), (std::vector<double>{2, 3, 0, 0}));
  EXPECT_EQ(run.read("tensor"), (std::vector<double>{7, 1, 2, 3}));
  EXPECT_EQ(run.read("edge"), (std::vector<double>{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(run.read("reflect"), (std::vector<double>{3, 2, 1, 2, 3, 2}));
  EXPECT_THROW(popops::pad(t, 3, 0, 0, popops::padding::Type::REFLECT), poputil::poplibs_error);
  EXPECT_THROW(popops::pad(run.graph, t, -2, -2, 0), poputil::poplibs_error);
  EXPECT_THROW(popops::pad(run.graph, t, {1, 1}, {1, 1}), poputil::poplibs_error);
}

TEST(ScalarsInRowsTest, MaskedAndWrongIndicesAreReported) {
  OperationRun run(Machine::Model);
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Tensor params = run.input(FLOAT, {3, 3}, values);
  const Tensor indices = run.input(UNSIGNED_INT, {3}, {2, 4294967295.0, 3});
  run.output("selected", popops::selectScalarFromRows(run.graph, params, indices, run.prog));
  popops::updateScalarInRows(run.graph, params, indices, run.prog);
  run.output("params", params);
  run.run();
  const double nan = std::nan("");
  EXPECT_TRUE(areClose(run.read("selected"), {3, 0, nan}, 0));
  EXPECT_TRUE(areClose(run.read("params"), {1, 2, 2, 4, 5, 6, nan, nan, nan}, 0));
}

} // namespace
