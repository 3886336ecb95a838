#pragma once

#include "model.hpp"

namespace copse::onnx {

/// The types of a node's inputs; nothing for an omitted input.
using InputTypes = std::vector<std::optional<ElementType>>;

/// Compares a node with the schema that ONNX's own library has for its operator and opset: the
/// number of inputs, their types, and the attributes. A node whose opset is newer than the library
/// passes.
/// \throws ModelError  which names the node and the error
void checkSchema(const Node &node, const InputTypes &types);

/// Returns true if an attribute of \p node has the default value of its schema.
bool hasDefaultValue(const Node &node, const std::string &attribute);

/// Returns true if the schema of the node's operator and opset has this attribute.
bool hasInSchema(const Node &node, const std::string &attribute);

} // namespace copse::onnx
