#include "poplar_test/Util.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <optional>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <vector>

namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;

Device smallModel(unsigned ipus = 1) {
  IPUModel model;
  model.numIPUs = ipus;
  model.tilesPerIPU = 2;
  return model.createDevice();
}

TEST(HostMemory, IsCopiedToAndFromTensors) {
  const Device device = smallModel();
  Graph graph(device, replication_factor(1));
  const Tensor in = graph.addVariable(HALF, {3}, "in"), out = graph.addVariable(HALF, {3}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 1);
  Sequence upload, download;
  poplar_test::HostMemories memories;
  const auto inMemory =
      poplar_test::allocateHostMemoryForTensor(in, "in", graph, upload, std::nullopt, memories);
  const auto outMemory =
      poplar_test::allocateHostMemoryForTensor(out, "out", graph, nullptr, download, memories);
  Engine engine(graph, Sequence({upload, Copy(in, out), download}));
  engine.load(device);
  poplar_test::attachStreams(engine, memories);

  const std::vector<double> numbers{1.5, -2, 65504};
  poplar_test::copy(device.getTarget(), numbers, HALF, inMemory.get());
  engine.run();
  std::vector<float> result(3);
  poplar_test::copy(device.getTarget(), HALF, outMemory.get(), result);
  EXPECT_THAT(result, ElementsAre(1.5f, -2.0f, 65504.0f));
}

TEST(HostMemory, HoldsTheValuesOfAllReplicasInOrder) {
  const Device device = smallModel(2);
  Graph graph(device, replication_factor(2));
  const Tensor t = graph.addVariable(INT, {1}, "t");
  graph.setTileMapping(t, 0);
  Sequence upload, download;
  poplar_test::HostMemories memories;
  const auto memory =
      poplar_test::allocateHostMemoryForTensor(t, "t", graph, upload, download, memories);
  Engine engine(graph, Sequence({upload, CrossReplicaCopy(t, t, {{0, 1}, {1, 0}}), download}));
  engine.load(device);
  poplar_test::attachStreams(engine, memories);
  poplar_test::copy(device.getTarget(), std::vector<int>{7, 9}, INT, memory.get());
  engine.run();
  std::vector<int> result(2);
  poplar_test::copy(device.getTarget(), INT, memory.get(), result);
  EXPECT_THAT(result, ElementsAre(9, 7));
}

TEST(HostMemory, HasTheSizeOfTheTensorWithoutStreams) {
  const Device device = smallModel();
  Graph graph(device);
  const Tensor t = graph.addVariable(HALF, {2, 3}, "t");
  const auto memory = poplar_test::allocateHostMemoryForTensor(device.getTarget(), t, 2);
  const std::vector<float> zeros(12, 1.0f);
  poplar_test::copy(device.getTarget(), zeros.data(), 12, HALF, memory.get());
  std::vector<float> back(12);
  poplar_test::copy(device.getTarget(), HALF, memory.get(), back.data(), 12);
  EXPECT_EQ(std::accumulate(back.begin(), back.end(), 0.0f), 12.0f);
}

TEST(HostMemory, HoldsQuartersByTheirMetadata) {
  const Device device = smallModel();
  const QuarterMetadata metadata(QuarterMetadata::Format::F143, 2);
  const std::vector<double> numbers{4, -1, 14};
  std::vector<unsigned char> codes(3);
  poplar_test::copy(device.getTarget(), numbers, QUARTER, metadata, codes.data());
  EXPECT_THAT(codes, ElementsAre(0x40, 0xB0, 0x4E));
  std::vector<double> back(3);
  poplar_test::copy(device.getTarget(), QUARTER, metadata, codes.data(), back);
  EXPECT_EQ(back, numbers);
}

/// Types that look like boost::optional<Sequence &> and boost::none.
struct SomethingThatIsNone {};

TEST(OptionalSequence, AcceptsASequenceOrAnOptionalOne) {
  Sequence sequence;
  EXPECT_EQ(poplar_test::OptionalSequence(sequence).get(), &sequence);
  EXPECT_EQ(poplar_test::OptionalSequence(&sequence).get(), &sequence);
  EXPECT_EQ(poplar_test::OptionalSequence(nullptr).get(), nullptr);
  EXPECT_EQ(poplar_test::OptionalSequence(SomethingThatIsNone()).get(), nullptr);
}

TEST(HostMemory, KeepsSeveralArraysApart) {
  const Target target = Target::createCPUTarget();
  const std::vector<std::vector<double>> arrays{{1, 2}, {3, 4, 5}};
  std::vector<std::unique_ptr<char[]>> memories;
  for (const auto &array : arrays)
    memories.push_back(std::make_unique<char[]>(array.size() * sizeof(float)));
  poplar_test::copy(target, FLOAT, arrays, memories);
  std::vector<std::vector<double>> back{std::vector<double>(2), std::vector<double>(3)};
  poplar_test::copy(target, FLOAT, memories, back);
  EXPECT_EQ(back, arrays);
}

} // namespace
