#include "operation_run.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <popops/OperationDefUtil.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace {

using namespace copse::test;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::Type;
using popops::Operation;
using popops::ReduceParams;
using Shape = std::vector<std::size_t>;

double combined(Operation op, double a, double x) {
  switch (op) {
  case Operation::ADD:
    return a + x;
  case Operation::SQUARE_ADD:
    return a + x * x;
  case Operation::MUL:
    return a * x;
  case Operation::MIN:
    return std::min(a, x);
  case Operation::MAX:
    return std::max(a, x);
  case Operation::LOGICAL_AND:
    return a != 0 && x != 0;
  case Operation::LOGICAL_OR:
    return a != 0 || x != 0;
  case Operation::LOG_ADD:
    return std::max(a, x) + std::log1p(std::exp(-std::fabs(a - x)));
  }
  return 0;
}

double identity(Operation op) {
  switch (op) {
  case Operation::MUL:
  case Operation::LOGICAL_AND:
    return 1;
  case Operation::MIN:
    return 1e30;
  case Operation::MAX:
    return -1e30;
  case Operation::LOG_ADD:
    return -1e30;
  default:
    return 0;
  }
}

/// Reduces \p values in double, over dimensions \p dims.
std::vector<double> reduced(const std::vector<double> &values, const Shape &shape,
                            const Shape &dims, Operation op) {
  std::size_t outputs = 1;
  for (std::size_t d = 0; d != shape.size(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      outputs *= shape[d];
  std::vector<double> results(outputs, identity(op));
  for (std::size_t i = 0; i != values.size(); ++i) {
    std::size_t rest = i, out = 0, stride = 1;
    for (std::size_t d = shape.size(); d-- != 0;) {
      const std::size_t index = rest % shape[d];
      rest /= shape[d];
      if (std::find(dims.begin(), dims.end(), d) == dims.end()) {
        out += index * stride;
        stride *= shape[d];
      }
    }
    results[out] = combined(op, results[out], values[i]);
  }
  return results;
}

class ReduceTest : public ::testing::TestWithParam<Machine> {};

TEST_P(ReduceTest, EveryOperationReducesItsTypes) {
  const struct {
    Operation op;
    Type in, out;
  } kCases[] = {
      {Operation::ADD, FLOAT, FLOAT},
      {Operation::ADD, HALF, HALF},
      {Operation::ADD, HALF, FLOAT},
      {Operation::ADD, FLOAT, HALF},
      {Operation::ADD, INT, INT},
      {Operation::SQUARE_ADD, FLOAT, FLOAT},
      {Operation::SQUARE_ADD, HALF, FLOAT},
      {Operation::SQUARE_ADD, INT, INT},
      {Operation::MUL, FLOAT, FLOAT},
      {Operation::MUL, INT, INT},
      {Operation::MIN, FLOAT, FLOAT},
      {Operation::MIN, INT, INT},
      {Operation::MAX, HALF, HALF},
      {Operation::MAX, INT, INT},
      {Operation::LOG_ADD, FLOAT, FLOAT},
      {Operation::LOG_ADD, HALF, HALF},
      {Operation::LOGICAL_AND, poplar::BOOL, poplar::BOOL},
      {Operation::LOGICAL_OR, poplar::BOOL, poplar::BOOL},
  };
  OperationRun run(GetParam());
  const Shape shape = {7, 9};
  unsigned i = 0;
  for (const auto &c : kCases) {
    const bool whole = c.in != FLOAT;
    const auto values =
        c.in == poplar::BOOL ? randomValues(63, 0, 2, i, true) : randomValues(63, 1, 3, i, whole);
    const Tensor in = run.input(c.in, shape, values, i);
    run.output("rows" + std::to_string(i),
               popops::reduce(run.graph, in, c.out, {1}, c.op, run.prog));
    run.output("columns" + std::to_string(i),
               popops::reduce(run.graph, in, c.out, {0}, c.op, run.prog));
    ++i;
  }
  run.run();
  i = 0;
  for (const auto &c : kCases) {
    const bool whole = c.in != FLOAT;
    const auto values =
        c.in == poplar::BOOL ? randomValues(63, 0, 2, i, true) : randomValues(63, 1, 3, i, whole);
    const double tolerance = c.in == HALF || c.out == HALF ? 3e-3 : c.in == FLOAT ? 1e-5 : 0;
    const std::string what = popops::toString(c.op) + " of " + c.in.toString().cloneAsString();
    EXPECT_TRUE(areClose(run.read("rows" + std::to_string(i)), reduced(values, shape, {1}, c.op),
                         tolerance, 1e-6))
        << what;
    EXPECT_TRUE(areClose(run.read("columns" + std::to_string(i)), reduced(values, shape, {0}, c.op),
                         tolerance, 1e-6))
        << what;
    ++i;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, ReduceTest,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::TwoIpuModel,
                                           Machine::Ipu),
                         [](const auto &p) { return machineName(p.param); });

TEST(ReduceTensors, AnyDimensionsOfAnyShapeViewAndMappingAreReduced) {
  for (unsigned seed = 0; seed != 12; ++seed) {
    std::mt19937 random(seed);
    OperationRun run(seed % 3 == 0 ? Machine::TwoIpuModel : Machine::Model);
    Shape shape;
    std::size_t n = 1;
    const auto rank = 1 + random() % 4;
    for (unsigned d = 0; d != rank; ++d) {
      shape.push_back(1 + random() % 6);
      n *= shape.back();
    }
    Shape dims;
    for (std::size_t d = 0; d != shape.size(); ++d)
      if (random() % 2 == 0)
        dims.push_back(d);
    const auto values = randomValues(n, -99, 99, seed, true);
    Tensor in = run.graph.addVariable(INT, {n});
    if (seed % 2 == 0)
      run.scatter(in, seed, 20);
    else
      poputil::mapTensorLinearly(run.graph, in, 4, 1);
    run.initialise(in, values);
    std::vector<unsigned> order(shape.size());
    for (unsigned d = 0; d != order.size(); ++d)
      order[d] = d;
    std::shuffle(order.begin(), order.end(), random);
    // The values lie in memory as `shape`; the reduction sees the dimensions in another order.
    const Tensor view = in.reshape(shape).dimShuffle(order);
    Shape seen, over;
    for (unsigned i = 0; i != order.size(); ++i) {
      seen.push_back(shape[order[i]]);
      if (std::find(dims.begin(), dims.end(), order[i]) != dims.end())
        over.push_back(i);
    }
    std::vector<double> inOrder(n);
    for (std::size_t i = 0; i != n; ++i) {
      std::size_t rest = i, position = 0;
      Shape index(shape.size());
      for (std::size_t d = seen.size(); d-- != 0;) {
        index[order[d]] = rest % seen[d];
        rest /= seen[d];
      }
      for (std::size_t d = 0; d != shape.size(); ++d)
        position = position * shape[d] + index[d];
      inOrder[i] = values[position];
    }
    run.output("out", popops::reduce(run.graph, view, over, Operation::ADD, run.prog));
    run.run();
    EXPECT_EQ(run.read("out"), reduced(inOrder, seen, over, Operation::ADD)) << "seed " << seed;
  }
}
TEST(ReduceTensors, AllDimensionsGiveAScalar) {
  OperationRun run(Machine::Model);
  const Tensor in = run.graph.addVariable(FLOAT, {100, 30});
  poputil::mapTensorLinearly(run.graph, in);
  run.initialise(in, std::vector<double>(3000, 1));
  const Tensor out = popops::reduce(run.graph, in, {1, 0, 1}, {Operation::ADD}, run.prog);
  EXPECT_EQ(out.rank(), 0u);
  run.output("out", out);
  run.run();
  EXPECT_EQ(run.read("out"), std::vector<double>{3000});
}
TEST(ReduceTensors, HalvesAreSummedInFloat) {
  OperationRun run(Machine::Model);
  std::vector<double> values(100, 1);
  values.front() = 8192;
  const Tensor in = run.input(HALF, {100}, values);
  run.output("out", popops::reduce(run.graph, in, {0}, Operation::ADD, run.prog));
  run.run();
  EXPECT_EQ(run.read("out"), std::vector<double>{8288});
}
TEST(ReduceTensors, AScaleAndAnUpdateApplyToTheOutput) {
  OperationRun run(Machine::Model);
  const Tensor in = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor scale = run.input(FLOAT, {1}, {0.5});
  const Tensor sums = run.input(FLOAT, {2}, {100, 200});
  const Tensor logs = run.input(FLOAT, {2}, {1, 2});
  popops::reduceWithOutput(run.graph, in, sums, {1}, {Operation::ADD, true, scale}, run.prog);
  popops::reduceWithOutput(run.graph, in, logs, {1}, {Operation::LOG_ADD, true}, run.prog);
  run.output("scaled",
             popops::reduce(run.graph, in, {1}, {Operation::SQUARE_ADD, false, scale}, run.prog));
  run.output("sums", sums);
  run.output("logs", logs);
  run.run();
  EXPECT_EQ(run.read("scaled"), (std::vector<double>{7, 38.5}));
  EXPECT_EQ(run.read("sums"), (std::vector<double>{103, 207.5}));
  EXPECT_TRUE(areClose(run.read("logs"),
                       {std::log(std::exp(1) + std::exp(1) + std::exp(2) + std::exp(3)),
                        std::log(std::exp(2) + std::exp(4) + std::exp(5) + std::exp(6))},
                       1e-5));
}
TEST(ReduceTensors, LongRowsOnATileAreCutForItsWorkers) {
  OperationRun run(Machine::Ipu);
  constexpr std::size_t kRows = 2, kColumns = 1003;
  const auto values = randomValues(kRows * kColumns, -9, 9, 5, true);
  const Tensor in = run.graph.addVariable(FLOAT, {kRows, kColumns}),
               halves = run.graph.addVariable(HALF, {kRows, kColumns});
  for (const Tensor &t : {in, halves}) {
    run.graph.setTileMapping(t, 1);
    run.initialise(t, values);
  }
  const Tensor scale = run.input(FLOAT, {1}, {2}), total = run.input(FLOAT, {2}, {100, 200});
  popops::reduceWithOutput(run.graph, in, total, {1}, {Operation::ADD, true, scale}, run.prog);
  const Tensor sums = popops::reduce(run.graph, in, {1}, Operation::ADD, run.prog);
  EXPECT_EQ(run.graph.getTileMapping(sums)[1].size(), 1u) << "results stay where their rows are";
  run.output("total", total);
  run.output("sums", sums);
  run.output("squares", popops::reduce(run.graph, in, {1}, Operation::SQUARE_ADD, run.prog));
  run.output("largest", popops::reduce(run.graph, halves, {1}, Operation::MAX, run.prog));
  run.run();
  const auto expected = reduced(values, {kRows, kColumns}, {1}, Operation::ADD);
  EXPECT_EQ(run.read("sums"), expected);
  EXPECT_EQ(run.read("total"), (std::vector<double>{100 + 2 * expected[0], 200 + 2 * expected[1]}));
  EXPECT_EQ(run.read("squares"), reduced(values, {kRows, kColumns}, {1}, Operation::SQUARE_ADD));
  EXPECT_EQ(run.read("largest"), reduced(values, {kRows, kColumns}, {1}, Operation::MAX));
}
TEST(ReduceTensors, NothingReducesToTheIdentity) {
  OperationRun run(Machine::Model);
  const Tensor in = run.graph.addVariable(FLOAT, {0, 2}),
               integers = run.graph.addVariable(INT, {0});
  run.output("sum", popops::reduce(run.graph, in, {0}, Operation::ADD, run.prog));
  run.output("product", popops::reduce(run.graph, in, {0}, Operation::MUL, run.prog));
  run.output("min", popops::reduce(run.graph, in, {0}, Operation::MIN, run.prog));
  run.output("max", popops::reduce(run.graph, integers, {0}, Operation::MAX, run.prog));
  run.run();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run.read("sum"), (std::vector<double>{0, 0}));
  EXPECT_EQ(run.read("product"), (std::vector<double>{1, 1}));
  EXPECT_EQ(run.read("min"), (std::vector<double>{infinity, infinity}));
  EXPECT_EQ(run.read("max"), std::vector<double>{-2147483648.0});
}
TEST(ReduceTensors, OnlySizesOfOneAreCopiedAndSquared) {
  OperationRun run(Machine::Model);
  const Tensor in = run.input(HALF, {1, 3}, {1, 2, 3});
  run.output("copy", popops::reduce(run.graph, in, FLOAT, {0}, Operation::ADD, run.prog));
  run.output("squares", popops::reduce(run.graph, in, {0}, Operation::SQUARE_ADD, run.prog));
  run.output("none", popops::reduce(run.graph, in, {}, Operation::MUL, run.prog));
  run.run();
  EXPECT_EQ(run.read("copy"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(run.read("squares"), (std::vector<double>{1, 4, 9}));
  EXPECT_EQ(run.read("none"), (std::vector<double>{1, 2, 3}));
}
TEST(ReduceTensors, SeveralReductionsShareTheirComputeSets) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}), b = run.input(INT, {3}, {1, 2, 3});
  std::vector<Tensor> outputs;
  popops::reduceMany(run.graph,
                     {{a, {0}, {Operation::ADD}, "a"},
                      {b, {0}, {Operation::MAX}, "b"},
                      {a, {1}, {Operation::ADD}, HALF}},
                     outputs, run.prog);
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[2].elementType(), HALF);
  run.output("a", outputs[0]);
  run.output("b", outputs[1]);
  run.output("c", outputs[2]);
  run.run();
  EXPECT_EQ(run.read("a"), (std::vector<double>{5, 7, 9}));
  EXPECT_EQ(run.read("b"), std::vector<double>{3});
  EXPECT_EQ(run.read("c"), (std::vector<double>{6, 15}));
}
TEST(ReduceTensors, AnOutputMayHaveOtherSizesOfOne) {
  OperationRun run(Machine::Model);
  const Tensor in = run.input(INT, {2, 3}, {1, 8, 3, 4, 5, 6});
  const Tensor all = run.variable(INT, {1}), rows = run.variable(INT, {1, 2, 1});
  popops::reduceWithOutput(run.graph, in, all, {0, 1}, Operation::MAX, run.prog);
  popops::reduceWithOutput(run.graph, in, rows, {1}, Operation::MAX, run.prog);
  const Tensor column = run.variable(INT, {3, 1}), total = run.variable(INT, {1, 1});
  std::vector<Tensor> outputs = {column, total};
  popops::reduceMany(
      run.graph, {{in, {0}, {Operation::ADD}, "column"}, {in, {0, 1}, {Operation::ADD}, "total"}},
      outputs, run.prog);
  for (const auto &[name, t] :
       {std::pair{"all", all}, {"rows", rows}, {"column", column}, {"total", total}})
    run.output(name, t);
  run.run();
  EXPECT_EQ(run.read("all"), (std::vector<double>{8}));
  EXPECT_EQ(run.read("rows"), (std::vector<double>{8, 6}));
  EXPECT_EQ(run.read("column"), (std::vector<double>{5, 13, 9}));
  EXPECT_EQ(run.read("total"), (std::vector<double>{27}));
}
TEST(ReduceTensors, ATilesOwnElementsAreNotCopied) {
  // Row i is on tile i: two copies of it would not fit.
  OperationRun run(Machine::Model, 288);
  const std::size_t bytes = run.graph.getTarget().getBytesPerTile();
  const std::size_t rows = 70, columns = bytes / sizeof(float) * 6 / 10;
  const Tensor in = run.graph.addVariable(FLOAT, {rows, columns});
  for (unsigned i = 0; i != rows; ++i)
    run.graph.setTileMapping(in[i], i);
  popops::zero(run.graph, in, run.prog);
  run.output("sums", popops::reduce(run.graph, in.slice(0, 7), {0}, Operation::ADD, run.prog));
  popops::reduce(run.graph, in, {0}, Operation::SQUARE_ADD, run.prog);
  run.run();
}
TEST(ReduceTensors, ElementsThatNoTileReducesAreCombinedDirectly) {
  for (const unsigned tiles : {8u, 100u}) { // in one round, and in two
    OperationRun run(Machine::Model, tiles);
    const std::size_t rows = tiles - 1, columns = 5;
    const auto values = randomValues(rows * columns, -9, 9, 7, true);
    for (const poplar::Type &type : {FLOAT, HALF, INT}) {
      // Row i begins at column i: some tiles have columns from two rows.
      const Tensor in = run.graph.addVariable(type, {rows, columns});
      const Tensor flat = in.flatten();
      run.graph.setTileMapping(in, static_cast<unsigned>(tiles - 1));
      for (unsigned i = 0; i + 1 != rows; ++i)
        run.graph.setTileMapping(
            flat.slice(i * columns + i % columns, (i + 1) * columns + i % columns), i);
      run.initialise(in, values);
      for (const Operation op : {Operation::ADD, Operation::SQUARE_ADD, Operation::MAX})
        if (type != HALF || op != Operation::SQUARE_ADD)
          run.output(popops::reduce(run.graph, in, {0}, op, run.prog));
    }
    run.run();
    unsigned next = 0;
    for (const poplar::Type &type : {FLOAT, HALF, INT})
      for (const Operation op : {Operation::ADD, Operation::SQUARE_ADD, Operation::MAX}) {
        if (type == HALF && op == Operation::SQUARE_ADD)
          continue;
        const std::string name = "output " + std::to_string(next++);
        EXPECT_EQ(run.read(name), reduced(values, {rows, columns}, {0}, op))
            << name << " on " << tiles;
      }
  }
}
TEST(ReduceTensors, WrongArgumentsAreErrors) {
  OperationRun run(Machine::Model);
  const Tensor in = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  const auto fails = [&](const std::function<void()> &call, const char *text) {
    try {
      call();
      ADD_FAILURE() << "no error: " << text;
    } catch (const poputil::poplibs_error &e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr(text));
    }
  };
  fails([&] { popops::reduce(run.graph, in, {2}, Operation::ADD, run.prog); },
        "there is no dimension 2 in shape {2,3}");
  fails([&] { popops::reduce(run.graph, in, INT, {0}, Operation::ADD, run.prog); },
        "no ADD of float to int");
  fails(
      [&] {
        popops::reduce(run.graph, in, {0}, {Operation::ADD, true}, run.prog);
      },
      "use reduceWithOutput()");
  fails(
      [&] {
        popops::reduceWithOutput(run.graph, in, in[0], {0}, {Operation::MAX, true}, run.prog);
      },
      "only sums have these");
  fails([&] { popops::reduceWithOutput(run.graph, in, in[0], {1}, Operation::ADD, run.prog); },
        "an output of shape {3}");
  fails([&] { popops::reduce(run.graph, in, {}, Operation::LOG_ADD, run.prog); },
        "LOG_ADD of no elements");
}

} // namespace
