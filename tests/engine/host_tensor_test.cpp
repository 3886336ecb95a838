#include "devices.hpp"

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::Each;
using ::testing::ElementsAre;

class HostTensors : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, HostTensors, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(HostTensors, AreRowMajorWhateverTheirMapping) {
  hostVariable(INT, {2, 3}, "a", 1);
  Engine engine = load(Sequence());
  write<int>(engine, "a", {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(read<int>(engine, "a", 6), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_P(HostTensors, MayBeViews) {
  const Tensor a = hostVariable(INT, {4}, "a");
  graph_.createHostRead("odd", a.slice(1, 4).subSample(2, 0));
  Engine engine = load(Sequence());
  write<int>(engine, "a", {1, 2, 3, 4});
  EXPECT_THAT(read<int>(engine, "odd", 2), ElementsAre(2, 4));
}

TEST_P(HostTensors, StartWithTheirInitialValues) {
  const Tensor a = hostVariable(FLOAT, {4}, "a");
  graph_.setInitialValue(a, ArrayRef<float>{1, 2, 3, 4});
  graph_.setInitialValue(a.slice(2, 4), 9.0f);
  Engine engine = load(Sequence());
  EXPECT_THAT(read<float>(engine, "a", 4), ElementsAre(1, 2, 9, 9));
}

TEST_P(HostTensors, AreZeroWithoutAnInitialValue) {
  hostVariable(INT, {5}, "a");
  Engine engine = load(Sequence());
  EXPECT_THAT(read<int>(engine, "a", 5), Each(0));
}

TEST_P(HostTensors, AreInitialAgainAfterAnotherLoad) {
  const Tensor a = hostVariable(INT, {2}, "a");
  graph_.setInitialValue(a, 7);
  Engine engine = load(Sequence());
  write<int>(engine, "a", {1, 2});
  engine.load(device_);
  EXPECT_THAT(read<int>(engine, "a", 2), ElementsAre(7, 7));
}

TEST_P(HostTensors, RefuseASmallerBuffer) {
  hostVariable(INT, {2}, "a");
  Engine engine = load(Sequence());
  EXPECT_THROW(read<int>(engine, "a", 1), poplar_error);
  EXPECT_THROW(write<int>(engine, "a", {1}), poplar_error);
}

TEST_P(HostTensors, UseAsMuchOfALargerBufferAsTheyNeed) {
  hostVariable(INT, {2}, "a");
  Engine engine = load(Sequence());
  write<int>(engine, "a", {1, 2, 3});
  std::vector<int> room(4, -1);
  engine.readTensor("a", room.data(), room.data() + 4);
  EXPECT_THAT(room, ElementsAre(1, 2, -1, -1));
}

TEST_P(HostTensors, RefuseABufferThatEndsBeforeItBegins) {
  hostVariable(INT, {2}, "a");
  Engine engine = load(Sequence());
  std::vector<int> room(4, -1);
  int *const begin = room.data(), *const end = begin + 2;
  EXPECT_THROW(engine.readTensor("a", end, begin), poplar_error);
  EXPECT_THROW(engine.writeTensor("a", end, begin), poplar_error);
  EXPECT_THAT(room, Each(-1));
}

TEST_P(HostTensors, TakeTheLastValueOfAliasedElements) {
  const Tensor a = hostVariable(INT, {2}, "a");
  graph_.createHostWrite("both", concat(a, a.reverse(0)));
  Engine engine = load(Sequence());
  write<int>(engine, "both", {1, 2, 3, 4});
  EXPECT_THAT(read<int>(engine, "a", 2), ElementsAre(4, 3));
}

TEST_P(HostTensors, RefuseAnUnknownHandle) {
  Engine engine = load(Sequence());
  EXPECT_THROW(read<int>(engine, "a", 1), poplar_error);
}

} // namespace
} // namespace copse::test
