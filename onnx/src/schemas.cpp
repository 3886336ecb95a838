// Schemas of operators. Like read_model.cpp, this source includes headers that take seconds to
// compile.
#include "schemas.hpp"

#include "errors.hpp"
#include "joined_nodes.hpp"

#include <onnx/defs/schema.h>

namespace copse::onnx {
namespace {

using ::onnx::OpSchema;

/// Returns the newest opset of ONNX's own domain in the library.
int newestOpset() {
  static const int newest =
      ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  return newest;
}

/// Returns nullptr if the library does not have the operator, or only in opsets older than the
/// node's.
const OpSchema *schemaOf(const Node &node) {
  if ((!node.domain.empty() && node.domain != "ai.onnx") || node.opset > newestOpset())
    return nullptr;
  return ::onnx::OpSchemaRegistry::Schema(node.op, static_cast<int>(node.opset), "");
}

/// Returns ONNX's name of a type.
std::string schemaName(ElementType type) {
  switch (type) {
  case ElementType::Float:
    return "tensor(float)";
  case ElementType::Double:
    return "tensor(double)";
  default:
    return "tensor(" + nameOf(type) + ")";
  }
}

bool sameValue(const Attribute &is, const ::onnx::AttributeProto &proto) {
  if (const auto *i = std::get_if<std::int64_t>(&is))
    return proto.type() == ::onnx::AttributeProto::INT && *i == proto.i();
  if (const auto *f = std::get_if<float>(&is))
    return proto.type() == ::onnx::AttributeProto::FLOAT && *f == proto.f();
  if (const auto *s = std::get_if<std::string>(&is))
    return proto.type() == ::onnx::AttributeProto::STRING && *s == proto.s();
  return false;
}

class Check {
public:
  Check(const Node &node, const OpSchema &schema) : node_(node), schema_(schema) {}

  void attributes() const {
    for (const auto &[name, value] : node_.attributes)
      if (name != kJoinedRelu && schema_.attributes().count(name) == 0)
        fail("ONNX gives the operator no attribute '" + name + "' in this opset");
    for (const auto &[name, attribute] : schema_.attributes())
      if (attribute.required && node_.attributes.count(name) == 0)
        fail("attribute '" + name + "' is missing");
  }

  void inputs(const InputTypes &types) {
    const auto own = static_cast<int>(ownInputs());
    if (own > schema_.max_input())
      fail("ONNX gives the operator at most " + std::to_string(schema_.max_input()) +
           " inputs in this opset, the node has " + std::to_string(own));
    if (own < schema_.min_input())
      fail("the node has " + std::to_string(own) + " inputs, the operator needs " +
           std::to_string(schema_.min_input()));
    for (std::size_t i = 0; i < ownInputs(); ++i)
      if (types[i])
        input(i, *types[i]);
  }

private:
  /// Returns the number of inputs that the operator has in ONNX, without those that
  /// withJoinedNodes() adds.
  std::size_t ownInputs() const {
    std::size_t own = node_.inputs.size();
    if (node_.attributes.count(kJoinedRelu) != 0)
      own = std::min<std::size_t>(own, kJoinedAddend);
    while (own > 0 && node_.inputs[own - 1].empty()) // omitted at the end
      --own;
    return own;
  }

  /// The last parameter may stand for all further inputs.
  void input(std::size_t i, ElementType type) {
    const auto &all = schema_.inputs();
    const auto &parameter = all[std::min(i, all.size() - 1)];
    bool allowed = false;
    for (const std::string *name : parameter.GetTypes())
      allowed = allowed || *name == schemaName(type);
    if (!allowed)
      fail(described(i) + " is " + nameOf(type) + ", which ONNX does not give to '" +
           parameter.GetName() + "' in this opset");
    if (!parameter.GetIsHomogeneous())
      return;
    const auto [first, isNew] = bound_.emplace(parameter.GetTypeStr(), i);
    types_.emplace(i, type);
    if (!isNew && types_.at(first->second) != type)
      fail(described(first->second) + " is " + nameOf(types_.at(first->second)) + " and " +
           described(i) + " is " + nameOf(type) + "; ONNX wants one type for both");
  }

  std::string described(std::size_t i) const {
    return "input " + std::to_string(i) + " ('" + node_.inputs[i] + "')";
  }
  [[noreturn]] void fail(const std::string &why) const {
    throw ModelError(node_.describe() + ": " + why);
  }

  const Node &node_;
  const OpSchema &schema_;
  std::map<std::string, std::size_t> bound_; ///< first input of each type parameter
  std::map<std::size_t, ElementType> types_;
};

} // namespace

void checkSchema(const Node &node, const InputTypes &types) {
  const OpSchema *const schema = schemaOf(node);
  if (schema == nullptr)
    return;
  Check check(node, *schema);
  check.attributes();
  check.inputs(types);
}

bool hasDefaultValue(const Node &node, const std::string &attribute) {
  const OpSchema *const schema = schemaOf(node);
  if (schema == nullptr)
    return false;
  const auto found = schema->attributes().find(attribute);
  return found != schema->attributes().end() &&
         sameValue(node.attributes.at(attribute), found->second.default_value);
}

bool hasInSchema(const Node &node, const std::string &attribute) {
  const OpSchema *const schema = schemaOf(node);
  return schema != nullptr && schema->attributes().count(attribute) != 0;
}

} // namespace copse::onnx
