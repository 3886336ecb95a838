// Exporters write a layer that occurs several times as a function of the model. This source
// includes protobuf's headers.
#include "functions.hpp"

#include "errors.hpp"

#include <map>

namespace copse::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

constexpr int kDeepest = 64;        ///< nesting of calls
constexpr int kMostNodes = 100'000; ///< in all calls

std::string domainOf(const std::string &domain) { return domain == "ai.onnx" ? "" : domain; }

std::string describe(const FunctionProto &function) {
  return "function '" + function.name() + "' of domain '" + function.domain() + "'";
}

/// Returns the values that a function gives to attributes that a call omits. ONNX 1.13 added them
/// as a field that the messages of Debian's library do not have.
std::vector<AttributeProto> defaultsOf(const FunctionProto &function) {
  constexpr int kAttributeProto = 11; // Source: onnx.proto of ONNX 1.13
  std::vector<AttributeProto> defaults;
  const auto &unknown = function.GetReflection()->GetUnknownFields(function);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto &field = unknown.field(i);
    AttributeProto attribute;
    if (field.number() != kAttributeProto ||
        field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      continue;
    if (!attribute.ParseFromString(field.length_delimited()))
      throw ModelError(describe(function) + ": a default of an attribute cannot be read");
    defaults.push_back(std::move(attribute));
  }
  return defaults;
}

/// One call: maps names of the function to names of the surrounding graph.
class Call {
public:
  Call(const NodeProto &node, const FunctionProto &function, const std::string &prefix)
      : prefix_(prefix) {
    if (node.input_size() > function.input_size() || node.output_size() > function.output_size())
      throw ModelError("node '" + node.name() + "' has more inputs or outputs than " +
                       describe(function));
    for (int i = 0; i < function.input_size(); ++i)
      names_[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    for (int i = 0; i < function.output_size(); ++i) {
      if (names_.count(function.output(i)) != 0)
        throw ModelError(describe(function) + " has '" + function.output(i) +
                         "' for two of its inputs and outputs");
      if (i < node.output_size() && !node.output(i).empty())
        names_[function.output(i)] = node.output(i);
    }
    for (const AttributeProto &attribute : defaultsOf(function))
      attributes_[attribute.name()] = attribute;
    for (const AttributeProto &attribute : node.attribute())
      attributes_[attribute.name()] = attribute;
  }

  NodeProto translated(const NodeProto &node) const {
    NodeProto result = node;
    result.set_name(prefix_ + node.name());
    for (std::string &name : *result.mutable_input())
      name = renamed(name);
    for (std::string &name : *result.mutable_output())
      name = renamed(name);
    result.clear_attribute();
    for (const AttributeProto &attribute : node.attribute())
      if (const AttributeProto *value = valueOf(attribute)) {
        AttributeProto &added = *result.add_attribute();
        added = *value;
        added.set_name(attribute.name());
        if (added.has_g() && attribute.ref_attr_name().empty())
          *added.mutable_g() = translated(attribute.g());
      }
    return result;
  }

private:
  std::string renamed(const std::string &name) const {
    if (name.empty())
      return name;
    const auto found = names_.find(name);
    return found == names_.end() ? prefix_ + name : found->second;
  }

  /// Returns nullptr for an attribute that the call omits.
  const AttributeProto *valueOf(const AttributeProto &attribute) const {
    if (attribute.ref_attr_name().empty())
      return &attribute;
    const auto found = attributes_.find(attribute.ref_attr_name());
    return found == attributes_.end() ? nullptr : &found->second;
  }

  GraphProto translated(const GraphProto &graph) const {
    GraphProto result = graph;
    for (auto &input : *result.mutable_input())
      input.set_name(renamed(input.name()));
    for (auto &output : *result.mutable_output())
      output.set_name(renamed(output.name()));
    for (auto &tensor : *result.mutable_initializer())
      tensor.set_name(renamed(tensor.name()));
    for (auto &node : *result.mutable_node())
      node = translated(NodeProto(node));
    return result;
  }

  std::string prefix_;
  std::map<std::string, std::string> names_;
  std::map<std::string, AttributeProto> attributes_;
};

class Inliner {
public:
  explicit Inliner(const ::onnx::ModelProto &model) {
    std::map<std::string, std::int64_t> opsets;
    for (const auto &set : model.opset_import())
      opsets[domainOf(set.domain())] = set.version();
    for (const FunctionProto &function : model.functions()) {
      for (const auto &set : function.opset_import())
        if (const auto found = opsets.find(domainOf(set.domain()));
            found != opsets.end() && found->second != set.version())
          throw ModelError(describe(function) + " is of opset " + std::to_string(set.version()) +
                           " and the model of opset " + std::to_string(found->second) +
                           ", which is not supported");
      if (!functions_.emplace(std::pair(domainOf(function.domain()), function.name()), function)
               .second)
        throw ModelError(describe(function) + " occurs twice");
    }
  }

  void inlineIn(GraphProto &graph, int depth = 0) {
    const auto nodes = graph.node();
    graph.clear_node();
    for (const NodeProto &node : nodes)
      add(graph, node, depth);
  }

private:
  void add(GraphProto &graph, const NodeProto &node, int depth) {
    if (++nodes_ > kMostNodes)
      throw ModelError("the functions of the model have more than " + std::to_string(kMostNodes) +
                       " nodes");
    const auto found = functions_.find({domainOf(node.domain()), node.op_type()});
    if (found == functions_.end()) {
      NodeProto &added = *graph.add_node();
      added = node;
      for (AttributeProto &attribute : *added.mutable_attribute())
        if (attribute.has_g())
          inlineIn(*attribute.mutable_g(), depth);
      return;
    }
    const FunctionProto &function = found->second;
    if (depth == kDeepest)
      throw ModelError(describe(function) + " calls itself");
    const std::string name = !node.name().empty()     ? node.name()
                             : node.output_size() > 0 ? node.output(0)
                                                      : node.op_type();
    const Call call(node, function, name + "/");
    for (const NodeProto &inner : function.node())
      add(graph, call.translated(inner), depth + 1);
  }

  std::map<std::pair<std::string, std::string>, FunctionProto> functions_;
  int nodes_ = 0;
};

} // namespace

void inlineFunctions(::onnx::ModelProto &model) {
  if (model.functions_size() > 0)
    Inliner(model).inlineIn(*model.mutable_graph());
}

} // namespace copse::onnx
