// Models of single nodes that are drawn: operators, types, shapes of any rank with dimensions of 0
// and 1, attributes, NaN, infinities and the limits of integers. Many nodes are in one model, so
// that one run computes all of them.
//
// Several nodes in a row have one kind: their operator and types, which decide their codelets.
//
// A failure names its seed. To repeat it:
//   COPSE_ONNX_NODES_FROM=SEED COPSE_ONNX_NODES=1 onnx_test --gtest_filter='OnnxRandomNodes.*'
// and with COPSE_ONNX_NODES_OF_KIND, if that was set.
#include "errors.hpp"
#include "model_writer.hpp"
#include "random_node.hpp"
#include "schemas.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;

constexpr std::uint64_t kNodesOfModel = 50; // these have one opset in common
constexpr std::int64_t kOpsets[] = {11, 12, 13, 14, 15, 16, 17, 18};

std::uint64_t environmentOr(const char *name, std::uint64_t otherwise) {
  const char *const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Returns the number of nodes in a row that have one operator and type.
std::uint64_t nodesOfKind() { return environmentOr("COPSE_ONNX_NODES_OF_KIND", 9); }

std::int64_t opsetOf(std::uint64_t seed) {
  return kOpsets[seed / kNodesOfModel % std::size(kOpsets)];
}

/// Returns true if the opset allows the operator these types and attributes: older ones allow
/// fewer.
bool isOfStandard(const RandomNode &drawn, std::int64_t opset) {
  onnx::Node node;
  node.op = drawn.op;
  node.opset = opset;
  node.attributes = drawn.attributes;
  onnx::InputTypes types;
  for (std::size_t i = 0; i < drawn.inputs.size(); ++i) {
    const bool isOmitted = drawn.omitted.count(i) != 0;
    node.inputs.push_back(isOmitted ? "" : "input");
    types.push_back(isOmitted ? std::nullopt : std::optional(drawn.inputs[i].type));
  }
  try {
    checkSchema(node, types);
    return true;
  } catch (const onnx::ModelError &) {
    return false;
  }
}

RandomNode drawn(std::uint64_t seed) {
  static const std::vector<NodeMaker> makers = [] {
    std::vector<NodeMaker> all;
    addNodesOfElements(all);
    addNodesOfSums(all);
    addNodesOfShapes(all);
    addNodesOfIndices(all);
    addNodesOfWindows(all);
    addNodesOfQuantities(all);
    addNodesOfSelections(all);
    addNodesOfRecurrences(all);
    addNodesOfIntegerWindows(all);
    addNodesOfPowers(all);
    addNodesOfResizing(all);
    return all;
  }();
  // Each maker has its turn, so that few kinds already have all operators. Another one replaces it
  // if the opset does not allow its node.
  const std::uint64_t kind = seed / nodesOfKind();
  Random random(kind * 0x9E3779B97F4A7C15u + 1, seed * 0xD1B54A32D192ED03u + 1);
  RandomNode node = makers[kind % makers.size()](random, opsetOf(seed));
  while (!isOfStandard(node, opsetOf(seed)))
    node = makers[random.kindBelow(makers.size())](random, opsetOf(seed));
  if (random.oneIn(4)) // the host computes with constants where it can
    node.known.assign(node.inputs.size(), true);
  return node;
}

std::string nameOfInput(std::uint64_t seed, std::size_t i) {
  return "n" + std::to_string(seed) + "_i" + std::to_string(i);
}
std::string nameOfOutput(std::uint64_t seed, std::size_t i) {
  return "n" + std::to_string(seed) + "_o" + std::to_string(i);
}

/// Returns all outputs of a model with these nodes.
std::map<std::string, HostTensor> outputsOf(const std::map<std::uint64_t, RandomNode> &nodes,
                                            const std::string &device) {
  ModelWriter writer(opsetOf(nodes.begin()->first));
  onnx::Request request;
  request.device = device;
  request.tilesPerIpu = 4;
  for (const auto &[seed, node] : nodes) {
    std::vector<std::string> inputs, outputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      inputs.push_back(node.omitted.count(i) != 0 ? "" : nameOfInput(seed, i));
      if (inputs.back().empty())
        continue;
      if (node.known[i]) {
        writer.constant(inputs.back(), node.inputs[i]);
        continue;
      }
      writer.input(inputs.back(), listOf(node.inputs[i].shape), node.inputs[i].type);
      request.inputs[inputs.back()] = node.inputs[i];
    }
    for (std::size_t i = 0; i < node.expected.size(); ++i) {
      outputs.push_back(nameOfOutput(seed, i));
      writer.output(outputs.back());
    }
    writer.node(node.op, inputs, outputs, node.attributes);
  }
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.write(path);
  return onnx::runModel(onnx::readModel(path), request).outputs;
}

/// Returns the relative size of the type's last digit, and the smallest difference that counts.
std::pair<double, double> digitsOf(ElementType type) {
  if (type == ElementType::Half)
    return {0x1p-10, 0x1p-24};
  return {0x1p-23, 0x1p-126};
}

bool isNear(double is, double expected, double magnitude, ElementType type, double tolerance) {
  if (is == expected || (std::isnan(is) && std::isnan(expected)))
    return true;
  // Halves that are too large may saturate.
  constexpr double kLargestHalf = 65504;
  if (type == ElementType::Half && std::fabs(expected) >= kLargestHalf && is * expected > 0)
    return std::fabs(is) >= 0.99 * kLargestHalf;
  const auto [digit, smallest] = digitsOf(type);
  const double size =
      std::fmax(std::fabs(expected), std::isfinite(magnitude) ? std::fabs(magnitude) : 0);
  return std::fabs(is - expected) <= tolerance * std::fmax(digit * size, smallest);
}

/// \returns the difference; empty if there is none
std::string difference(const HostTensor &is, const Expected &expected, double tolerance) {
  const HostTensor &value = expected.value;
  if (is.type != value.type || is.shape != value.shape)
    return nameOf(is.type) + " " + onnx::textOf(is.shape) + " instead of " + nameOf(value.type) +
           " " + onnx::textOf(value.shape);
  for (std::size_t i = 0; i < is.elements(); ++i) {
    const double magnitude = i < expected.magnitudes.size() ? expected.magnitudes[i] : 0;
    if (isReal(is.type) ? !isNear(is.at(i), value.at(i), magnitude, is.type, tolerance)
                        : is.integers[i] != value.integers[i]) {
      char text[160];
      std::snprintf(text, sizeof text, "element %zu is %.9g instead of %.9g", i, is.at(i),
                    value.at(i));
      return text;
    }
  }
  return "";
}

std::string textOf(const onnx::Attribute &attribute) {
  if (const auto *i = std::get_if<std::int64_t>(&attribute))
    return std::to_string(*i);
  if (const auto *f = std::get_if<float>(&attribute))
    return std::to_string(*f);
  if (const auto *text = std::get_if<std::string>(&attribute))
    return *text;
  std::string all;
  if (const auto *list = std::get_if<std::vector<std::int64_t>>(&attribute))
    for (const std::int64_t i : *list)
      all += (all.empty() ? "" : ",") + std::to_string(i);
  if (const auto *names = std::get_if<std::vector<std::string>>(&attribute))
    for (const std::string &name : *names)
      all += (all.empty() ? "" : ",") + name;
  return "[" + all + "]";
}

std::string describe(std::uint64_t seed, const RandomNode &node) {
  std::string text = "seed " + std::to_string(seed) + " (" + std::to_string(nodesOfKind()) +
                     " nodes of a kind): " + node.op + " of opset " +
                     std::to_string(opsetOf(seed)) + " (";
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const HostTensor &input = node.inputs[i];
    if (node.omitted.count(i) != 0) {
      text += (i > 0 ? ", " : "") + std::string("none");
      continue;
    }
    text += (i > 0 ? ", " : "") + nameOf(input.type) + " " + onnx::textOf(input.shape) +
            (node.known[i] ? " known" : "");
    if (input.elements() <= 8) {
      text += " {";
      for (std::size_t e = 0; e < input.elements(); ++e) {
        char number[32];
        std::snprintf(number, sizeof number, "%s%.9g", e > 0 ? " " : "", input.at(e));
        text += number;
      }
      text += "}";
    }
  }
  text += ")";
  for (const auto &[name, value] : node.attributes)
    text += " " + name + "=" + textOf(value);
  return text;
}

void check(const std::map<std::uint64_t, RandomNode> &nodes, const std::string &device) {
  std::map<std::string, HostTensor> outputs;
  try {
    outputs = outputsOf(nodes, device);
  } catch (const std::exception &error) {
    if (nodes.size() > 1) // find out whose fault it is
      for (const auto &[seed, node] : nodes)
        check({{seed, node}}, device);
    else
      ADD_FAILURE() << describe(nodes.begin()->first, nodes.begin()->second)
                    << "\n  is refused: " << error.what();
    return;
  }
  for (const auto &[seed, node] : nodes)
    for (std::size_t i = 0; i < node.expected.size(); ++i) {
      const std::string wrong =
          difference(outputs.at(nameOfOutput(seed, i)), node.expected[i], node.tolerance);
      EXPECT_EQ(wrong, "") << describe(seed, node) << "\n  output " << i;
    }
}

void checkNodes(std::uint64_t first, std::uint64_t count, const std::string &device) {
  for (std::uint64_t seed = first; seed < first + count;) {
    std::map<std::uint64_t, RandomNode> nodes;
    do {
      nodes.emplace(seed, drawn(seed));
      ++seed;
    } while (seed < first + count && seed % kNodesOfModel != 0);
    // Prints the position of the process, in case it ends.
    std::printf("nodes %llu to %llu on %s\n", static_cast<unsigned long long>(nodes.begin()->first),
                static_cast<unsigned long long>(seed - 1), device.c_str());
    std::fflush(stdout);
    check(nodes, device);
  }
}

TEST(OnnxRandomNodes, ComputeTheSameAsPlainLoops) {
  const char *const device = std::getenv("COPSE_ONNX_NODES_DEVICE");
  checkNodes(environmentOr("COPSE_ONNX_NODES_FROM", 0), environmentOr("COPSE_ONNX_NODES", 500),
             device == nullptr ? "cpu" : device);
}

} // namespace
} // namespace copse::test
