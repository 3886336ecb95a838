// Tests functions that a model defines itself.
#include "errors.hpp"
#include "model_writer.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

namespace copse::test {
namespace {

onnx::Node call(const std::string &function, const std::vector<std::string> &inputs,
                const std::vector<std::string> &outputs,
                const std::map<std::string, onnx::Attribute> &attributes = {}) {
  onnx::Node node = nodeOf(function, inputs, outputs, attributes);
  node.domain = "own";
  return node;
}

onnx::Model written(const ModelWriter &writer) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.write(path);
  return onnx::readModel(path);
}

/// Defines Twice(x) = x + x, and Flat(x) = Flatten(Twice(x)) along the axis of the call.
ModelWriter withFunctions() {
  ModelWriter writer;
  writer.function("Twice", {"a"}, {"b"}, {}, {nodeOf("Add", {"a", "a"}, {"b"})});
  writer.function("Flat", {"a"}, {"b"}, {"axis"},
                  {call("Twice", {"a"}, {"t"}),
                   nodeOf("Flatten", {"t"}, {"b"}, {{"axis", attributeOfCall("axis")}})});
  writer.input("x", {2, 3});
  return writer;
}

TEST(OnnxFunctions, AreReplacedByTheirNodesWithUniqueNames) {
  ModelWriter writer = withFunctions();
  writer.node(call("Flat", {"x"}, {"t"}, {{"axis", std::int64_t{0}}}));
  writer.node(call("Twice", {"t"}, {"y"})).output("y");
  const onnx::Model model = written(writer);
  ASSERT_EQ(model.nodes.size(), 3u);
  EXPECT_EQ(model.nodes[0].op, "Add");
  EXPECT_EQ(model.nodes[0].inputs, (std::vector<std::string>{"x", "x"}));
  EXPECT_EQ(model.nodes[0].outputs, std::vector<std::string>{"the_Flat/t"});
  EXPECT_EQ(model.nodes[1].op, "Flatten");
  EXPECT_EQ(std::get<std::int64_t>(model.nodes[1].attributes.at("axis")), 0);
  EXPECT_EQ(model.nodes[1].outputs, std::vector<std::string>{"t"});
  EXPECT_EQ(model.nodes[2].inputs, (std::vector<std::string>{"t", "t"}));
  EXPECT_EQ(model.nodes[2].name, "the_Twice/the_Add");
}

TEST(OnnxFunctions, OmitAnAttributeThatTheCallOmits) {
  ModelWriter writer = withFunctions();
  writer.node(call("Flat", {"x"}, {"y"})).output("y");
  EXPECT_EQ(written(writer).nodes[1].attributes.count("axis"), 0u);
}

TEST(OnnxFunctions, AreRefusedIfTheyCallThemselves) {
  ModelWriter writer;
  writer.function("Endless", {"a"}, {"b"}, {}, {call("Endless", {"a"}, {"b"})});
  writer.input("x", {1}).node(call("Endless", {"x"}, {"y"})).output("y");
  EXPECT_THROW(written(writer), onnx::ModelError);
}

} // namespace
} // namespace copse::test
