// Tests values at the limits of types, and inputs without elements. random_nodes_test.cpp tests
// single nodes with random inputs.
#include "errors.hpp"
#include "model_writer.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using Integers = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using ::testing::HasSubstr;

HostTensor integers(ElementType type, Integers values) {
  return {type, {values.size()}, {}, std::move(values)};
}
HostTensor halves(onnx::Shape shape, Floats values) {
  return {ElementType::Half, std::move(shape), std::move(values), {}};
}

/// Writes models whose inputs are tensors, and runs them.
class OnnxNumerics : public ::testing::Test {
protected:
  explicit OnnxNumerics(std::int64_t opset = 18) : writer_(opset) { request_.device = "cpu"; }

  ModelWriter &input(const std::string &name, const HostTensor &tensor) {
    request_.inputs[name] = tensor;
    return writer_.input(name, Integers(tensor.shape.begin(), tensor.shape.end()), tensor.type);
  }
  /// \returns the output y
  HostTensor run() {
    const std::string path = folder_.path() / "model.onnx";
    writer_.output("y").write(path);
    return onnx::runModel(onnx::readModel(path), request_).outputs.at("y");
  }

  ModelWriter writer_;
  onnx::Request request_;

private:
  TemporaryFolder folder_;
};

TEST_F(OnnxNumerics, SmallIntegersWrapBeforeTheNextNodeReadsThem) {
  input("a", integers(ElementType::UInt8, {200, 3}))
      .constant("b", integers(ElementType::UInt8, {100, 4}));
  writer_.node("Add", {"a", "b"}, {"sum"}).node("Cast", {"sum"}, {"y"}, {{"to", std::int64_t{1}}});
  EXPECT_EQ(run().reals, (Floats{44, 7}));
}

/// The gate is half open: the sigmoid of 0. The new state is the input; the old one, its negative.
TEST_F(OnnxNumerics, GruMixesLargeStatesOfOppositeSigns) {
  input("x", floats({1, 1, 1}, {3e38f})).input("h", {1, 1, 1});
  request_.inputs["h"] = floats({1, 1, 1}, {-3e38f});
  writer_.constant("w", floats({1, 3, 1}, {0, 0, 1})).constant("r", floats({1, 3, 1}, {0, 0, 0}));
  writer_.node("GRU", {"x", "w", "r", "", "", "h"}, {"y"},
               {{"hidden_size", std::int64_t{1}},
                {"activations", std::vector<std::string>{"Sigmoid", "Relu"}}});
  EXPECT_EQ(run().reals, (Floats{0}));
}

TEST_F(OnnxNumerics, CastsToSmallIntegersWrapBeforeTheNextNodeReadsThem) {
  input("a", integers(ElementType::Int32, {200, -129, 5}));
  writer_.node("Cast", {"a"}, {"narrow"}, {{"to", std::int64_t{3}}})
      .node("Cast", {"narrow"}, {"y"}, {{"to", std::int64_t{1}}});
  EXPECT_EQ(run().reals, (Floats{-56, 127, 5}));
}

TEST_F(OnnxNumerics, StatisticsOfHalvesAreComputedInFloats) {
  Floats values;
  for (int i = 0; i < 256; ++i)
    values.push_back(i % 2 == 0 ? 60000.0f : 50016.0f);
  input("x", halves({1, 256}, values)).constant("scale", halves({256}, Floats(256, 1)));
  writer_.node("LayerNormalization", {"x", "scale"}, {"y", "mean"});
  const HostTensor y = run();
  for (std::size_t i = 0; i < y.reals.size(); ++i)
    EXPECT_NEAR(y.reals[i], i % 2 == 0 ? 1 : -1, 1e-3) << i;
}

TEST_F(OnnxNumerics, TheMeanOfHalvesIsRoundedOnce) {
  input("x", halves({4096}, Floats(4096, 1000.5f)));
  writer_.node("ReduceMean", {"x"}, {"y"}, {{"keepdims", std::int64_t{0}}});
  EXPECT_EQ(run().reals, (Floats{1000.5f}));
}

TEST_F(OnnxNumerics, TheVarianceOfMeanVarianceNormalizationMayBeFarBelowItsEpsilon) {
  input("x", floats({1, 2}, {1e-6f, -1e-6f}));
  writer_.node("MeanVarianceNormalization", {"x"}, {"y"}, {{"axes", Integers{1}}});
  const HostTensor y = run();
  EXPECT_NEAR(y.reals[0], 1 / 1.001f, 1e-4f);
  EXPECT_NEAR(y.reals[1], -1 / 1.001f, 1e-4f);
}

TEST_F(OnnxNumerics, HalvesAreQuantisedWithAHalfScale) {
  input("x", halves({3}, {1.0f, -2.5f, 300}))
      .constant("scale", halves({}, {0.5f}))
      .constant("zero", HostTensor{ElementType::UInt8, {}, {}, {10}});
  writer_.node("QuantizeLinear", {"x", "scale", "zero"}, {"q"})
      .node("DequantizeLinear", {"q", "scale", "zero"}, {"y"});
  const HostTensor y = run();
  EXPECT_EQ(y.type, ElementType::Half);
  EXPECT_EQ(y.reals, (Floats{1, -2.5f, 122.5f}));
}

/// The quotient is 2.5006, which a half rounds to 2.5.
TEST_F(OnnxNumerics, QuantisationRoundsTheQuotientToTheTypeOfTheScale) {
  input("x", halves({1}, {0.25f})).constant("scale", halves({}, {0.0999755859375f}));
  writer_.node("QuantizeLinear", {"x", "scale"}, {"y"});
  EXPECT_EQ(run().integers, (Integers{2}));
}

class OnnxHalves : public OnnxNumerics, public ::testing::WithParamInterface<const char *> {};

/// The sum is 2049, which lies between two halves. CPU devices would not round it, since their
/// halves are floats.
TEST_P(OnnxHalves, AreRoundedAfterEachNode) {
  request_.device = GetParam();
  input("x", halves({1}, {2048})).constant("one", halves({1}, {1}));
  writer_.node("Add", {"x", "one"}, {"sum"}).node("Sub", {"sum", "one"}, {"y"});
  EXPECT_EQ(run().reals, (Floats{2047}));
}
TEST_P(OnnxHalves, AreTheNearestForNumbersOfAnySize) {
  request_.device = GetParam();
  const Floats x = {0x1p-14f, 0x1.004p-14f, 0x1.8p-24f, -0x1.8p-24f, 60000, std::nanf("")};
  input("x", halves({6}, x)).constant("factor", halves({}, {0.375f}));
  writer_.node("Mul", {"x", "factor"}, {"z"}).node("Mul", {"z", "factor"}, {"y"});
  const HostTensor y = run();
  for (std::size_t i = 0; i < 5; ++i) {
    const float z =
        onnx::rounded(onnx::rounded(x[i], ElementType::Half) * 0.375f, ElementType::Half);
    EXPECT_EQ(y.reals[i], onnx::rounded(z * 0.375f, ElementType::Half)) << i;
  }
  EXPECT_TRUE(std::isnan(y.reals[5]));
}
INSTANTIATE_TEST_SUITE_P(Devices, OnnxHalves, ::testing::Values("cpu", "ipumodel"),
                         [](const auto &p) { return std::string(p.param); });

TEST_F(OnnxNumerics, ProductsOfIntegersAreExactIn32Bits) {
  input("a", HostTensor{ElementType::Int32, {1, 2}, {}, {65537, 123456789}})
      .constant("b", HostTensor{ElementType::Int32, {2, 1}, {}, {65537, 1}});
  writer_.node("MatMul", {"a", "b"}, {"y"});
  EXPECT_EQ(run().integers, (Integers{131073 + 123456789}));
}

TEST_F(OnnxNumerics, MatricesOfScalarsAreRefused) {
  input("a", floats({}, {2})).constant("b", floats({}, {3}));
  writer_.node("MatMul", {"a", "b"}, {"y"});
  try {
    run();
    FAIL();
  } catch (const onnx::ModelError &error) {
    EXPECT_THAT(error.what(), HasSubstr("a scalar is no operand of a product of matrices"));
  }
}

/// A Relu that is fused with the node before it drops no NaN either.
TEST_F(OnnxNumerics, NaNStaysNaNThroughAJoinedRelu) {
  input("x", floats({1, 1, 2}, {std::numeric_limits<float>::quiet_NaN(), -2}))
      .constant("w", floats({1, 1, 1}, {1}))
      .constant("b", floats({1}, {1}));
  writer_.node("Conv", {"x", "w", "b"}, {"c"}).node("Relu", {"c"}, {"y"});
  const HostTensor y = run();
  EXPECT_TRUE(std::isnan(y.reals[0]));
  EXPECT_EQ(y.reals[1], 0);
}

/// Two replicas that share one batch compute the same.
TEST_F(OnnxNumerics, OneBatchOnTwoReplicasIsOneOutput) {
  request_.replicas = 2;
  input("x", floats({2, 2}, {1, -2, 3, -4}));
  writer_.node("Relu", {"x"}, {"y"});
  const HostTensor y = run();
  EXPECT_EQ(y.shape, (onnx::Shape{2, 2}));
  EXPECT_EQ(y.reals, (Floats{1, 0, 3, 0}));
}

TEST_F(OnnxNumerics, ABatchOfAnOpenDimensionMayBeEmpty) {
  request_.inputs["x"] = floats({0, 3}, {});
  writer_.input("x", {-1, 3}).node("Relu", {"x"}, {"y"});
  EXPECT_EQ(run().shape, (onnx::Shape{0, 3}));
}

struct EmptyCase {
  const char *op;
  onnx::Shape shape;
  std::map<std::string, onnx::Attribute> attributes;
};
class OnnxEmptyInputs : public ::testing::TestWithParam<EmptyCase> {};

/// Each of these models once ended the process, or corrupted its memory.
TEST_P(OnnxEmptyInputs, ProduceEmptyOutputs) {
  const EmptyCase &c = GetParam();
  ModelWriter writer(18);
  onnx::Request request;
  request.device = "cpu";
  request.inputs["x"] = makeTensor(ElementType::Float, c.shape);
  writer.input("x", Integers(c.shape.begin(), c.shape.end()));
  const std::string op = c.op;
  std::vector<std::string> inputs = {"x"};
  const auto constant = [&](const HostTensor &tensor) {
    inputs.push_back("c" + std::to_string(inputs.size()));
    writer.constant(inputs.back(), tensor);
  };
  if (op == "ScatterND") {
    constant({ElementType::Int64, {0, 1}, {}, {}});
    constant(makeTensor(ElementType::Float, {0, c.shape[1]}));
  } else if (op.find("Normalization") != std::string::npos && op[0] != 'M') {
    for (int i = 0; i < (op[0] == 'B' ? 4 : 2); ++i)
      constant(floats({2}, {1, 1}));
  }
  writer.node(op, inputs, {"y"}, c.attributes).output("y");
  const TemporaryFolder folder;
  writer.write(folder.path() / "model.onnx");
  const HostTensor y =
      onnx::runModel(onnx::readModel(folder.path() / "model.onnx"), request).outputs.at("y");
  EXPECT_EQ(y.elements(), 0u);
}
const EmptyCase kEmptyCases[] = {
    {"Hardmax", {2, 0}, {}},
    {"ArgMax", {0, 3}, {{"axis", std::int64_t{1}}}},
    {"BatchNormalization", {0, 2, 3}, {}},
    {"MeanVarianceNormalization", {0, 2, 3, 3}, {}},
    {"ScatterND", {2, 0}, {}},
    {"GroupNormalization", {0, 2, 3}, {{"num_groups", std::int64_t{2}}}},
    {"Softmax", {3, 0}, {}},
    {"GlobalAveragePool", {0, 2, 3}, {}},
};
INSTANTIATE_TEST_SUITE_P(Operators, OnnxEmptyInputs, ::testing::ValuesIn(kEmptyCases),
                         [](const auto &p) { return std::string(p.param.op); });

TEST_F(OnnxNumerics, EyeLikeTakesMatricesOnly) {
  input("x", makeTensor(ElementType::Float, {1, 2, 0}));
  writer_.node("EyeLike", {"x"}, {"y"});
  EXPECT_THROW(run(), onnx::ModelError);
}

} // namespace
} // namespace copse::test
