#include "operation_run.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Gather.hpp>
#include <popops/Scatter.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>

namespace {

using namespace copse::test;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using popops::SlicePlan;
using Shape = std::vector<std::size_t>;

std::vector<double> counted(std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i != n; ++i)
    values[i] = static_cast<double>(i);
  return values;
}

class SliceTest : public ::testing::TestWithParam<Machine> {};

TEST_P(SliceTest, ASliceWrapsRound) {
  OperationRun run(GetParam());
  const Tensor t = run.input(INT, {4, 3}, counted(12), 5),
               offset = run.input(UNSIGNED_INT, {1}, {3});
  run.output("rows", popops::dynamicSlice(run.graph, t, offset, {0}, {2}, run.prog));
  run.output("columns", popops::dynamicSlice(run.graph, t, run.input(UNSIGNED_INT, {1}, {2}), {1},
                                             {2}, run.prog));
  run.run();
  EXPECT_EQ(run.read("rows"), (std::vector<double>{9, 10, 11, 0, 1, 2}));
  EXPECT_EQ(run.read("columns"), (std::vector<double>{2, 0, 5, 3, 8, 6, 11, 9}));
}
TEST_P(SliceTest, SeveralDimensionsAreSlicedAndUpdated) {
  OperationRun run(GetParam());
  const Tensor t = run.graph.addVariable(FLOAT, {4, 2, 5});
  run.scatter(t, 3);
  run.initialise(t, counted(40));
  const Tensor offset = run.input(UNSIGNED_INT, {2}, {2, 3});
  const Tensor slice = popops::dynamicSlice(run.graph, t, offset, {0, 2}, {1, 2}, run.prog);
  EXPECT_EQ(slice.shape(), Shape({1, 2, 2}));
  run.output("slice", slice);
  popops::dynamicUpdate(run.graph, t, run.input(FLOAT, {1, 2, 2}, {-1, -2, -3, -4}), offset, {0, 2},
                        {1, 2}, run.prog);
  run.output("t", t);
  run.run();
  EXPECT_EQ(run.read("slice"), (std::vector<double>{23, 24, 28, 29}));
  auto expected = counted(40);
  expected[23] = -1;
  expected[24] = -2;
  expected[28] = -3;
  expected[29] = -4;
  EXPECT_EQ(run.read("t"), expected);
}
TEST_P(SliceTest, RowsAreLookedUpAndUpdatedInOrder) {
  OperationRun run(GetParam());
  const Tensor t = popops::createSliceableTensor(run.graph, HALF, {20, 3}, {0}, {1});
  run.initialise(t, counted(60));
  const Tensor offsets = run.input(UNSIGNED_INT, {4, 1}, {7, 0, 19, 7});
  const Tensor rows =
      popops::multiSlice(run.graph, t, offsets, {0}, {1}, run.prog, SlicePlan(), {});
  EXPECT_EQ(rows.shape(), Shape({4, 1, 3}));
  run.output("rows", rows);
  const Tensor s = run.input(HALF, {3, 1, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
  const Tensor where = run.input(UNSIGNED_INT, {3, 1}, {5, 99, 5});
  popops::multiUpdate(run.graph, t, s, where, {0}, {1}, run.prog, SlicePlan(), {});
  const Tensor scale = run.input(HALF, {}, {2});
  popops::multiUpdateAdd(run.graph, t, s, run.input(UNSIGNED_INT, {3, 1}, {0, 0, 99}), scale, {0},
                         {1}, run.prog, SlicePlan(), {});
  popops::multiUpdateMax(run.graph, t, s, run.input(UNSIGNED_INT, {3, 1}, {1, 0, 0}), {0}, {1},
                         run.prog, SlicePlan(), {});
  run.output("t", t);
  run.run();
  EXPECT_EQ(run.read("rows"), (std::vector<double>{21, 22, 23, 0, 1, 2, 57, 58, 59, 21, 22, 23}));
  auto expected = counted(60);
  for (std::size_t i = 0; i != 3; ++i) {
    expected[15 + i] = 3;
    expected[i] += 2 * 1 + 2 * 2;
  }
  EXPECT_EQ(run.read("t"), expected);
}
TEST_P(SliceTest, IndicesOutOfRangeGatherFromTheStartOfTheirDimension) {
  OperationRun run(GetParam());
  const Tensor t = popops::createGatherInput(run.graph, INT, {3, 3}, {1, 1}, {0, 1});
  run.initialise(t, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor starts =
      run.input(UNSIGNED_INT, {7, 2}, {2, 7, 2, 1, 1, 1, 5, 1, 2147483647, 1, 1, 2, -1, -1});
  run.output("elements",
             popops::gather(run.graph, t, starts, 1, {1, 2}, {1, 1}, {}, {0, 1}, run.prog));
  const Tensor some = run.input(UNSIGNED_INT, {4}, {1, 3, 4294967295.0, 2});
  run.output("rows", popops::gather(run.graph, t, some, 0, run.prog, popops::GatherParams()));
  run.output("columns", popops::gather(run.graph, t, some, 1, run.prog, popops::GatherParams()));
  run.output("pairs", popops::gather(run.graph, t, some, 1, {1, 2}, {2, 1}, {}, {0}, run.prog));
  run.run();
  EXPECT_EQ(run.read("elements"), (Values{7, 8, 5, 2, 2, 6, 1}));
  EXPECT_EQ(run.read("rows"), (Values{4, 5, 6, 1, 2, 3, 1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(run.read("columns"), (Values{2, 1, 1, 3, 5, 4, 4, 6, 8, 7, 7, 9}));
  EXPECT_EQ(run.read("pairs"), (Values{4, 7, 1, 4, 1, 4, 7, 1}));
}
TEST_P(SliceTest, WindowsInSeveralDimensionsAreTakenAndWritten) {
  OperationRun run(GetParam());
  // Dimensions 2 and 0 are sliced, in this order; 4 x 2 x 5.
  const Tensor t = run.input(INT, {4, 2, 5}, counted(40), 3);
  const Tensor offsets = run.input(UNSIGNED_INT, {3, 2}, {3, 1, 0, 2, 1, 4});
  const std::vector<std::size_t> dims = {2, 0}, sizes = {2, 2};
  const auto at = [](std::size_t i, std::size_t j, std::size_t k) {
    return static_cast<double>((i % 4 * 2 + j) * 5 + k % 5);
  };
  const Tensor windows =
      popops::multiSlice(run.graph, t, offsets, dims, sizes, run.prog, SlicePlan(), {});
  ASSERT_EQ(windows.shape(), Shape({3, 2, 2, 2}));
  run.output("windows", windows);
  Values news(24), read, written = counted(40);
  for (std::size_t n = 0; n != 24; ++n)
    news[n] = -1 - static_cast<double>(n);
  popops::multiUpdate(run.graph, t, run.input(INT, {3, 2, 2, 2}, news), offsets, dims, sizes,
                      run.prog, SlicePlan(), {});
  run.output("t", t);
  run.run();
  // Begins of rows and columns; 4 means 0.
  const std::size_t begins[3][2] = {{1, 3}, {2, 0}, {0, 1}};
  std::size_t n = 0;
  for (std::size_t w = 0; w != 3; ++w)
    for (std::size_t i = 0; i != 2; ++i)
      for (std::size_t j = 0; j != 2; ++j)
        for (std::size_t k = 0; k != 2; ++k, ++n) {
          read.push_back(at(begins[w][0] + i, j, begins[w][1] + k));
          if (w != 2) // which is out of range
            written[static_cast<std::size_t>(read.back())] = news[n];
        }
  EXPECT_EQ(run.read("windows"), read);
  EXPECT_EQ(run.read("t"), written);
}
TEST_P(SliceTest, UpdatesThatAreNotWhollyInsideAreLeftOut) {
  OperationRun run(GetParam());
  const Tensor t = popops::createSliceableTensor(run.graph, INT, {5, 2}, {0}, {2});
  run.initialise(t, counted(10));
  const Tensor sums = run.input(INT, {5, 2}, counted(10), 4),
               whole = run.input(INT, {5, 2}, counted(10), 5);
  const Tensor offsets = run.input(UNSIGNED_INT, {4, 1}, {4294967295.0, 4, 1, 5});
  Values news(16);
  for (std::size_t n = 0; n != 16; ++n)
    news[n] = -1 - static_cast<double>(n);
  const Tensor s = run.input(INT, {4, 2, 2}, news);
  popops::multiUpdate(run.graph, t, s, offsets, {0}, {2}, run.prog, SlicePlan(), {});
  // The results of scatter are also right, whether it replaces or combines elements.
  popops::scatter(run.graph, whole, offsets.flatten(), s, 1, {1, 2}, {}, {0}, run.prog);
  popops::UpdateComputationFunc add = [](poplar::Graph &graph, Tensor &current, Tensor &update,
                                         poplar::program::Sequence &prog) {
    return popops::add(graph, current, update, prog);
  };
  popops::scatter(run.graph, sums, offsets.flatten(), s, 1, {1, 2}, {}, {0}, add, run.prog);
  run.output("t", t);
  run.output("whole", whole);
  run.output("sums", sums);
  run.run();
  EXPECT_EQ(run.read("t"), (Values{0, 1, -9, -10, -11, -12, 6, 7, 8, 9}));
  EXPECT_EQ(run.read("whole"), (Values{0, 1, -9, -10, -11, -12, 6, 7, 8, 9}));
  EXPECT_EQ(run.read("sums"), (Values{0, 1, -7, -7, -7, -7, 6, 7, 8, 9}));
}

INSTANTIATE_TEST_SUITE_P(Machines, SliceTest,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::TwoIpuModel,
                                           Machine::Ipu),
                         [](const auto &p) { return machineName(p.param); });

TEST(Slices, APlannedTableIsSplitByRowsAndColumns) {
  OperationRun run(Machine::TwoIpuModel);
  const SlicePlan plan = popops::embedding::plan(run.graph, FLOAT, 50, 8, {10},
                                                 {{"planMinimisationTarget", "memory"}});
  const Tensor t = popops::createSliceableTensor(run.graph, FLOAT, {50, 8}, {0}, {1}, plan, {});
  run.initialise(t, counted(400));
  const Tensor indices = popops::createIndicesTensor(run.graph, {0}, 10, plan, {});
  EXPECT_EQ(indices.shape(), Shape({10, 1}));
  const auto at = randomValues(10, 0, 50, 1, true);
  run.initialise(indices, at);
  const Tensor rows = popops::multiSlice(run.graph, t, indices, {0}, {1}, run.prog, plan, {});
  const Tensor like = popops::createSliceTensor(run.graph, FLOAT, {50, 8}, {0}, {1}, 10, plan, {});
  EXPECT_EQ(run.graph.getTileMapping(rows), run.graph.getTileMapping(like));
  for (const auto &tile : run.graph.getTileMapping(t)) {
    std::size_t elements = 0;
    for (const auto &region : tile)
      elements += region.size();
    EXPECT_LE(elements, 400u / 16 + 2);
  }
  run.output("rows", rows);
  run.run();
  std::vector<double> expected;
  for (const double row : at)
    for (std::size_t c = 0; c != 8; ++c)
      expected.push_back(row * 8 + static_cast<double>(c));
  EXPECT_EQ(run.read("rows"), expected);
}
TEST(Slices, APlanFitsItsOwnTableOnly) {
  OperationRun run(Machine::Model);
  const SlicePlan plan = popops::embedding::plan(run.graph, FLOAT, 50, 8, {10}, {});
  const Tensor t = run.input(FLOAT, {5, 8}, counted(40)),
               offsets = run.input(UNSIGNED_INT, {1, 1}, {0});
  EXPECT_THROW(popops::multiSlice(run.graph, t, offsets, {0}, {1}, run.prog, plan, {}),
               poputil::poplibs_error);
  EXPECT_NE(plan, SlicePlan());
  std::ostringstream text;
  text << plan;
  EXPECT_EQ(text.str(),
            "SlicePlan: a table of 50 rows of 8, its columns in 4 parts, its rows in 1");
}
TEST(Slices, APlanSplitsTheRowsForRoomOrOnDemand) {
  OperationRun run(Machine::Model);
  const auto planned = [&](std::size_t rows, const poplar::OptionFlags &options) {
    std::ostringstream text;
    text << popops::embedding::plan(run.graph, FLOAT, rows, 8, {10}, options);
    return text.str();
  };
  EXPECT_THAT(planned(50, {{"planMinimisationTarget", "memory"}}),
              ::testing::HasSubstr("its rows in 2"));
  const std::size_t most = run.graph.getTarget().getBytesPerTile() / (2 * sizeof(float));
  EXPECT_THAT(planned(most / 4, {{"availableMemoryProportion", "0.25"}}),
              ::testing::HasSubstr("its rows in 1"));
  EXPECT_THAT(planned(most / 4 + 1, {{"availableMemoryProportion", "0.25"}}),
              ::testing::HasSubstr("its rows in 2"));
}
TEST(Slices, ATableOfSlicesIsLaidOutLikeOne) {
  OperationRun run(Machine::Model);
  const Tensor s = run.input(FLOAT, {1, 6}, counted(6), 4);
  const Tensor t = popops::createSliceableTensorFromSlice(run.graph, s, {0}, {3});
  EXPECT_EQ(t.shape(), Shape({3, 6}));
  EXPECT_EQ(run.graph.getTileMapping(t.slice(2, 3)), run.graph.getTileMapping(s));
}
TEST(Slices, OffsetsInSeveralDimensionsNameElements) {
  OperationRun run(Machine::Model);
  const Tensor t = run.input(INT, {3, 2, 4}, counted(24), 2);
  const Tensor offsets = run.input(UNSIGNED_INT, {3, 2}, {0, 3, 2, 1, 1, 0});
  run.output("out",
             popops::multiSlice(run.graph, t, offsets, {0, 2}, {1, 1}, run.prog, SlicePlan(), {}));
  run.run();
  EXPECT_EQ(run.read("out"), (std::vector<double>{3, 7, 17, 21, 8, 12}));
}
TEST(Slices, WrongArgumentsAreErrors) {
  OperationRun run(Machine::Model);
  const Tensor t = run.input(FLOAT, {4, 3}, counted(12)),
               offset = run.input(UNSIGNED_INT, {1}, {0});
  using poplar::graph_connection_error;
  EXPECT_THROW(popops::dynamicSlice(run.graph, t, offset, {2}, {1}, run.prog),
               graph_connection_error);
  EXPECT_THROW(popops::dynamicSlice(run.graph, t, offset, {0}, {5}, run.prog),
               graph_connection_error);
  EXPECT_THROW(popops::dynamicSlice(run.graph, t, offset, {0, 0}, {1, 1}, run.prog),
               graph_connection_error);
  EXPECT_THROW(popops::dynamicSlice(run.graph, t, offset, {0, 1}, {1, 1}, run.prog),
               graph_connection_error);
  EXPECT_THROW(popops::dynamicSlice(run.graph, t, offset, {0}, {1, 1}, run.prog),
               graph_connection_error);
  EXPECT_THROW(popops::multiSlice(run.graph, t, offset, {0}, {1}, run.prog, SlicePlan(), {}),
               poputil::poplibs_error);
}
TEST(Slices, NoDimensionsAndNoElementsAreCopiesAndNothing) {
  OperationRun run(Machine::Model);
  const Tensor t = run.input(FLOAT, {4, 3}, counted(12));
  const Tensor none = run.input(UNSIGNED_INT, {1}, {0});
  run.output("all", popops::dynamicSlice(run.graph, t, none.slice(0, 0), {}, {}, run.prog));
  EXPECT_EQ(popops::dynamicSlice(run.graph, t, none, {0}, {0}, run.prog).shape(), Shape({0, 3}));
  run.run();
  EXPECT_EQ(run.read("all"), counted(12));
}
TEST(GroupedSlices, EveryGroupHasATableAndOffsetsOfItsOwn) {
  OperationRun run(Machine::TwoIpuModel);
  const std::size_t groups = 3, rows = 5, columns = 4, lookups = 2;
  const SlicePlan plan =
      popops::embedding::plan(run.graph, INT, groups, rows, columns, {lookups}, {});
  const Tensor t = popops::createGroupedSliceableTensor(run.graph, INT, groups, {rows, columns},
                                                        {0}, {1}, plan, {});
  ASSERT_EQ(t.shape(), Shape({groups, rows, columns}));
  run.initialise(t, counted(60));
  const Tensor maxima = run.input(INT, {groups, rows, columns}, counted(60), 6),
               sums = run.input(INT, {groups, rows, columns}, counted(60), 7);
  const Tensor offsets =
      popops::createGroupedIndicesTensor(run.graph, groups, {0}, lookups, plan, {});
  ASSERT_EQ(offsets.shape(), Shape({groups, lookups, 1}));
  run.initialise(offsets, {4, 0, 2, 2, 1, 5}); // the last is out of range
  const Tensor slices =
      popops::groupedMultiSlice(run.graph, t, offsets, {0}, {1}, run.prog, plan, {});
  ASSERT_EQ(slices.shape(), Shape({groups, lookups, 1, columns}));
  run.output("slices", slices);
  const Tensor s = popops::createGroupedSliceTensor(run.graph, INT, groups, {rows, columns}, {0},
                                                    {1}, lookups, plan, {});
  ASSERT_EQ(s.shape(), slices.shape());
  Values news(groups * lookups * columns);
  for (std::size_t i = 0; i != news.size(); ++i)
    news[i] = static_cast<double>(i / columns) * 100;
  run.initialise(s, news);
  popops::groupedMultiUpdate(run.graph, t, s, offsets, {0}, {1}, run.prog, plan, {});
  popops::groupedMultiUpdateAdd(run.graph, sums, s, offsets, run.input(INT, {}, {2}), {0}, {1},
                                run.prog, plan, {});
  popops::groupedMultiUpdateMax(run.graph, maxima, s, offsets, {0}, {1}, run.prog, plan, {});
  for (const auto &[name, tensor] : {std::pair{"t", t}, {"sums", sums}, {"maxima", maxima}})
    run.output(name, tensor);
  run.run();
  const std::size_t rowOf[] = {4, 0, 7, 7, 11}; // index among all groups' rows
  Values read = run.read("slices"), expected;
  Values updated = counted(60), added = counted(60), largest = counted(60);
  for (std::size_t l = 0; l != 5; ++l)
    for (std::size_t c = 0; c != columns; ++c) {
      const std::size_t at = rowOf[l] * columns + c;
      expected.push_back(static_cast<double>(at));
      updated[at] = news[l * columns];
      added[at] += 2 * news[l * columns];
      largest[at] = std::max(largest[at], news[l * columns]);
    }
  read.resize(expected.size());
  EXPECT_EQ(read, expected);
  EXPECT_EQ(run.read("t"), updated);
  EXPECT_EQ(run.read("sums"), added);
  EXPECT_EQ(run.read("maxima"), largest);
  EXPECT_THROW(popops::groupedMultiSlice(run.graph, t.slice(0, 2), offsets.slice(0, 2), {0}, {1},
                                         run.prog, plan, {}),
               poputil::poplibs_error);
}
TEST(Gathers, IndicesTakeThePlaceOfTheAxis) {
  OperationRun run(Machine::Model);
  const Tensor t = popops::createGatherInput(run.graph, INT, {2, 5, 2}, 1);
  run.initialise(t, counted(20));
  const Tensor indices = run.input(UNSIGNED_INT, {2, 2}, {4, 0, 1, 4});
  const Tensor out = popops::gather(run.graph, t, indices, 1, run.prog, popops::GatherParams());
  EXPECT_EQ(out.shape(), Shape({2, 2, 2, 2}));
  run.output("out", out);
  run.run();
  EXPECT_EQ(run.read("out"),
            (std::vector<double>{8, 9, 0, 1, 2, 3, 8, 9, 18, 19, 10, 11, 12, 13, 18, 19}));
}
TEST(Gathers, TheGeneralFormPicksElementsAndWindows) {
  OperationRun run(Machine::Model);
  const Tensor t = run.input(INT, {3, 3}, counted(9));
  const Tensor starts = run.input(UNSIGNED_INT, {2, 2}, {1, 1, 2, 1});
  run.output("elements",
             popops::gather(run.graph, t, starts, 1, {}, {1, 1}, {0, 1}, {0, 1}, run.prog));
  // Windows of two rows and two columns, before the dimension of the starts.
  const Tensor windows = popops::gather(run.graph, t, run.input(UNSIGNED_INT, {2}, {0, 1}), 1,
                                        {0, 1}, {2, 2}, {}, {1}, run.prog);
  EXPECT_EQ(windows.shape(), Shape({2, 2, 2}));
  run.output("windows", windows);
  run.run();
  EXPECT_EQ(run.read("elements"), (std::vector<double>{4, 7}));
  EXPECT_EQ(run.read("windows"), (std::vector<double>{0, 1, 1, 2, 3, 4, 4, 5}));
}
TEST(Scatters, UpdatesReplaceOrAreCombined) {
  OperationRun run(Machine::Model);
  const Tensor t = run.input(INT, {3, 2}, counted(6), 1),
               sums = run.input(INT, {3, 2}, counted(6), 2);
  const Tensor indices = run.input(UNSIGNED_INT, {3}, {2, 0, 2});
  const Tensor updates = run.input(INT, {3, 2}, {10, 20, 30, 40, 50, 60});
  popops::scatter(run.graph, t, indices, updates, 1, {1}, {0}, {0}, run.prog);
  popops::UpdateComputationFunc add = [](poplar::Graph &graph, Tensor &current, Tensor &update,
                                         poplar::program::Sequence &prog) {
    return popops::add(graph, current, update.reshape(current.shape()), prog);
  };
  popops::scatter(run.graph, sums, indices, updates, 1, {1}, {0}, {0}, add, run.prog);
  run.output("t", t);
  run.output("sums", sums);
  run.run();
  EXPECT_EQ(run.read("t"), (std::vector<double>{30, 40, 2, 3, 50, 60}));
  EXPECT_EQ(run.read("sums"), (std::vector<double>{30, 41, 2, 3, 64, 85}));
}
TEST(Scatters, WindowDimensionsThatUpdatesDoNotHaveAreIgnored) {
  OperationRun run(Machine::Model);
  const Tensor t = run.input(INT, {3}, {0, 0, 0});
  const Tensor indices = run.input(INT, {5}, {0, 2, 2, -1, 0});
  const Tensor updates = run.input(INT, {5}, {1, 2, 3, 4, 5});
  popops::UpdateComputationFunc add = [](poplar::Graph &graph, Tensor &current, Tensor &update,
                                         poplar::program::Sequence &prog) {
    return popops::add(graph, current, update.reshape(current.shape()), prog);
  };
  popops::scatter(run.graph, t, indices, updates, 1, {1}, {0}, {0}, add, run.prog);
  run.output("t", t);
  run.run();
  EXPECT_EQ(run.read("t"), (Values{6, 0, 5}));
}

} // namespace
