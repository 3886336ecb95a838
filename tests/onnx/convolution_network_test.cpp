// Compares a convolutional network, and the operators around it, with outputs that the test
// computes itself.
#include "model_writer.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace copse::test {
namespace {

using Integers = std::vector<std::int64_t>;
using ::testing::FloatNear;
using ::testing::Pointwise;

onnx::Outcome outcomeOf(const ModelWriter &model, const onnx::HostTensor &x) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  model.write(path);
  onnx::Request request;
  request.device = "ipumodel";
  request.inputs["x"] = x;
  return onnx::runModel(onnx::readModel(path), request);
}

/// Returns the maximum of 2 x 2 windows of relu(norm(3 x 3 convolution with a border of zeros)),
/// one channel.
std::vector<float> expectedOf(const std::vector<float> &image, const std::vector<float> &kernel) {
  float field[4][4];
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      float sum = 0.5f;
      for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j)
          if (row + i >= 0 && row + i < 4 && column + j >= 0 && column + j < 4)
            sum += image[static_cast<std::size_t>(4 * (row + i) + column + j)] *
                   kernel[static_cast<std::size_t>(3 * (i + 1) + j + 1)];
      field[row][column] = std::max(0.0f, (sum - 1) * 2 / std::sqrt(4 + 1e-5f) - 0.25f);
    }
  std::vector<float> result;
  for (int row = 0; row < 4; row += 2)
    for (int column = 0; column < 4; column += 2)
      result.push_back(std::max({field[row][column], field[row][column + 1], field[row + 1][column],
                                 field[row + 1][column + 1]}));
  return result;
}

TEST(OnnxConvolutions, ComputeTheirFieldWithNormReluAndPooling) {
  std::vector<float> image(16), kernel(9);
  for (std::size_t i = 0; i < image.size(); ++i)
    image[i] = std::sin(static_cast<float>(i) * 1.7f) * 3;
  for (std::size_t i = 0; i < kernel.size(); ++i)
    kernel[i] = std::cos(static_cast<float>(i) * 0.9f);
  ModelWriter writer;
  writer.input("x", {1, 1, 4, 4})
      .constant("w", floats({1, 1, 3, 3}, kernel))
      .constant("bias", floats({1}, {0.5f}))
      .constant("scale", floats({1}, {2}))
      .constant("shift", floats({1}, {-0.25f}))
      .constant("mean", floats({1}, {1}))
      .constant("variance", floats({1}, {4}))
      .constant("flat", onnx::integersOf({0, -1}))
      .node("Conv", {"x", "w", "bias"}, {"a"}, {{"pads", Integers{1, 1, 1, 1}}})
      .node("BatchNormalization", {"a", "scale", "shift", "mean", "variance"}, {"b"})
      .node("Relu", {"b"}, {"c"})
      .node("MaxPool", {"c"}, {"d"},
            {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}})
      .node("Reshape", {"d", "flat"}, {"y"})
      .output("y");
  const onnx::Outcome outcome = outcomeOf(writer, floats({1, 1, 4, 4}, image));
  EXPECT_EQ(outcome.outputs.at("y").shape, (onnx::Shape{1, 4}));
  EXPECT_THAT(outcome.outputs.at("y").reals,
              Pointwise(FloatNear(1e-4f), expectedOf(image, kernel)));
}

TEST(OnnxShapes, ComputedFromConstantsAreKnownToReshape) {
  ModelWriter writer;
  writer.input("x", {2, 3})
      .constant("first", onnx::integersOf({1}))
      .node("Shape", {"x"}, {"shape"})
      .node("Gather", {"shape", "first"}, {"columns"})
      .node("ConstantOfShape", {"columns"}, {"zeros"})
      .node("Add", {"x", "zeros"}, {"same"})
      .node("Transpose", {"same"}, {"turned"})
      .node("ReduceSum", {"turned"}, {"y"}, {{"keepdims", std::int64_t{0}}})
      .output("y")
      .output("turned");
  const onnx::Outcome outcome = outcomeOf(writer, floats({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(outcome.outputs.at("turned").reals, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(outcome.outputs.at("y").reals, (std::vector<float>{21}));
}

} // namespace
} // namespace copse::test
