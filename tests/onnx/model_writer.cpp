#include "model_writer.hpp"

#include <fstream>
#include <onnx/onnx_pb.h>

namespace copse::test {

struct ModelWriter::Message {
  ::onnx::ModelProto model;
  ::onnx::GraphProto &graph() { return *model.mutable_graph(); }
  std::map<std::string, int> nodes; ///< of each operator
};

ModelWriter::ModelWriter(std::int64_t opset) : message_(std::make_unique<Message>()) {
  message_->model.set_ir_version(7);
  message_->model.add_opset_import()->set_version(opset);
}
ModelWriter::~ModelWriter() = default;

ModelWriter &ModelWriter::input(const std::string &name, const std::vector<std::int64_t> &shape,
                                onnx::ElementType type) {
  ::onnx::ValueInfoProto &info = *message_->graph().add_input();
  info.set_name(name);
  auto &tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(static_cast<int>(type));
  for (const std::int64_t size : shape) {
    auto &dimension = *tensor.mutable_shape()->add_dim();
    if (size >= 0)
      dimension.set_dim_value(size);
    else
      dimension.set_dim_param("any");
  }
  return *this;
}

ModelWriter &ModelWriter::output(const std::string &name) {
  message_->graph().add_output()->set_name(name);
  return *this;
}

ModelWriter &ModelWriter::constant(const std::string &name, const onnx::HostTensor &tensor) {
  ::onnx::TensorProto &proto = *message_->graph().add_initializer();
  proto.set_name(name);
  proto.set_data_type(static_cast<int>(tensor.type));
  for (const std::size_t size : tensor.shape)
    proto.add_dims(static_cast<std::int64_t>(size));
  const std::vector<char> bytes = encodeElements(tensor);
  proto.set_raw_data(bytes.data(), bytes.size());
  return *this;
}

ModelWriter &ModelWriter::node(const std::string &op, const std::vector<std::string> &inputs,
                               const std::vector<std::string> &outputs,
                               const std::map<std::string, onnx::Attribute> &attributes) {
  ::onnx::NodeProto &node = *message_->graph().add_node();
  node.set_op_type(op);
  const int number = ++message_->nodes[op];
  node.set_name("the_" + op + (number > 1 ? "_" + std::to_string(number) : ""));
  for (const std::string &name : inputs)
    node.add_input(name);
  for (const std::string &name : outputs)
    node.add_output(name);
  for (const auto &[name, value] : attributes) {
    ::onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    if (const auto *i = std::get_if<std::int64_t>(&value)) {
      attribute.set_type(::onnx::AttributeProto::INT);
      attribute.set_i(*i);
    } else if (const auto *f = std::get_if<float>(&value)) {
      attribute.set_type(::onnx::AttributeProto::FLOAT);
      attribute.set_f(*f);
    } else if (const auto *text = std::get_if<std::string>(&value)) {
      attribute.set_type(::onnx::AttributeProto::STRING);
      attribute.set_s(*text);
    } else if (const auto *list = std::get_if<std::vector<std::int64_t>>(&value)) {
      attribute.set_type(::onnx::AttributeProto::INTS);
      for (const std::int64_t entry : *list)
        attribute.add_ints(entry);
    }
  }
  return *this;
}

void ModelWriter::write(const std::string &path) const {
  std::ofstream file(path, std::ios::binary);
  message_->model.SerializeToOstream(&file);
}

onnx::HostTensor floats(onnx::Shape shape, std::vector<float> values) {
  return {onnx::ElementType::Float, std::move(shape), std::move(values), {}};
}

} // namespace copse::test
