// Compares operators with plain computations.
#include "errors.hpp"
#include "model_writer.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using ::testing::FloatNear;
using ::testing::NanSensitiveFloatEq;
using ::testing::Pointwise;
using Integers = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Attributes = std::map<std::string, onnx::Attribute>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Returns different numbers, the same ones in every run.
HostTensor wave(onnx::Shape shape, float step) {
  Floats values(onnx::elementsOf(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i + 1) * step);
  return floats(std::move(shape), std::move(values));
}

HostTensor indices(onnx::Shape shape, Integers values) {
  return {ElementType::Int64, std::move(shape), {}, std::move(values)};
}

/// Returns the outputs of one node: the device computes with \p inputs, and \p constants follow.
std::vector<HostTensor> outputsOf(const std::string &op, const std::vector<HostTensor> &inputs,
                                  const std::vector<HostTensor> &constants = {},
                                  const Attributes &attributes = {}, unsigned outputs = 1) {
  ModelWriter writer;
  onnx::Request request;
  request.device = "cpu";
  std::vector<std::string> names, results;
  for (const HostTensor &input : inputs) {
    names.push_back("i" + std::to_string(names.size()));
    writer.input(names.back(), Integers(input.shape.begin(), input.shape.end()), input.type);
    request.inputs[names.back()] = input;
  }
  for (const HostTensor &constant : constants) {
    names.push_back("c" + std::to_string(names.size()));
    writer.constant(names.back(), constant);
  }
  for (unsigned i = 0; i < outputs; ++i) {
    results.push_back("y" + std::to_string(i));
    writer.output(results.back());
  }
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.node(op, names, results, attributes).write(path);
  auto outcome = onnx::runModel(onnx::readModel(path), request);
  std::vector<HostTensor> found;
  for (const std::string &name : results)
    found.push_back(outcome.outputs.at(name));
  return found;
}

TEST(OnnxOperators, ConvTransposeSpreadsEachElementOverAWindow) {
  const int size = 4, kernel = 3, stride = 2, pad = 1, full = (size - 1) * stride + kernel;
  const int out = full - 2 * pad;
  const HostTensor x = wave({1, 2, 4, 4}, 0.7f), w = wave({2, 3, 3, 3}, 0.3f);
  Floats expected(at(3 * out * out), 0.0f);
  for (int ci = 0; ci < 2; ++ci)
    for (int co = 0; co < 3; ++co)
      for (int p = 0; p < size * size; ++p)
        for (int k = 0; k < kernel * kernel; ++k) {
          const int row = p / size * stride + k / kernel - pad,
                    column = p % size * stride + k % kernel - pad;
          if (row >= 0 && row < out && column >= 0 && column < out)
            expected[at((co * out + row) * out + column)] +=
                x.reals[at(ci * size * size + p)] * w.reals[at((ci * 3 + co) * 9 + k)];
        }
  const HostTensor y = outputsOf("ConvTranspose", {x}, {w},
                                 {{"strides", Integers{2, 2}}, {"pads", Integers{1, 1, 1, 1}}})[0];
  EXPECT_EQ(y.shape, (onnx::Shape{1, 3, at(out), at(out)}));
  EXPECT_THAT(y.reals, Pointwise(FloatNear(1e-5f), expected));
}

/// Windows have 2 x 3 elements that are 2 x 3 apart, and are two rows apart, over a padded field.
TEST(OnnxOperators, MaxPoolTakesTheLargestOfWindowsWithGaps) {
  const int rows = 5, columns = 7, pad = 1;
  const int outRows = (rows + 2 * pad - 3) / 2 + 1, outColumns = columns + 2 * pad - 7 + 1;
  HostTensor x = wave({1, 2, 5, 7}, 0.7f);
  x.reals[at(rows * columns + 3)] = std::numeric_limits<float>::quiet_NaN();
  Floats expected;
  for (int channel = 0; channel < 2; ++channel)
    for (int o = 0; o < outRows * outColumns; ++o) {
      float largest = -std::numeric_limits<float>::infinity();
      for (int k = 0; k < 6; ++k) {
        const int row = o / outColumns * 2 + k / 3 * 2 - pad,
                  column = o % outColumns + k % 3 * 3 - pad;
        if (row < 0 || row >= rows || column < 0 || column >= columns)
          continue;
        const float e = x.reals[at((channel * rows + row) * columns + column)];
        largest = std::isnan(largest) || largest > e ? largest : e;
      }
      expected.push_back(largest);
    }
  const HostTensor y = outputsOf("MaxPool", {x}, {},
                                 {{"kernel_shape", Integers{2, 3}},
                                  {"strides", Integers{2, 1}},
                                  {"dilations", Integers{2, 3}},
                                  {"pads", Integers{pad, pad, pad, pad}}})[0];
  EXPECT_EQ(y.shape, (onnx::Shape{1, 2, at(outRows), at(outColumns)}));
  EXPECT_THAT(y.reals, Pointwise(NanSensitiveFloatEq(), expected));
}

TEST(OnnxOperators, MaxPoolWithGapsOfAnEmptyBatchIsEmpty) {
  const HostTensor y = outputsOf("MaxPool", {floats({0, 1, 5}, {})}, {},
                                 {{"kernel_shape", Integers{2}}, {"dilations", Integers{3}}})[0];
  EXPECT_EQ(y.shape, (onnx::Shape{0, 1, 2}));
}

TEST(OnnxOperators, DropoutInTrainingKeepsAllWithARatioOfZero) {
  const HostTensor x = floats({3}, {1, -2, 3}), trains{ElementType::Bool, {}, {}, {1}};
  const auto y = outputsOf("Dropout", {x}, {floats({}, {0}), trains}, {}, 2);
  EXPECT_EQ(y[0].reals, x.reals);
  EXPECT_EQ(y[1].type, ElementType::Bool);
  EXPECT_EQ(y[1].integers, (Integers{1, 1, 1}));
  EXPECT_THROW(outputsOf("Dropout", {x}, {floats({}, {0.25f}), trains}), onnx::ModelError);
}

TEST(OnnxOperators, ResizeTakesTheNearestElement) {
  const HostTensor y =
      outputsOf("Upsample", {floats({1, 1, 1, 2}, {1, 2})}, {floats({4}, {1, 1, 2, 2})})[0];
  EXPECT_EQ(y.shape, (onnx::Shape{1, 1, 2, 4}));
  EXPECT_EQ(y.reals, (Floats{1, 1, 2, 2, 1, 1, 2, 2}));
}

TEST(OnnxOperators, TopKReturnsElementsAndPositionsInOrder) {
  const auto y =
      outputsOf("TopK", {floats({2, 4}, {3, 1, 4, 1, 5, 9, 2, 6})}, {onnx::integersOf({2})}, {}, 2);
  EXPECT_EQ(y[0].reals, (Floats{4, 3, 9, 6}));
  EXPECT_EQ(y[1].integers, (Integers{2, 0, 1, 3}));
}

TEST(OnnxOperators, OneHotPutsBoolsAtItsIndices) {
  const HostTensor values{ElementType::Bool, {2}, {}, {1, 0}};
  const HostTensor y =
      outputsOf("OneHot", {indices({3}, {1, -1, 5})}, {indices({}, {2}), values})[0];
  EXPECT_EQ(y.type, ElementType::Bool);
  EXPECT_EQ(y.integers, (Integers{1, 0, 1, 0, 1, 1}));
}

TEST(OnnxOperators, GathersAndScattersCountIndicesFromTheEnd) {
  const HostTensor data = floats({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(outputsOf("GatherElements", {data, indices({2, 2}, {0, -1, -3, 1})}, {},
                      {{"axis", std::int64_t{1}}})[0]
                .reals,
            (Floats{0, 2, 3, 4}));
  EXPECT_EQ(outputsOf("GatherND", {data, indices({2, 2}, {1, -1, -2, 0})})[0].reals,
            (Floats{5, 0}));
  EXPECT_EQ(
      outputsOf("ScatterND", {data, indices({1, 1}, {-1}), floats({1, 3}, {7, 8, 9})})[0].reals,
      (Floats{0, 1, 2, 7, 8, 9}));
  EXPECT_EQ(
      outputsOf("ScatterElements", {data, indices({1, 2}, {1, -2}), floats({1, 2}, {7, 8})})[0]
          .reals,
      (Floats{0, 8, 2, 7, 4, 5}));
}

TEST(OnnxOperators, CumSumRunsInBothDirectionsWithAndWithoutItsOwnElement) {
  const HostTensor x = floats({5}, {1, 2, 3, 4, 5}), axis = onnx::integersOf({0});
  const std::int64_t one = 1;
  EXPECT_EQ(outputsOf("CumSum", {x}, {axis})[0].reals, (Floats{1, 3, 6, 10, 15}));
  EXPECT_EQ(outputsOf("CumSum", {x}, {axis}, {{"exclusive", one}})[0].reals,
            (Floats{0, 1, 3, 6, 10}));
  EXPECT_EQ(outputsOf("CumSum", {x}, {axis}, {{"reverse", one}})[0].reals,
            (Floats{15, 14, 12, 9, 5}));
}

TEST(OnnxOperators, GroupNormalizationWhitensEachGroup) {
  const HostTensor x = wave({1, 4, 3}, 1.1f);
  Floats expected;
  for (int group = 0; group < 2; ++group) {
    const auto begin = x.reals.begin() + group * 6;
    const float mean = std::accumulate(begin, begin + 6, 0.0f) / 6;
    float variance = 0;
    for (int i = 0; i < 6; ++i)
      variance += (begin[i] - mean) * (begin[i] - mean) / 6;
    for (int i = 0; i < 6; ++i)
      expected.push_back((begin[i] - mean) / std::sqrt(variance + 1e-5f) * 2 + 1);
  }
  const HostTensor y =
      outputsOf("GroupNormalization", {x}, {floats({4}, {2, 2, 2, 2}), floats({4}, {1, 1, 1, 1})},
                {{"num_groups", std::int64_t{2}}})[0];
  EXPECT_THAT(y.reals, Pointwise(FloatNear(1e-4f), expected));
}

TEST(OnnxOperators, QuantizationRoundsHalvesToEvenAndSaturates) {
  const HostTensor scale = floats({}, {2}), zero = {ElementType::UInt8, {}, {}, {128}};
  const HostTensor q =
      outputsOf("QuantizeLinear", {floats({5}, {0, 1, 3, 1000, -1000})}, {scale, zero})[0];
  EXPECT_EQ(q.type, ElementType::UInt8);
  EXPECT_EQ(q.integers, (Integers{128, 128, 130, 255, 0}));
  EXPECT_EQ(outputsOf("DequantizeLinear", {q}, {scale, zero})[0].reals,
            (Floats{0, 0, 4, 254, -256}));
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// Computes one direction of an LSTM over [T][B][I] with weights [4 * H][I], [4 * H][H] and biases
/// [8 * H]; gates i, o, f, c.
Floats lstm(const HostTensor &x, const Floats &w, const Floats &r, const Floats &bias, int size,
            bool backwards) {
  const int steps = static_cast<int>(x.shape[0]), batch = static_cast<int>(x.shape[1]),
            width = static_cast<int>(x.shape[2]);
  Floats hidden(at(batch * size), 0.0f), cell = hidden, all(at(steps * batch * size));
  for (int s = 0; s < steps; ++s) {
    const int t = backwards ? steps - 1 - s : s;
    const Floats before = hidden;
    for (int b = 0; b < batch; ++b)
      for (int h = 0; h < size; ++h) {
        float gates[4];
        for (int g = 0; g < 4; ++g) {
          const int row = g * size + h;
          gates[g] = bias[at(row)] + bias[at(4 * size + row)];
          for (int i = 0; i < width; ++i)
            gates[g] += x.reals[at((t * batch + b) * width + i)] * w[at(row * width + i)];
          for (int i = 0; i < size; ++i)
            gates[g] += before[at(b * size + i)] * r[at(row * size + i)];
        }
        float &c = cell[at(b * size + h)];
        c = sigmoid(gates[2]) * c + sigmoid(gates[0]) * std::tanh(gates[3]);
        all[at((t * batch + b) * size + h)] = hidden[at(b * size + h)] =
            sigmoid(gates[1]) * std::tanh(c);
      }
  }
  return all;
}

TEST(OnnxOperators, LstmRunsOverASequenceInBothDirections) {
  const int size = 3, gates = 4 * size;
  const HostTensor x = wave({5, 2, 4}, 0.9f), w = wave({2, 12, 4}, 0.5f),
                   r = wave({2, 12, 3}, 0.4f), b = wave({2, 24}, 0.8f);
  const HostTensor y = outputsOf(
      "LSTM", {x}, {w, r, b},
      {{"hidden_size", std::int64_t{size}}, {"direction", std::string("bidirectional")}})[0];
  ASSERT_EQ(y.shape, (onnx::Shape{5, 2, 2, 3}));
  const auto part = [](const HostTensor &t, int d, int count) {
    return Floats(t.reals.begin() + d * count, t.reals.begin() + (d + 1) * count);
  };
  for (int d = 0; d < 2; ++d) {
    const Floats expected = lstm(x, part(w, d, gates * 4), part(r, d, gates * size),
                                 part(b, d, 2 * gates), size, d == 1);
    for (int t = 0; t < 5; ++t)
      for (int i = 0; i < 2 * size; ++i)
        EXPECT_NEAR(y.reals[at((t * 2 + d) * 2 * size + i)], expected[at(t * 2 * size + i)], 1e-5f)
            << "direction " << d << ", step " << t;
  }
}

struct EinsumCase {
  const char *name, *equation;
  onnx::Shape a, b;
} const kEinsums[] = {
    {"MatrixProduct", "ij,jk->ik", {2, 3}, {3, 4}},
    {"GroupedMatrices", "bij,bkj->bik", {2, 3, 4}, {2, 5, 4}},
    {"AttentionScores", "bqhd,bkhd->bhqk", {2, 3, 2, 4}, {2, 5, 2, 4}},
    {"OuterProduct", "i,j->ji", {3, 1}, {4, 1}},
    {"SumOfAll", "ij,ij->", {2, 3}, {2, 3}},
};
class OnnxEinsum : public ::testing::TestWithParam<EinsumCase> {};

TEST_P(OnnxEinsum, SumsProductsOverTheLettersThatTheOutputLacks) {
  const EinsumCase &c = GetParam();
  const std::string text = c.equation, first = text.substr(0, text.find(',')),
                    second = text.substr(first.size() + 1, text.find("->") - first.size() - 1),
                    last = text.substr(text.find("->") + 2);
  HostTensor a = wave(c.a, 0.7f), b = wave(c.b, 0.3f);
  a.shape.resize(first.size());
  b.shape.resize(second.size());
  std::map<char, std::size_t> sizes, index;
  for (const auto &[letters, shape] : {std::pair{first, a.shape}, {second, b.shape}})
    for (std::size_t d = 0; d < letters.size(); ++d)
      sizes[letters[d]] = shape[d];
  const auto positionIn = [&](const std::string &letters) {
    std::size_t position = 0;
    for (const char letter : letters)
      position = position * sizes[letter] + index[letter];
    return position;
  };
  std::size_t all = 1, outputs = 1;
  for (const auto &[letter, size] : sizes)
    all *= size;
  for (const char letter : last)
    outputs *= sizes[letter];
  Floats expected(outputs, 0.0f);
  for (std::size_t n = 0; n < all; ++n) {
    std::size_t rest = n;
    for (const auto &[letter, size] : sizes) {
      index[letter] = rest % size;
      rest /= size;
    }
    expected[positionIn(last)] += a.reals[positionIn(first)] * b.reals[positionIn(second)];
  }
  EXPECT_THAT(outputsOf("Einsum", {a, b}, {}, {{"equation", text}})[0].reals,
              Pointwise(FloatNear(1e-4f), expected));
}
INSTANTIATE_TEST_SUITE_P(Forms, OnnxEinsum, ::testing::ValuesIn(kEinsums),
                         [](const auto &p) { return std::string(p.param.name); });

} // namespace
} // namespace copse::test
