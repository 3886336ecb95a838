#include "devices.hpp"

#include <array>
#include <numeric>
#include <random>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;

class Copies : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, Copies, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(Copies, MoveElementsBetweenTilesAndIpus) {
  const Tensor a = hostVariable(INT, {8}, "a"), b = hostVariable(INT, {8}, "b", 1);
  Engine engine = load(Copy(a, b));
  write<int>(engine, "a", {1, 2, 3, 4, 5, 6, 7, 8});
  engine.run();
  EXPECT_THAT(read<int>(engine, "b", 8), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_P(Copies, FollowTheOrderOfViews) {
  const Tensor a = hostVariable(INT, {2, 3}, "a"), b = hostVariable(INT, {3, 2}, "b");
  Engine engine = load(Copy(a.transpose(), b));
  write<int>(engine, "a", {1, 2, 3, 4, 5, 6});
  engine.run();
  EXPECT_THAT(read<int>(engine, "b", 6), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST_P(Copies, ReadAllSourcesBeforeTheyWrite) {
  const Tensor a = hostVariable(INT, {6}, "a");
  Engine engine = load(Copy(a, a.reverse(0)));
  write<int>(engine, "a", {1, 2, 3, 4, 5, 6});
  engine.run();
  EXPECT_THAT(read<int>(engine, "a", 6), ElementsAre(6, 5, 4, 3, 2, 1));
}

TEST_P(Copies, FillFromABroadcastConstant) {
  const Tensor one = graph_.addConstant(FLOAT, {1}, 1.5f);
  graph_.setTileMapping(one, 0);
  const Tensor b = hostVariable(FLOAT, {4}, "b");
  Engine engine = load(Copy(one.broadcast(4, 0), b));
  engine.run();
  EXPECT_THAT(read<float>(engine, "b", 4), ElementsAre(1.5f, 1.5f, 1.5f, 1.5f));
}

TEST_P(Copies, DoNothingIfTheyAreEmpty) {
  const Tensor a = variable(INT, {0}, "a"), b = variable(INT, {0}, "b");
  Engine engine = load(Copy(a, b));
  EXPECT_NO_THROW(engine.run());
}

TEST_P(Copies, KeepElementsOfOneByteApart) {
  const Tensor a = hostVariable(CHAR, {5}, "a"), b = hostVariable(CHAR, {5}, "b", 1);
  Engine engine = load(Copy(a, b));
  write<char>(engine, "a", {1, 2, 3, 4, 5});
  engine.run();
  EXPECT_THAT(read<char>(engine, "b", 5), ElementsAre(1, 2, 3, 4, 5));
}

/// The copies of a sequence may share exchanges; the values are those of one copy after another.
TEST_P(Copies, GiveTheValuesOfTheirOrder) {
  constexpr unsigned kRows = 6, kColumns = 8;
  std::mt19937 random(20);
  const Tensor grid = hostVariable(INT, {kRows, kColumns}, "grid");
  std::vector<int> expected(kRows * kColumns);
  std::iota(expected.begin(), expected.end(), 0);
  const std::vector<int> initial = expected;
  Sequence sequence;
  for (int i = 0; i < 60; ++i) {
    // Both blocks have this shape; they overlap in some of the copies.
    const std::size_t rows = 1 + random() % 3, columns = 1 + random() % 3;
    const auto corner = [&] {
      return std::array<std::size_t, 2>{random() % (kRows - rows + 1),
                                        random() % (kColumns - columns + 1)};
    };
    const auto block = [&](const auto &at) {
      return grid.slice({at[0], at[1]}, {at[0] + rows, at[1] + columns});
    };
    const auto from = corner(), to = corner();
    sequence.add(Copy(block(from), block(to)));
    const std::vector<int> before = expected;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        expected[(to[0] + row) * kColumns + to[1] + column] =
            before[(from[0] + row) * kColumns + from[1] + column];
  }
  Engine engine = load(sequence);
  write<int>(engine, "grid", initial);
  engine.run();
  EXPECT_EQ(read<int>(engine, "grid", kRows * kColumns), expected);
}

} // namespace
} // namespace copse::test
