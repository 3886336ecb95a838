#include "lower_node.hpp"

#include "folding.hpp"
#include "legacy_broadcast.hpp"
#include "operators.hpp"
#include "overflow_checks.hpp"
#include "schemas.hpp"

#include <new>

namespace copse::onnx {
namespace {

InputTypes inputTypes(const Node &node, const Values &values) {
  InputTypes types;
  for (const std::string &input : node.inputs) {
    const auto found = values.find(input);
    types.push_back(found == values.end() || input.empty() ? std::nullopt
                                                           : std::optional(found->second.type));
  }
  return types;
}

/// "float32 [2, 3], float16 []"
std::string describedInputs(const Node &node, const Values &values) {
  std::string text;
  for (const std::string &input : node.inputs) {
    text += text.empty() ? "" : ", ";
    const auto found = values.find(input);
    text += found == values.end() ? "none"
                                  : nameOf(found->second.type) + " " + textOf(found->second.shape);
  }
  return text.empty() ? "none" : text;
}

void lowerChecked(const Node &node, Values &values, ReplicaGraph &replica, unsigned ipu,
                  poplar::program::Sequence &prog) {
  OperatorContext context(node, values, replica, ipu, prog);
  if (!fold(context)) {
    context.forgetUse();
    operatorTable().at(node.op)(context);
  }
  context.checkUse();
  checkOverflow(node, values, replica, ipu, prog);
}

} // namespace

void addInitializers(const Graph &graph, Values &values) {
  for (const auto &[name, tensor] : graph.initializers)
    values[name] = Value{tensor->type, tensor->shape, tensor, nullptr, {}};
}

void lowerNode(const Node &node, Values &values, ReplicaGraph &replica, unsigned ipu,
               poplar::program::Sequence &prog) {
  try {
    checkSchema(node, inputTypes(node, values));
    const auto aligned = withAlignedOperands(node, values);
    lowerChecked(aligned ? *aligned : node, values, replica, ipu, prog);
  } catch (const ModelError &error) {
    const std::string text = error.what();
    throw ModelError(text.find("node '") == 0 ? text : node.describe() + ": " + text);
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &) {
    // Messages of Poplar, PopLibs and the standard library speak of what the lowering has made, not of the model.
    throw ModelError(node.describe() +
                     ": the operator is not supported for inputs of these types and shapes: " +
                     describedInputs(node, values));
  }
}

} // namespace copse::onnx
