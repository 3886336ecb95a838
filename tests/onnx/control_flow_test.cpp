// Tests nodes with graphs of their own, whose conditions may or may not be known before the model
// runs.
#include "errors.hpp"
#include "model_writer.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;
using Inputs = std::map<std::string, HostTensor>;

HostTensor flag(bool value) { return {ElementType::Bool, {}, {}, {value}}; }
HostTensor integer(std::int64_t value) { return {ElementType::Int64, {}, {}, {value}}; }

std::map<std::string, HostTensor> outputsOf(const ModelWriter &writer, const Inputs &inputs,
                                            const std::string &device = "cpu") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.write(path);
  onnx::Request request;
  request.device = device;
  request.inputs = inputs;
  return onnx::runModel(onnx::readModel(path), request).outputs;
}

std::string refusalOf(const ModelWriter &writer, const Inputs &inputs) {
  try {
    outputsOf(writer, inputs);
  } catch (const onnx::ModelError &error) {
    return error.what();
  }
  return "";
}

class OnnxControlFlow : public ::testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Devices, OnnxControlFlow, ::testing::Values("cpu", "ipumodel"),
                         [](const auto &p) { return std::string(p.param); });

/// Writes x + 1 if the sum of x is positive, else x * 2, where x is a value of the graph around the
/// branches.
ModelWriter branchOnSum() {
  ModelWriter writer;
  writer.input("x", {2}).constant("zero", floats({}, {0}));
  writer.node("ReduceSum", {"x"}, {"sum"}, {{"keepdims", std::int64_t{0}}});
  writer.node("Greater", {"sum", "zero"}, {"positive"});
  writer.node("If", {"positive"}, {"y"},
              {{"then_branch", innerGraph({}, {"a"}, {nodeOf("Add", {"x", "one"}, {"a"})},
                                          {{"one", floats({}, {1})}})},
               {"else_branch", innerGraph({}, {"b"}, {nodeOf("Mul", {"x", "two"}, {"b"})},
                                          {{"two", floats({}, {2})}})}});
  writer.output("y");
  return writer;
}

TEST_P(OnnxControlFlow, DeviceTakesTheBranchOfItsCondition) {
  const ModelWriter writer = branchOnSum();
  EXPECT_EQ(outputsOf(writer, {{"x", floats({2}, {3, -1})}}, GetParam()).at("y").reals,
            (Floats{4, 0}));
  EXPECT_EQ(outputsOf(writer, {{"x", floats({2}, {-3, 1})}}, GetParam()).at("y").reals,
            (Floats{-6, 2}));
}

TEST(OnnxBranches, MayHaveDifferentShapesIfTheConditionIsKnown) {
  for (const bool condition : {true, false}) {
    ModelWriter writer;
    writer.input("x", {2, 3}).constant("condition", flag(condition));
    writer.node(
        "If", {"condition"}, {"y"},
        {{"then_branch",
          innerGraph({}, {"a"}, {nodeOf("Flatten", {"x"}, {"a"}, {{"axis", std::int64_t{0}}})})},
         {"else_branch", innerGraph({}, {"b"}, {nodeOf("Transpose", {"x"}, {"b"})})}});
    writer.output("y");
    EXPECT_EQ(outputsOf(writer, {{"x", floats({2, 3}, {1, 2, 3, 4, 5, 6})}}).at("y").shape,
              condition ? (onnx::Shape{1, 6}) : (onnx::Shape{3, 2}));
  }
}

TEST(OnnxBranches, MustHaveEqualShapesIfTheDeviceChooses) {
  ModelWriter writer;
  writer.input("x", {2, 3}).constant("zero", floats({}, {0}));
  writer.node("ReduceSum", {"x"}, {"sum"}, {{"keepdims", std::int64_t{0}}});
  writer.node("Greater", {"sum", "zero"}, {"positive"});
  writer.node("If", {"positive"}, {"y"},
              {{"then_branch", innerGraph({}, {"a"}, {nodeOf("Identity", {"x"}, {"a"})})},
               {"else_branch", innerGraph({}, {"b"}, {nodeOf("Transpose", {"x"}, {"b"})})}});
  writer.output("y");
  EXPECT_THAT(refusalOf(writer, {{"x", floats({2, 3}, Floats(6))}}),
              ::testing::AllOf(::testing::HasSubstr("'the_If' (If, opset 13)"),
                               ::testing::HasSubstr("[3, 2]")));
}

/// The model doubles x until its first element is 100 or more.
TEST_P(OnnxControlFlow, DeviceEndsALoopWhenItsConditionDoes) {
  ModelWriter writer;
  writer.input("x", {2})
      .constant("most", integer(std::int64_t{1} << 62))
      .constant("go", flag(true));
  writer.node("Loop", {"most", "go", "x"}, {"y"},
              {{"body", innerGraph({"i", "c", "a"}, {"goes", "b"},
                                   {nodeOf("Add", {"a", "a"}, {"b"}),
                                    nodeOf("Gather", {"b", "first"}, {"head"}),
                                    nodeOf("Less", {"head", "limit"}, {"goes"})},
                                   {{"first", integer(0)}, {"limit", floats({}, {100})}})}});
  writer.output("y");
  EXPECT_EQ(outputsOf(writer, {{"x", floats({2}, {3, 1})}}, GetParam()).at("y").reals,
            (Floats{192, 64}));
}

/// Writes Fibonacci numbers: each state becomes the other, so that a wrong order of their
/// replacement would show.
ModelWriter fibonacci(const std::string &count) {
  ModelWriter writer;
  writer.constant("go", flag(true)).input("one", {1});
  writer.node("Sub", {"one", "one"}, {"zero"});
  if (count.empty())
    writer.input("count", {}, ElementType::Int64);
  else
    writer.constant("count", integer(std::stoll(count)));
  writer.node(
      "Loop", {"count", "go", "zero", "one"}, {"last", "next", "all"},
      {{"body",
        innerGraph({"i", "c", "a", "b"}, {"c2", "b2", "sum", "out"},
                   {nodeOf("Identity", {"c"}, {"c2"}), nodeOf("Add", {"a", "b"}, {"sum"}),
                    nodeOf("Identity", {"b"}, {"b2"}), nodeOf("Identity", {"a"}, {"out"})})}});
  writer.output("last").output("next").output("all");
  return writer;
}

Floats fibonacciNumbers(std::size_t count) {
  Floats numbers{0, 1};
  while (numbers.size() < count)
    numbers.push_back(numbers[numbers.size() - 1] + numbers[numbers.size() - 2]);
  numbers.resize(count);
  return numbers;
}

TEST_P(OnnxControlFlow, LoopsCollectAnElementOfEachIteration) {
  for (const std::size_t count :
       {std::size_t{5}, std::size_t{80}}) { // expanded into iterations, and as a loop of the device
    const auto y =
        outputsOf(fibonacci(std::to_string(count)), {{"one", floats({1}, {1})}}, GetParam());
    EXPECT_EQ(y.at("all").shape, (onnx::Shape{count, 1}));
    EXPECT_EQ(y.at("all").reals, fibonacciNumbers(count));
    EXPECT_EQ(y.at("last").reals[0], fibonacciNumbers(count + 1).back());
  }
}

TEST(OnnxLoops, TakeTheNumberOfIterationsFromAnInput) {
  for (const std::int64_t count : {0, 1, 7}) {
    const auto outputs =
        outputsOf(fibonacci(""), {{"one", floats({1}, {1})}, {"count", integer(count)}});
    const HostTensor &y = outputs.at("all");
    EXPECT_EQ(outputs.at("next").reals[0],
              fibonacciNumbers(static_cast<std::size_t>(count) + 2).back());
    EXPECT_EQ(y.shape, (onnx::Shape{static_cast<std::size_t>(count), 1}));
    EXPECT_EQ(y.reals, fibonacciNumbers(static_cast<std::size_t>(count)));
  }
}

/// Each iteration appends its number: the host computes shapes that change.
TEST(OnnxLoops, MayChangeShapesIfTheNumberOfIterationsIsKnown) {
  ModelWriter writer;
  writer.input("x", {1, 1}).constant("count", integer(3)).constant("go", flag(true));
  writer.node(
      "Loop", {"count", "go", "x"}, {"y"},
      {{"body", innerGraph({"i", "c", "a"}, {"c2", "b"},
                           {nodeOf("Identity", {"c"}, {"c2"}),
                            nodeOf("Concat", {"a", "a"}, {"b"}, {{"axis", std::int64_t{1}}})})}});
  writer.output("y");
  EXPECT_EQ(outputsOf(writer, {{"x", floats({1, 1}, {2})}}).at("y").reals, Floats(8, 2));
}

/// Sums of the rows so far, forwards over the columns of x and backwards.
ModelWriter runningSums(std::int64_t width, bool backwards) {
  ModelWriter writer;
  writer.input("x", {2, width}).constant("zero", floats({2}, {0, 0}));
  writer.node("Scan", {"zero", "x"}, {"total", "sums"},
              {{"num_scan_inputs", std::int64_t{1}},
               {"scan_input_axes", Integers{1}},
               {"scan_output_axes", Integers{-1}},
               {"scan_input_directions", Integers{backwards}},
               {"scan_output_directions", Integers{backwards}},
               {"body", innerGraph({"sum", "column"}, {"next", "out"},
                                   {nodeOf("Add", {"sum", "column"}, {"next"}),
                                    nodeOf("Identity", {"next"}, {"out"})})}});
  writer.output("total").output("sums");
  return writer;
}

TEST_P(OnnxControlFlow, ScansRunOverAnyAxisInBothDirections) {
  for (const std::size_t width : {std::size_t{3}, std::size_t{70}})
    for (const bool backwards : {false, true}) {
      Floats x(2 * width), expected(2 * width);
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 7) - 2;
      for (std::size_t row = 0; row < 2; ++row) {
        float sum = 0;
        for (std::size_t i = 0; i < width; ++i) {
          const std::size_t at = row * width + (backwards ? width - 1 - i : i);
          expected[at] = sum += x[at];
        }
      }
      const auto y = outputsOf(runningSums(static_cast<std::int64_t>(width), backwards),
                               {{"x", floats({2, width}, x)}}, GetParam());
      EXPECT_EQ(y.at("sums").shape, (onnx::Shape{2, width}));
      EXPECT_EQ(y.at("sums").reals, expected);
      EXPECT_EQ(y.at("total").reals[0], expected[backwards ? 0 : width - 1]);
    }
}

TEST(OnnxLoops, AreRefusedIfTheDeviceKnowsTheSizeOfTheirOutputs) {
  ModelWriter writer;
  writer.input("x", {1}).constant("go", flag(true)).constant("limit", floats({1}, {9}));
  writer.node("Loop", {"", "go", "x"}, {"y", "all"},
              {{"body", innerGraph({"i", "c", "a"}, {"goes", "b", "out"},
                                   {nodeOf("Add", {"a", "a"}, {"b"}),
                                    nodeOf("Less", {"b", "limit"}, {"goes"}),
                                    nodeOf("Identity", {"b"}, {"out"})})}});
  writer.output("y").output("all");
  EXPECT_THAT(refusalOf(writer, {{"x", floats({1}, {1})}}),
              ::testing::HasSubstr("'the_Loop' (Loop, opset 13): it has outputs of an element for "
                                   "each iteration"));
}

} // namespace
} // namespace copse::test
