// Tests that models which exceed the abilities of a lowering are refused, with a message in the
// model's words.
#include "errors.hpp"
#include "lower_node.hpp"
#include "model_writer.hpp"
#include "operators.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <set>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Integers = std::vector<std::int64_t>;
using Attributes = std::map<std::string, onnx::Attribute>;

/// Returns the only output of a node whose inputs the device computes with. An input whose name
/// begins with "c" is a constant.
HostTensor outputOf(std::int64_t opset, const std::string &op,
                    const std::vector<std::pair<std::string, HostTensor>> &inputs,
                    const Attributes &attributes = {}) {
  ModelWriter writer(opset);
  onnx::Request request;
  request.device = "cpu";
  std::vector<std::string> names;
  for (const auto &[name, tensor] : inputs) {
    names.push_back(name);
    if (name.empty())
      continue;
    if (name[0] == 'c') {
      writer.constant(name, tensor);
      continue;
    }
    writer.input(name, Integers(tensor.shape.begin(), tensor.shape.end()), tensor.type);
    request.inputs[name] = tensor;
  }
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.node(op, names, {"y"}, attributes).output("y").write(path);
  return onnx::runModel(onnx::readModel(path), request).outputs.at("y");
}

std::string refusalOf(std::int64_t opset, const std::string &op,
                      const std::vector<std::pair<std::string, HostTensor>> &inputs,
                      const Attributes &attributes = {}) {
  try {
    outputOf(opset, op, inputs, attributes);
  } catch (const onnx::ModelError &error) {
    return error.what();
  }
  return "";
}

HostTensor half(onnx::Shape shape) { return makeTensor(ElementType::Half, std::move(shape)); }

TEST(OnnxRefusals, NameTheAttributeThatAnOperatorLacks) {
  const std::set<std::string> newer = {"BitwiseAnd",    "BitwiseNot", "BitwiseOr",
                                       "BitwiseXor",    "Gelu",       "GroupNormalization",
                                       "CenterCropPad", "Mish"};
  for (const auto &[op, lowering] : onnx::operatorTable()) {
    if (newer.count(op) != 0) // than the schemas
      continue;
    EXPECT_THAT(refusalOf(17, op, {{"x", floats({1}, {1})}}, {{"surplus", std::int64_t{1}}}),
                AllOf(HasSubstr("'the_" + op + "' (" + op + ", opset 17)"),
                      HasSubstr("attribute 'surplus'")));
  }
}

/// The opset is newer than the schemas: attributes that no lowering has read are refused all the
/// same.
TEST(OnnxRefusals, NameAttributesThatALoweringDoesNotRead) {
  const HostTensor x = floats({1, 1, 4, 4}, std::vector<float>(16, 1)), none;
  EXPECT_THAT(refusalOf(99, "Relu", {{"x", x}}, {{"slope", 0.5f}}),
              HasSubstr("'the_Relu' (Relu, opset 99): attribute 'slope' is not supported"));
  EXPECT_THAT(refusalOf(99, "Relu", {{"x", x}, {"z", x}}),
              HasSubstr("'the_Relu' (Relu, opset 99): input 'z' (number 1) is not supported"));
  EXPECT_THAT(refusalOf(99, "Gather", {{"cx", x}, {"ci", onnx::integersOf({0})}}, {{"mode", 1.0f}}),
              HasSubstr("attribute 'mode'"))
      << "a node that the host computes";
  EXPECT_THAT(refusalOf(18, "Resize", {{"x", x}, {"", none}, {"cs", floats({4}, {1, 1, .5f, .5f})}},
                        {{"mode", std::string("linear")}, {"antialias", std::int64_t{1}}}),
              HasSubstr("attribute 'antialias' = 1"));
}

TEST(OnnxRefusals, NameInputsThatMustHaveOneType) {
  EXPECT_THAT(refusalOf(13, "Add", {{"a", floats({2}, {1, 2})}, {"b", half({2})}}),
              AllOf(HasSubstr("'the_Add' (Add, opset 13): input 0 ('a') is float32 and input 1 "
                              "('b') is float16"),
                    Not(HasSubstr("operands of types"))));
  EXPECT_THAT(refusalOf(13, "Sin", {{"a", onnx::integersOf({1})}}),
              HasSubstr("input 0 ('a') is int64, which ONNX does not give to 'input'"));
}

/// In an opset that is newer than the schemas, PopLibs finds the fault. Its message names its own
/// operands.
TEST(OnnxRefusals, NameTypesAndShapesInsteadOfALibrarysMessage) {
  EXPECT_EQ(refusalOf(99, "Add", {{"a", floats({2}, {1, 2})}, {"b", half({2})}}),
            "node 'the_Add' (Add, opset 99): the operator is not supported for inputs of these "
            "types and shapes: float32 [2], float16 [2]");
}

/// An input without elements must not hide an attribute that has not been read.
TEST(OnnxRefusals, NameAttributesOfNodesWhoseFirstInputIsEmpty) {
  EXPECT_THAT(
      refusalOf(99, "Concat",
                {{"x", makeTensor(ElementType::Float, {0, 2})}, {"z", floats({1, 2}, {1, 2})}},
                {{"axis", std::int64_t{0}}, {"slope", 0.5f}}),
      HasSubstr("attribute 'slope' is not supported"));
}

/// An error that neither the model nor the graph explains keeps its type: here, a table without the
/// operator.
TEST(OnnxRefusals, LeaveOtherErrorsAlone) {
  onnx::ReplicaGraph replica(poplar::Target::createCPUTarget(true), 1, 1);
  onnx::Values values;
  poplar::program::Sequence prog;
  onnx::Node node;
  node.op = "NoSuchOperator";
  node.opset = 13;
  EXPECT_THROW(onnx::lowerNode(node, values, replica, 0, prog), std::out_of_range);
}

TEST(OnnxLegacyBroadcast, AlignsTheSecondOperandWithAnAxis) {
  const HostTensor a = floats({2, 2}, {1, 2, 3, 4}), b = floats({2}, {10, 20});
  const Attributes first = {{"broadcast", std::int64_t{1}}, {"axis", std::int64_t{0}}},
                   last = {{"broadcast", std::int64_t{1}}};
  EXPECT_EQ(outputOf(6, "Add", {{"a", a}, {"b", b}}, first).reals,
            (std::vector<float>{11, 12, 23, 24}));
  EXPECT_EQ(outputOf(6, "Add", {{"a", a}, {"b", b}}, last).reals,
            (std::vector<float>{11, 22, 13, 24}));
  EXPECT_EQ(outputOf(6, "Mul", {{"ca", a}, {"cb", b}}, first).reals,
            (std::vector<float>{10, 20, 60, 80}))
      << "a node that the host computes";
  EXPECT_EQ(outputOf(6, "PRelu", {{"a", floats({1, 2, 2}, {-1, -2, -3, 4})}, {"b", b}}).reals,
            (std::vector<float>{-10, -20, -60, 4}));
  EXPECT_THAT(refusalOf(6, "Add", {{"a", a}, {"b", b}}), HasSubstr("'broadcast' is not set"));
  EXPECT_THAT(refusalOf(6, "Add", {{"a", a}, {"b", floats({3}, {1, 2, 3})}}, first),
              HasSubstr("[3] does not fit [2, 2] from axis 0"));
}

TEST(OnnxOpsets, PadTakesTheAxesOfOpset18) {
  const HostTensor x = floats({1, 2}, {1, 2}), none;
  const HostTensor y = outputOf(18, "Pad",
                                {{"x", x},
                                 {"cp", onnx::integersOf({1, 0, 0, 2})},
                                 {"", none},
                                 {"ca", onnx::integersOf({1, 0})}});
  EXPECT_EQ(y.shape, (onnx::Shape{3, 3}));
  EXPECT_EQ(y.reals, (std::vector<float>{0, 1, 2, 0, 0, 0, 0, 0, 0}));
}

TEST(OnnxOpsets, ResizeTakesTheAxesAndKeepsTheRatioOfOpset18) {
  const HostTensor x = floats({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), none;
  const auto resized = [&](const char *policy) {
    return outputOf(18, "Resize",
                    {{"x", x}, {"", none}, {"", none}, {"cs", onnx::integersOf({4, 4})}},
                    {{"axes", Integers{2, 3}}, {"keep_aspect_ratio_policy", std::string(policy)}})
        .shape;
  };
  EXPECT_EQ(resized("stretch"), (onnx::Shape{1, 1, 4, 4}));
  EXPECT_EQ(resized("not_larger"), (onnx::Shape{1, 1, 2, 4}));
  EXPECT_EQ(resized("not_smaller"), (onnx::Shape{1, 1, 4, 8}));
}

} // namespace
} // namespace copse::test
