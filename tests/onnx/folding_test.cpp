// Tests what the host computes before the model runs.
#include "errors.hpp"
#include "host_array.hpp"
#include "model_writer.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostArray;
using onnx::integersOf;
using Integers = std::vector<std::int64_t>;

onnx::HostTensor outputOf(ModelWriter &writer,
                          const std::map<std::string, onnx::HostTensor> &inputs = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.output("y").write(path);
  onnx::Request request;
  request.device = "cpu";
  request.inputs = inputs;
  return onnx::runModel(onnx::readModel(path), request).outputs.at("y");
}

onnx::HostTensor scalar(std::int64_t value) { return {ElementType::Int64, {}, {}, {value}}; }

TEST(OnnxFolding, ComputesIntegersExactlyIn64Bits) {
  const std::int64_t big = std::int64_t{1} << 40;
  ModelWriter writer;
  writer.constant("a", integersOf({big, -7, 3 * big + 1}))
      .constant("b", integersOf({8, 2, big}))
      .constant("one", integersOf({1}))
      .node("Mul", {"a", "b"}, {"product"})
      .node("Div", {"product", "a"}, {"quotient"})
      .node("Sub", {"quotient", "one"}, {"less"})
      .node("Mod", {"a", "b"}, {"rest"})
      .node("Concat", {"less", "rest"}, {"y"}, {{"axis", std::int64_t{0}}});
  const std::int64_t wrapped = static_cast<std::int64_t>((3 * static_cast<std::uint64_t>(big) + 1) *
                                                         static_cast<std::uint64_t>(big));
  EXPECT_EQ(outputOf(writer).integers, (Integers{7, 1, wrapped / (3 * big + 1) - 1, 0, 1, 1}));
}

/// Exporters compute the shape of an attention's heads in this way: from the input's shape, with
/// arithmetic, slices and a choice.
TEST(OnnxFolding, KnowsShapesThatAreComputedFromShapes) {
  ModelWriter writer;
  writer.input("x", {2, 3, 8})
      .constant("two", scalar(2))
      .constant("zero", scalar(0))
      .constant("ends", integersOf({2}))
      .constant("starts", integersOf({0}))
      .constant("axes", integersOf({0}))
      .constant("minusOne", integersOf({-1}))
      .node("Shape", {"x"}, {"shape"})
      .node("Gather", {"shape", "two"}, {"width"})
      .node("Div", {"width", "two"}, {"half"})
      .node("Unsqueeze", {"half", "axes"}, {"halves"})
      .node("Slice", {"shape", "starts", "ends"}, {"rows"})
      .node("Concat", {"rows", "minusOne", "halves"}, {"wanted"}, {{"axis", std::int64_t{0}}})
      .node("Greater", {"wanted", "zero"}, {"isSize"})
      .node("Where", {"isSize", "wanted", "minusOne"}, {"chosen"})
      .node("Reshape", {"x", "chosen"}, {"y"});
  EXPECT_EQ(outputOf(writer, {{"x", floats({2, 3, 8}, std::vector<float>(48))}}).shape,
            (onnx::Shape{2, 3, 2, 4}));
}

TEST(OnnxFolding, NamesTheNodeThatDividesByZero) {
  ModelWriter writer;
  writer.constant("a", integersOf({1})).constant("b", integersOf({0}));
  writer.node("Div", {"a", "b"}, {"y"});
  try {
    outputOf(writer);
    FAIL();
  } catch (const onnx::ModelError &error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("'the_Div' (Div, opset 13): a division"));
  }
}

/// Compares the same node with known inputs, and with inputs of the device.
TEST(OnnxFolding, ComputesTheSameAsTheDevice) {
  const onnx::HostTensor a = floats({2, 3}, {1.5f, -2, 0.25f, 3, 4, -0.5f}),
                         b = floats({3}, {2, -0.5f, 4});
  const onnx::HostTensor m = integersOf({7, -7, 9}), n = integersOf({2, 2, -4});
  for (const char *op : {"Add", "Sub", "Mul", "Div", "Max", "Min", "Less", "LessOrEqual", "Equal",
                         "Greater", "GreaterOrEqual", "Mod"})
    for (const bool reals : {true, false}) {
      if (reals && std::string(op) == "Mod")
        continue;
      const onnx::HostTensor &left = reals ? a : m, &right = reals ? b : n;
      ModelWriter known, computed;
      known.constant("a", left).constant("b", right).node(op, {"a", "b"}, {"y"});
      const auto shape = [](const onnx::HostTensor &t) {
        return Integers(t.shape.begin(), t.shape.end());
      };
      computed.input("a", shape(left), left.type).input("b", shape(right), right.type);
      computed.node(op, {"a", "b"}, {"y"});
      const onnx::HostTensor host = outputOf(known),
                             device = outputOf(computed, {{"a", left}, {"b", right}});
      EXPECT_EQ(host.type, device.type) << op;
      EXPECT_EQ(host.shape, device.shape) << op;
      EXPECT_EQ(host.reals, device.reals) << op;
      EXPECT_EQ(host.integers, device.integers) << op;
    }
}

TEST(OnnxFolding, FindsPositionsOfElementsThatAreNotZero) {
  ModelWriter writer;
  onnx::HostTensor flags = integersOf({0, 1, 0, 1, 1, 0});
  flags.shape = {2, 3};
  writer.constant("flags", flags).node("NonZero", {"flags"}, {"y"});
  const onnx::HostTensor y = outputOf(writer);
  EXPECT_EQ(y.shape, (onnx::Shape{2, 3}));
  EXPECT_EQ(y.integers, (Integers{0, 1, 1, 1, 0, 1}));
}

TEST(OnnxFolding, CountsRangesInBothDirections) {
  ModelWriter writer;
  writer.constant("from", scalar(10)).constant("to", scalar(3)).constant("step", scalar(-3));
  writer.node("Range", {"from", "to", "step"}, {"y"});
  EXPECT_EQ(outputOf(writer).integers, (Integers{10, 7, 4}));
}

TEST(HostArrays, MoveElementsLikeTensors) {
  const HostArray t(integersOf({0, 1, 2, 3, 4, 5}));
  const HostArray m = t.reshape({2, 3});
  EXPECT_EQ(m.dimShuffle({1, 0}).tensor().integers, (Integers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(m.slice(1, 3, 1).tensor().integers, (Integers{1, 2, 4, 5}));
  EXPECT_EQ(m.reverse(1).tensor().integers, (Integers{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(m.subSample(2, 1).tensor().integers, (Integers{0, 2, 3, 5}));
  EXPECT_EQ(m.broadcast(2, 0).shape(), (onnx::Shape{4, 3}));
  EXPECT_EQ(m.slice(0, 1, 1).broadcast(2, 1).tensor().integers, (Integers{0, 0, 3, 3}));
  EXPECT_EQ(onnx::concat({m.slice(0, 1, 1), m.slice(2, 3, 1)}, 1).tensor().integers,
            (Integers{0, 2, 3, 5}));
  EXPECT_EQ(t.slice(2, 2, 0).numElements(), 0u);
  EXPECT_THROW(m.slice(2, 4, 1), onnx::ModelError);
  EXPECT_THROW(m.reshape({4}), onnx::ModelError);
}

} // namespace
} // namespace copse::test
