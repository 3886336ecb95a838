#include "joined_nodes.hpp"
#include "model_writer.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace copse::test {
namespace {

using ::testing::ElementsAre;
using Integers = std::vector<std::int64_t>;

std::vector<float> wave(std::size_t count, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = std::sin(static_cast<float>(i) * step);
  return values;
}

/// A residual block: relu(conv(relu(conv(x))) + x).
class Block {
public:
  Block() {
    writer_.input("x", {1, 3, 5, 5});
    for (const char *name : {"w1", "w2"})
      writer_.constant(name, floats({3, 3, 3, 3}, wave(81, name[1] == '1' ? 1.3f : 0.7f)));
    writer_.constant("b", floats({3}, {0.5f, -0.25f, 0.125f}));
    convolve("x", "w1", "c1");
    writer_.node("Relu", {"c1"}, {"r1"});
    convolve("r1", "w2", "c2");
    writer_.node("Add", {"x", "c2"}, {"s"});
    writer_.node("Relu", {"s"}, {"y"});
    writer_.output("y");
  }
  ModelWriter &writer() { return writer_; }
  onnx::Model model() const {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "model.onnx";
    writer_.write(path);
    return onnx::readModel(path);
  }

private:
  void convolve(const std::string &x, const std::string &w, const std::string &y) {
    writer_.node("Conv", {x, w, "b"}, {y}, {{"pads", Integers{1, 1, 1, 1}}});
  }

  ModelWriter writer_;
};

std::vector<std::string> operatorsOf(const onnx::Model &model) {
  std::vector<std::string> operators;
  for (const onnx::Node &node : model.nodes)
    operators.push_back(node.op);
  return operators;
}

onnx::Outcome outcomeOf(const onnx::Model &model) {
  onnx::Request request;
  request.device = "ipumodel";
  request.inputs["x"] = floats({1, 3, 5, 5}, wave(75, 1.9f));
  return onnx::runModel(model, request);
}

TEST(JoinedNodes, IncludeSumsAndRelusOfConvolutions) {
  const onnx::Model joined = onnx::withJoinedNodes(Block().model());
  EXPECT_THAT(operatorsOf(joined), ElementsAre("Conv", "Conv"));
  EXPECT_THAT(joined.nodes[0].outputs, ElementsAre("r1"));
  EXPECT_THAT(joined.nodes[1].inputs, ElementsAre("r1", "w2", "b", "x"));
  EXPECT_THAT(joined.nodes[1].outputs, ElementsAre("y"));
}

TEST(JoinedNodes, KeepValuesThatOtherNodesRead) {
  Block block;
  block.writer().output("c1").output("s");
  EXPECT_THAT(operatorsOf(onnx::withJoinedNodes(block.model())),
              ElementsAre("Conv", "Relu", "Conv", "Add", "Relu"));
}

/// An output that prevents a fusion must not change the bits of the others.
TEST(JoinedNodes, ComputeTheBitsOfSeparateNodes) {
  Block apart;
  apart.writer().output("c1").output("s");
  const auto joined = outcomeOf(Block().model()), separate = outcomeOf(apart.model());
  EXPECT_EQ(joined.outputs.at("y").reals, separate.outputs.at("y").reals);
  EXPECT_LT(joined.stepCycles, separate.stepCycles);
}

/// The sum has the shape of the addend, not of the convolution.
TEST(JoinedNodes, LargerAddendIsAddedToTheWholeConvolution) {
  ModelWriter writer;
  writer.input("x", {1, 1, 1, 1})
      .constant("w", floats({1, 1, 1, 1}, {2}))
      .constant("more", floats({1, 1, 2, 2}, {1, -7, 3, 4}))
      .node("Conv", {"x", "w"}, {"c"})
      .node("Add", {"c", "more"}, {"s"})
      .node("Relu", {"s"}, {"y"})
      .output("y");
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.write(path);
  onnx::Request request;
  request.device = "ipumodel";
  request.inputs["x"] = floats({1, 1, 1, 1}, {1.5f});
  const auto outcome = onnx::runModel(onnx::readModel(path), request);
  EXPECT_THAT(outcome.outputs.at("y").reals, ElementsAre(4, 0, 6, 7));
}

} // namespace
} // namespace copse::test
