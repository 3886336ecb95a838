#pragma once

#include "host_tensor.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

namespace copse::onnx {

struct Graph;
/// The value of an attribute of a kind that no lowering reads: a sparse tensor, a type, a list of
/// graphs.
struct UnreadableAttribute {};
using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                               std::vector<float>, HostTensor, std::vector<std::string>,
                               std::shared_ptr<const Graph>, UnreadableAttribute>;

struct Node {
  std::string op, domain, name;             ///< without a name in the file: its first output's name
  std::vector<std::string> inputs, outputs; ///< "": omitted
  std::map<std::string, Attribute> attributes;
  std::int64_t opset = 0;            ///< opset of the node's domain
  std::vector<std::string> captured; ///< values of enclosing graphs that the node's graphs use

  std::string describe() const {
    return "node '" + name + "' (" + op + ", opset " + std::to_string(opset) + ")";
  }
};

struct ModelInput {
  std::string name;
  ElementType type = ElementType::Float;
  std::vector<std::optional<std::size_t>> shape; ///< nothing: any size
};

/// The nodes of a model, or of one branch or body of a node.
struct Graph {
  std::vector<Node> nodes; ///< each after the nodes that compute its inputs
  std::map<std::string, std::shared_ptr<const HostTensor>> initializers;
  std::vector<ModelInput> inputs; ///< without initializers; only names in a node's graph
  std::vector<std::string> outputs;
};

/// The contents of an ONNX file.
struct Model : Graph {
  std::string digest; ///< SHA-256 of the file, and of the files with its tensors
};

/// Reads an ONNX file.
/// \throws ModelError  if the file cannot be read or is no ONNX model; it names the first error
Model readModel(const std::string &path);
/// Reads a model from the contents of its file, which must include all of its tensors.
/// \param name  for messages
Model parseModel(std::string_view bytes, const std::string &name);
/// Reads a file with a single tensor, as in the data of ONNX's node tests.
HostTensor readTensor(const std::string &path);

} // namespace copse::onnx
