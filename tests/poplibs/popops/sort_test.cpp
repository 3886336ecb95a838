#include "operation_run.hpp"

#include <algorithm>
#include <array>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poputil/exceptions.hpp>

namespace {

using namespace copse::test;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using popops::SortOrder;
using Shape = std::vector<std::size_t>;

class SortTest : public ::testing::TestWithParam<Machine> {};

TEST_P(SortTest, AnyDimensionIsSorted) {
  OperationRun run(GetParam());
  const Tensor t = run.input(INT, {3, 2}, {5, 1, -3, 9, 4, 0});
  run.output("columns", popops::sort(run.graph, t, 0, run.prog));
  popops::sortInPlace(run.graph, t, 1, run.prog);
  run.output("rows", t);
  run.run();
  EXPECT_EQ(run.read("columns"), (std::vector<double>{-3, 0, 4, 1, 5, 9}));
  EXPECT_EQ(run.read("rows"), (std::vector<double>{1, 5, -3, 9, 0, 4}));
}
TEST_P(SortTest, ValuesGoWithTheirKeys) {
  OperationRun run(GetParam());
  const auto keys = randomValues(40, -9, 9, 3);
  std::vector<double> positions(40);
  for (std::size_t i = 0; i != 40; ++i)
    positions[i] = static_cast<double>(i);
  const Tensor k = run.input(FLOAT, {40}, keys), v = run.input(INT, {40}, positions);
  run.output("ordered", popops::sortKeyValue(run.graph, k, v, 0, run.prog));
  popops::sortKeyValueInPlace(run.graph, k, v, 0, run.prog);
  run.output("k", k);
  run.output("v", v);
  run.run();
  std::stable_sort(positions.begin(), positions.end(), [&](double a, double b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  auto sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(run.read("ordered"), positions);
  EXPECT_EQ(run.read("v"), positions);
  EXPECT_EQ(run.read("k"), sorted);
}
TEST_P(SortTest, TheTopOfEachRowIsTaken) {
  OperationRun run(GetParam());
  const Tensor t = run.input(HALF, {2, 4}, {3, -1, 7, 2, 0, 5, 4, 6});
  run.output("largest", popops::topK(run.graph, run.prog, t, {2, true, SortOrder::DESCENDING}));
  run.output("smallest", popops::topK(run.graph, run.prog, t, {3, false, SortOrder::DESCENDING}));
  const auto pair =
      popops::topKWithPermutation(run.graph, run.prog, t, {2, true, SortOrder::ASCENDING});
  EXPECT_EQ(pair.second.shape(), Shape({2, 2}));
  run.output("values", pair.first);
  run.output("indices", pair.second);
  run.run();
  EXPECT_EQ(run.read("largest"), (std::vector<double>{7, 3, 6, 5}));
  EXPECT_EQ(run.read("smallest"), (std::vector<double>{3, 2, -1, 5, 4, 0}));
  EXPECT_EQ(run.read("values"), (std::vector<double>{3, 7, 5, 6}));
  EXPECT_EQ(run.read("indices"), (std::vector<double>{0, 2, 1, 3}));
}
TEST_P(SortTest, EqualKeysOfAStableTopKComeInTheOrderOfTheirPositions) {
  OperationRun run(GetParam());
  const Values keys = {2, 1, 2, 1, 3, 3, 0, 3};
  const Tensor t = run.input(FLOAT, {2, 4}, keys);
  const Tensor values = run.input(INT, {2, 4}, {7, 6, 5, 4, 3, 2, 1, 0});
  struct Case {
    bool largest;
    SortOrder order;
    unsigned k;
    Values positions;
  };
  const std::vector<Case> cases = {{true, SortOrder::ASCENDING, 4, {1, 3, 0, 2, 2, 0, 1, 3}},
                                   {true, SortOrder::DESCENDING, 4, {0, 2, 1, 3, 0, 1, 3, 2}},
                                   {false, SortOrder::ASCENDING, 4, {1, 3, 0, 2, 2, 0, 1, 3}},
                                   {false, SortOrder::DESCENDING, 4, {0, 2, 1, 3, 0, 1, 3, 2}},
                                   {true, SortOrder::ASCENDING, 3, {1, 0, 2, 0, 1, 3}},
                                   {false, SortOrder::DESCENDING, 3, {0, 1, 3, 0, 1, 2}}};
  std::vector<std::array<std::string, 3>> names;
  for (const Case &c : cases) {
    const popops::TopKParams params(c.k, c.largest, c.order, true);
    const auto withPositions = popops::topKWithPermutation(run.graph, run.prog, t, params);
    const auto withValues = popops::topKKeyValue(run.graph, run.prog, t, values, params);
    names.push_back({run.output(withPositions.second), run.output(withValues.first),
                     run.output(withValues.second)});
  }
  run.run();
  for (std::size_t i = 0; i != cases.size(); ++i) {
    Values expectedKeys, expectedValues;
    for (std::size_t j = 0; j != cases[i].positions.size(); ++j) {
      const double at = cases[i].positions[j] + (j < cases[i].k ? 0 : 4);
      expectedKeys.push_back(keys[static_cast<std::size_t>(at)]);
      expectedValues.push_back(7 - at);
    }
    EXPECT_EQ(run.read(names[i][0]), cases[i].positions) << i;
    EXPECT_EQ(run.read(names[i][1]), expectedKeys) << i;
    EXPECT_EQ(run.read(names[i][2]), expectedValues) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, SortTest,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::Ipu),
                         [](const auto &p) { return machineName(p.param); });

TEST(SortErrors, WrongArgumentsAreErrors) {
  OperationRun run(Machine::Model);
  const Tensor t = run.input(FLOAT, {4}, {1, 2, 3, 4});
  EXPECT_THROW(popops::sort(run.graph, t, 1, run.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::sortKeyValue(run.graph, t, t, 0, run.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::topK(run.graph, run.prog, t, {5, true, SortOrder::NONE}),
               poputil::poplibs_error);
}

} // namespace
