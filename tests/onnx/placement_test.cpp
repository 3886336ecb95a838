// Tests layers over several IPUs: where they are cut, and that the outputs do not depend on the
// cuts.
#include "errors.hpp"
#include "model_writer.hpp"
#include "placement.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace copse::test {
namespace {

using onnx::NodeCost;
using onnx::Placement;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 40;

/// Returns the larger of the shares of memory and of cycles of nodes [begin, end).
double share(const std::vector<NodeCost> &costs, std::size_t begin, std::size_t end) {
  const auto sums = [&](std::size_t from, std::size_t to) {
    double weights = 0, working = 0, cycles = 0;
    for (std::size_t i = from; i < to; ++i) {
      weights += static_cast<double>(costs[i].weightBytes);
      working = std::max(working, static_cast<double>(costs[i].workingBytes));
      cycles += costs[i].cycles;
    }
    return std::pair{weights + working, cycles};
  };
  const auto part = sums(begin, end), all = sums(0, costs.size());
  return std::max(part.first / all.first, part.second / all.second);
}

/// Returns the smallest largest share of all cuts into parts, by trying each.
double best(const std::vector<NodeCost> &costs, std::size_t begin, unsigned parts) {
  double result = share(costs, begin, costs.size());
  for (std::size_t end = begin + 1; parts > 1 && end < costs.size(); ++end)
    result = std::min(result, std::max(share(costs, begin, end), best(costs, end, parts - 1)));
  return result;
}

TEST(OnnxPlacement, MakesTheLargestShareAsSmallAsPossible) {
  std::mt19937 draw(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<NodeCost> costs(1 + draw() % 9);
    for (NodeCost &cost : costs)
      cost = {1 + draw() % 1000, 1 + draw() % 300, static_cast<double>(1 + draw() % 5000)};
    const unsigned ipus = 1 + draw() % 4;
    const Placement placement = onnx::placeNodes(costs, ipus, kPlenty);
    ASSERT_EQ(placement.size(), costs.size());
    double largest = 0;
    for (std::size_t begin = 0, end; begin < costs.size(); begin = end) {
      for (end = begin; end < costs.size() && placement[end] == placement[begin];)
        ++end;
      ASSERT_TRUE(end == costs.size() || placement[end] == placement[begin] + 1);
      largest = std::max(largest, share(costs, begin, end));
    }
    ASSERT_LT(placement.back(), ipus);
    EXPECT_LE(largest, best(costs, 0, ipus) + 2e-3);
  }
}

TEST(OnnxPlacement, CutsByMemoryAloneIfEqualCyclesDoNotFit) {
  const std::vector<NodeCost> costs = {{50, 0, 10}, {50, 0, 10}, {50, 0, 100}, {50, 0, 100}};
  EXPECT_THAT(onnx::placeNodes(costs, 2, 1000), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(onnx::placeNodes(costs, 2, 200), ElementsAre(0, 0, 1, 1));
}

TEST(OnnxPlacement, CountsTheIpusThatAModelNeeds) {
  const std::vector<NodeCost> costs(6, NodeCost{60, 5, 1});
  EXPECT_EQ(onnx::ipusNeeded(costs, 200, 1), 3u); // two nodes each, as 70 % of an IPU are used
  EXPECT_EQ(onnx::ipusNeeded(costs, 200, 4), 4u);
  EXPECT_EQ(onnx::ipusNeeded(costs, 60, 1), std::nullopt);
}

/// Adds layers y = tanh(x * w), of width x width weights each.
void addLayers(ModelWriter &writer, unsigned count, std::size_t width) {
  writer.input("x0", {1, static_cast<std::int64_t>(width)});
  for (unsigned layer = 0; layer < count; ++layer) {
    const std::string n = std::to_string(layer), next = "x" + std::to_string(layer + 1);
    std::vector<float> w(width * width);
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] = std::sin(static_cast<float>(i * (layer + 1))) * 0.1f;
    writer.constant("w" + n, floats({width, width}, w))
        .node("MatMul", {"x" + n, "w" + n}, {"p" + n})
        .node("Tanh", {"p" + n}, {next});
  }
  writer.node("Add", {"x" + std::to_string(count), "x0"}, {"y"}).output("y");
}

onnx::Outcome outcomeOn(const ModelWriter &writer, onnx::Request request, std::size_t width,
                        std::size_t batches = 1) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.write(path);
  std::vector<float> x(width * batches);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::cos(static_cast<float>(i));
  request.inputs["x0"] = floats({batches, width}, x);
  return onnx::runModel(onnx::readModel(path), request);
}

onnx::Request smallIpus(unsigned tiles, unsigned ipusPerReplica) {
  onnx::Request request;
  request.device = "ipumodel";
  request.tilesPerIpu = tiles;
  request.ipusPerReplica = ipusPerReplica;
  return request;
}

TEST(OnnxIpusPerReplica, GiveTheSameOutputsAsOneIpu) {
  ModelWriter model;
  addLayers(model, 5, 24);
  const auto expected = outcomeOn(model, smallIpus(8, 1), 24, 4).outputs.at("y").reals;
  ASSERT_EQ(expected.size(), 4 * 24u);
  for (const unsigned ipus : {2u, 4u})
    EXPECT_EQ(outcomeOn(model, smallIpus(8, ipus), 24, 4).outputs.at("y").reals, expected) << ipus;
}

TEST(OnnxIpusPerReplica, WorkWithReplicasOnIpuProcesses) {
  ModelWriter model;
  addLayers(model, 3, 16);
  onnx::Request request;
  request.replicas = 2;
  request.ipusPerReplica = 2;
  const onnx::Outcome outcome = outcomeOn(model, request, 16, 4);
  EXPECT_EQ(outcome.steps, 2u);
  EXPECT_THAT(outcome.outputs.at("y").reals,
              ::testing::Pointwise(::testing::FloatNear(1e-5f),
                                   outcomeOn(model, smallIpus(8, 1), 16, 4).outputs.at("y").reals));
}

TEST(OnnxIpusPerReplica, LetAModelRunThatDoesNotFitOnOneIpu) {
  ModelWriter model;
  addLayers(model, 2, 576); // 1.3 MB each; four tiles have 2.6 MB
  try {
    outcomeOn(model, smallIpus(4, 1), 576);
    FAIL() << "the model fits on one IPU";
  } catch (const onnx::ModelError &error) {
    EXPECT_THAT(error.what(), HasSubstr("--ipus-per-replica 2"));
  }
  EXPECT_THAT(outcomeOn(model, smallIpus(4, 2), 576).outputs.at("y").reals,
              ::testing::Pointwise(::testing::FloatNear(1e-5f),
                                   outcomeOn(model, smallIpus(16, 1), 576).outputs.at("y").reals));
}

} // namespace
} // namespace copse::test
