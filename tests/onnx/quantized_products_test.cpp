// Compares products of integers of eight bits with plain sums.
#include "model_writer.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using Integers = std::vector<std::int64_t>;

std::map<std::string, HostTensor>
outputsOf(const std::string &op, const std::vector<HostTensor> &inputs, const std::string &device,
          const std::map<std::string, onnx::Attribute> &attributes = {},
          const std::vector<std::string> &outputs = {"y"}) {
  ModelWriter writer;
  onnx::Request request;
  request.device = device;
  std::vector<std::string> names;
  for (const HostTensor &input : inputs) {
    names.push_back("x" + std::to_string(names.size()));
    writer.input(names.back(), Integers(input.shape.begin(), input.shape.end()), input.type);
    request.inputs[names.back()] = input;
  }
  for (const std::string &output : outputs)
    writer.output(output);
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.node(op, names, outputs, attributes).write(path);
  return onnx::runModel(onnx::readModel(path), request).outputs;
}

/// Returns values from the whole range of the type, the same ones in every run.
HostTensor bytes(ElementType type, onnx::Shape shape, std::int64_t seed) {
  HostTensor tensor = makeTensor(type, std::move(shape));
  for (std::size_t i = 0; i < tensor.elements(); ++i)
    tensor.integers[i] = onnx::wrapped(static_cast<std::int64_t>(i * i + 7 * i) * 37 + seed, type);
  return tensor;
}

HostTensor scalar(ElementType type, std::int64_t value) { return {type, {}, {}, {value}}; }

class OnnxQuantizedProducts : public ::testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Devices, OnnxQuantizedProducts, ::testing::Values("cpu", "ipumodel"),
                         [](const auto &p) { return std::string(p.param); });

/// Sums of 600 products, which floats would round.
TEST_P(OnnxQuantizedProducts, AreExactForMatrices) {
  const std::size_t m = 2, k = 600, n = 3;
  const HostTensor a = bytes(ElementType::UInt8, {m, k}, 3),
                   b = bytes(ElementType::Int8, {k, n}, 5), aZero = scalar(ElementType::UInt8, 200);
  const HostTensor bZeros = {ElementType::Int8, {n}, {}, {-100, 0, 90}};
  Integers expected;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      std::int64_t sum = 0;
      for (std::size_t l = 0; l < k; ++l)
        sum += (a.integers[i * k + l] - 200) * (b.integers[l * n + j] - bZeros.integers[j]);
      expected.push_back(sum);
    }
  const HostTensor y = outputsOf("MatMulInteger", {a, b, aZero, bZeros}, GetParam()).at("y");
  EXPECT_EQ(y.type, ElementType::Int32);
  EXPECT_EQ(y.integers, expected);
}

/// The convolution has two groups, strides, dilations and padding, which has the value of the zero
/// point.
TEST_P(OnnxQuantizedProducts, AreExactForConvolutions) {
  const int size = 5, channels = 4, out = 6, kernel = 2, stride = 2, dilation = 2, pad = 1;
  const int count = (size + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  const HostTensor x = bytes(ElementType::UInt8, {1, 4, 5, 5}, 1),
                   w = bytes(ElementType::UInt8, {6, 2, 2, 2}, 2);
  Integers sums;
  for (int o = 0; o < out; ++o)
    for (int row = 0; row < count; ++row)
      for (int column = 0; column < count; ++column) {
        std::int64_t sum = 0;
        for (int c = 0; c < channels / 2; ++c)
          for (int i = 0; i < kernel; ++i)
            for (int j = 0; j < kernel; ++j) {
              const int r = row * stride + i * dilation - pad,
                        s = column * stride + j * dilation - pad;
              if (r < 0 || r >= size || s < 0 || s >= size)
                continue;
              const int channel = o / (out / 2) * (channels / 2) + c;
              sum +=
                  (x.integers[static_cast<std::size_t>((channel * size + r) * size + s)] - 130) *
                  (w.integers[static_cast<std::size_t>(((o * 2 + c) * kernel + i) * kernel + j)] -
                   120);
            }
        sums.push_back(sum);
      }
  const std::map<std::string, onnx::Attribute> attributes = {{"group", std::int64_t{2}},
                                                             {"pads", Integers{1, 1, 1, 1}},
                                                             {"strides", Integers{2, 2}},
                                                             {"dilations", Integers{2, 2}}};
  const HostTensor xZero = scalar(ElementType::UInt8, 130), wZero = scalar(ElementType::UInt8, 120);
  EXPECT_EQ(outputsOf("ConvInteger", {x, w, xZero, wZero}, GetParam(), attributes).at("y").integers,
            sums);

  const HostTensor bias = {ElementType::Int32, {6}, {}, {5, -7, 11, 0, 1000, -1000}};
  Integers expected;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto sum = static_cast<float>(sums[i] + bias.integers[i / (sums.size() / 6)]);
    const float scaled = std::nearbyint(sum * (0.5f * 0.25f) / 16.0f) + 100;
    expected.push_back(static_cast<std::int64_t>(std::min(255.0f, std::max(0.0f, scaled))));
  }
  const HostTensor y = outputsOf("QLinearConv",
                                 {x, floats({}, {0.5f}), xZero, w, floats({}, {0.25f}), wZero,
                                  floats({}, {16}), scalar(ElementType::UInt8, 100), bias},
                                 GetParam(), attributes)
                           .at("y");
  EXPECT_EQ(y.type, ElementType::UInt8);
  EXPECT_EQ(y.integers, expected);
}

TEST(OnnxDynamicQuantization, UsesTheRangeOfItsInput) {
  const HostTensor x = floats({5}, {0, 2, -3, -2.5f, 1.34f});
  const auto y = outputsOf("DynamicQuantizeLinear", {x}, "cpu", {}, {"y", "scale", "zero"});
  const float scale = 5.0f / 255;
  EXPECT_FLOAT_EQ(y.at("scale").reals[0], scale);
  EXPECT_EQ(y.at("zero").integers, Integers{153});
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR((static_cast<float>(y.at("y").integers[i]) - 153) * scale, x.reals[i], scale / 2);
}

TEST(OnnxDynamicQuantization, HasScaleOneForZeros) {
  const auto y =
      outputsOf("DynamicQuantizeLinear", {floats({2}, {0, 0})}, "cpu", {}, {"y", "scale", "zero"});
  EXPECT_EQ(y.at("scale").reals[0], 1);
  EXPECT_EQ(y.at("y").integers, (Integers{0, 0}));
}

} // namespace
} // namespace copse::test
