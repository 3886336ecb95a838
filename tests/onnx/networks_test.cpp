// Tests small networks whose outputs the test computes itself.
#include "errors.hpp"
#include "model_writer.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace copse::test {
namespace {

using ::testing::AllOf;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

onnx::Outcome runOn(const std::string &device, const ModelWriter &model,
                    std::map<std::string, onnx::HostTensor> inputs, unsigned replicas = 1) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  model.write(path);
  onnx::Request request;
  request.device = device;
  request.replicas = replicas;
  request.inputs = std::move(inputs);
  return onnx::runModel(onnx::readModel(path), request);
}

/// Adds softmax(relu(x * w + b) * v), for one row.
ModelWriter &addPerceptron(ModelWriter &writer) {
  return writer.constant("w", floats({2, 3}, {1, -1, 2, 0.5f, 3, -2}))
      .constant("b", floats({3}, {0.5f, 0, -1}))
      .constant("v", floats({3, 2}, {1, 0, 0, 1, -1, 0.25f}))
      .node("Gemm", {"x", "w", "b"}, {"sum"})
      .node("Relu", {"sum"}, {"hidden"})
      .node("MatMul", {"hidden", "v"}, {"scores"})
      .node("Softmax", {"scores"}, {"y"}, {{"axis", std::int64_t{-1}}})
      .output("y");
}

std::vector<float> perceptron(const std::vector<float> &rows) {
  const float w[2][3] = {{1, -1, 2}, {0.5f, 3, -2}}, b[3] = {0.5f, 0, -1},
              v[3][2] = {{1, 0}, {0, 1}, {-1, 0.25f}};
  std::vector<float> result;
  for (std::size_t r = 0; r < rows.size(); r += 2) {
    float scores[2] = {0, 0};
    for (int h = 0; h < 3; ++h) {
      const float hidden = std::max(0.0f, rows[r] * w[0][h] + rows[r + 1] * w[1][h] + b[h]);
      scores[0] += hidden * v[h][0];
      scores[1] += hidden * v[h][1];
    }
    const float a = std::exp(scores[0]), c = std::exp(scores[1]);
    result.push_back(a / (a + c));
    result.push_back(c / (a + c));
  }
  return result;
}

class OnnxNetworks : public ::testing::TestWithParam<const char *> {};

TEST_P(OnnxNetworks, PerceptronComputesItsProbabilities) {
  ModelWriter writer;
  addPerceptron(writer.input("x", {2, 2}));
  const std::vector<float> x = {1, 2, -0.5f, 0.75f};
  const onnx::Outcome outcome = runOn(GetParam(), writer, {{"x", floats({2, 2}, x)}});
  EXPECT_THAT(outcome.outputs.at("y").reals, Pointwise(FloatNear(1e-5f), perceptron(x)));
}

INSTANTIATE_TEST_SUITE_P(Devices, OnnxNetworks, ::testing::Values("cpu", "ipumodel", "ipu"),
                         [](const auto &p) { return std::string(p.param); });

TEST(OnnxBatches, AreSharedByTheReplicasInOrder) {
  ModelWriter writer;
  addPerceptron(writer.input("x", {1, 2}));
  const std::vector<float> x = {1, 2, -0.5f, 0.75f, 0, 0, 3, -1, 0.1f, 0.2f, -2, -3};
  const onnx::Outcome outcome = runOn("ipumodel", writer, {{"x", floats({6, 2}, x)}}, 2);
  EXPECT_EQ(outcome.steps, 3u);
  EXPECT_EQ(outcome.outputs.at("y").shape, (onnx::Shape{6, 2}));
  EXPECT_THAT(outcome.outputs.at("y").reals, Pointwise(FloatNear(1e-5f), perceptron(x)));
  EXPECT_GT(outcome.stepCycles, 0u);
  EXPECT_GT(outcome.cycles, outcome.stepCycles);
}

/// PyTorch exports x.view(x.size(0), -1) in this way: the shape is computed from the input's own.
TEST(OnnxConstants, ShapesThatNodesComputeAreKnownToReshape) {
  ModelWriter writer;
  writer.input("x", {2, 3, 2}).constant("rest", onnx::integersOf({-1}));
  onnx::HostTensor zero = onnx::integersOf({0});
  zero.shape = {};
  writer.constant("zero", zero).constant("axes", onnx::integersOf({0}));
  writer.node("Shape", {"x"}, {"shape"}).node("Gather", {"shape", "zero"}, {"rows"});
  writer.node("Unsqueeze", {"rows", "axes"}, {"first"});
  writer.node("Cast", {"first"}, {"cast"}, {{"to", std::int64_t{7}}});
  writer.node("Concat", {"cast", "rest"}, {"wanted"}, {{"axis", std::int64_t{0}}});
  writer.node("Reshape", {"x", "wanted"}, {"y"}).output("y");
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const onnx::Outcome outcome = runOn("cpu", writer, {{"x", floats({2, 3, 2}, x)}});
  EXPECT_EQ(outcome.outputs.at("y").shape, (onnx::Shape{2, 6}));
  EXPECT_EQ(outcome.outputs.at("y").reals, x);
}

void expectError(const ModelWriter &writer, const std::map<std::string, onnx::HostTensor> &inputs,
                 const ::testing::Matcher<std::string> &message) {
  try {
    runOn("cpu", writer, inputs);
    FAIL() << "runModel() came back";
  } catch (const onnx::ModelError &error) {
    EXPECT_THAT(std::string(error.what()), message);
  }
}

TEST(OnnxErrors, NameAllNodesWithMissingOperators) {
  ModelWriter writer;
  writer.input("x", {2}).node("Relu", {"x"}, {"a"}).node("NoSuchOperator", {"a"}, {"b"});
  writer.node("NorThisOne", {"b"}, {"y"}).output("y");
  expectError(writer, {{"x", floats({2}, {1, 2})}},
              AllOf(HasSubstr("'the_NoSuchOperator'"), HasSubstr("'the_NorThisOne'"),
                    ::testing::Not(HasSubstr("the_Relu"))));
}

TEST(OnnxErrors, NameTheInputThatIsMissingOrHasTheWrongShape) {
  ModelWriter writer;
  addPerceptron(writer.input("x", {2, 2}));
  expectError(writer, {}, HasSubstr("--input x=FILE.npy"));
  expectError(writer, {{"x", floats({2, 3}, {1, 2, 3, 4, 5, 6})}},
              AllOf(HasSubstr("[2, 3]"), HasSubstr("[2, 2]")));
}

TEST(OnnxErrors, NameTheNodeWhoseShapesDoNotFit) {
  ModelWriter writer;
  writer.input("x", {2, 2}).constant("w", floats({3, 1}, {1, 2, 3}));
  writer.node("MatMul", {"x", "w"}, {"y"}).output("y");
  expectError(writer, {{"x", floats({2, 2}, {1, 2, 3, 4})}},
              AllOf(HasSubstr("'the_MatMul'"), HasSubstr("[3, 1]")));
}

} // namespace
} // namespace copse::test
