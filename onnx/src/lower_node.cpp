#include "lower_node.hpp"

#include "folding.hpp"
#include "legacy_broadcast.hpp"
#include "operators.hpp"
#include "overflow_checks.hpp"
#include "schemas.hpp"

#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>
#include <set>

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

/// Returns the types and shapes of a node's inputs: "float32 [2, 3], float16 []".
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

/// Returns true if the graph was asked for something that it cannot hold. Other errors, such as a
/// compiler that does not start, are not caused by the model.
bool isOfGraph(const poplar::poplar_error &error) {
  static const std::set<std::string> names = {
      "poplar_error",          "type_error",
      "index_error",           "unknown_field",
      "no_size_specified",     "graph_connection_error",
      "control_program_error", "graph_object_creation_error",
      "tensor_creation_error", "overflow_error"};
  return names.count(error.type) != 0;
}

/// Returns an error that names the inputs, because messages of Poplar and PopLibs refer to the
/// lowered graph.
ModelError unsupportedInputs(const Node &node, const Values &values) {
  return ModelError(node.describe() +
                    ": the operator is not supported for inputs of these types and shapes: " +
                    describedInputs(node, values));
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
  } catch (const poputil::poplibs_error &) {
    throw unsupportedInputs(node, values);
  } catch (const poplar::poplar_error &error) {
    if (!isOfGraph(error))
      throw;
    throw unsupportedInputs(node, values);
  }
}

} // namespace copse::onnx
