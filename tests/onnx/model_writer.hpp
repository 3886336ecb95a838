#pragma once

#include "model.hpp"

#include <memory>

namespace copse::test {

/// Writes an .onnx file through ONNX's own messages.
class ModelWriter {
public:
  explicit ModelWriter(std::int64_t opset = 13);
  ModelWriter(ModelWriter &&) noexcept;
  ~ModelWriter();

  /// \param shape  -1: any size
  ModelWriter &input(const std::string &name, const std::vector<std::int64_t> &shape,
                     onnx::ElementType type = onnx::ElementType::Float);
  ModelWriter &output(const std::string &name);
  ModelWriter &constant(const std::string &name, const onnx::HostTensor &tensor);
  /// Adds a node with the name the_OP; further nodes of the operator are the_OP_2, ..., because
  /// ONNX Runtime requires different names.
  ModelWriter &node(const std::string &op, const std::vector<std::string> &inputs,
                    const std::vector<std::string> &outputs,
                    const std::map<std::string, onnx::Attribute> &attributes = {});
  /// Adds a constant whose elements are in the file \p location, from \p offset on [bytes].
  ModelWriter &externalConstant(const std::string &name, const onnx::HostTensor &tensor,
                                const std::string &location, std::size_t offset);
  ModelWriter &node(const onnx::Node &node);
  /// Adds a function of the model itself, in the domain "own".
  ModelWriter &function(const std::string &name, const std::vector<std::string> &inputs,
                        const std::vector<std::string> &outputs,
                        const std::vector<std::string> &attributes,
                        const std::vector<onnx::Node> &nodes);
  void write(const std::string &path) const;

private:
  struct Message;
  std::unique_ptr<Message> message_;
};

onnx::HostTensor floats(onnx::Shape shape, std::vector<float> values);
onnx::Node nodeOf(const std::string &op, const std::vector<std::string> &inputs,
                  const std::vector<std::string> &outputs,
                  const std::map<std::string, onnx::Attribute> &attributes = {});
/// Returns the value of an attribute of a function's node: the attribute \p name of the call.
onnx::Attribute attributeOfCall(const std::string &name);
/// Returns a branch or a body, as the value of an attribute.
onnx::Attribute innerGraph(const std::vector<std::string> &inputs,
                           const std::vector<std::string> &outputs,
                           const std::vector<onnx::Node> &nodes,
                           const std::map<std::string, onnx::HostTensor> &constants = {});

} // namespace copse::test
