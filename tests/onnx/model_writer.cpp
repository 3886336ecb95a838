#include "model_writer.hpp"

#include <fstream>
#include <onnx/onnx_pb.h>

namespace copse::test {

struct ModelWriter::Message {
  ::onnx::ModelProto model;
  ::onnx::GraphProto &graph() { return *model.mutable_graph(); }
  std::map<std::string, int> nodes; ///< number of nodes of each operator
};

ModelWriter::ModelWriter(std::int64_t opset) : message_(std::make_unique<Message>()) {
  message_->model.set_ir_version(7);
  message_->model.add_opset_import()->set_version(opset);
}
ModelWriter::ModelWriter(ModelWriter &&) noexcept = default;
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

namespace {

void addConstant(::onnx::GraphProto &graph, const std::string &name,
                 const onnx::HostTensor &tensor) {
  ::onnx::TensorProto &proto = *graph.add_initializer();
  proto.set_name(name);
  proto.set_data_type(static_cast<int>(tensor.type));
  for (const std::size_t size : tensor.shape)
    proto.add_dims(static_cast<std::int64_t>(size));
  const std::vector<char> bytes = encodeElements(tensor);
  proto.set_raw_data(bytes.data(), bytes.size());
}

void fill(::onnx::NodeProto &proto, const onnx::Node &node);

void fill(::onnx::GraphProto &proto, const onnx::Graph &graph) {
  proto.set_name("inner");
  for (const auto &[name, tensor] : graph.initializers)
    addConstant(proto, name, *tensor);
  for (const onnx::ModelInput &input : graph.inputs)
    proto.add_input()->set_name(input.name);
  for (const std::string &output : graph.outputs)
    proto.add_output()->set_name(output);
  for (const onnx::Node &node : graph.nodes)
    fill(*proto.add_node(), node);
}

constexpr char kOfCall[] = "the call's ";

void setValue(::onnx::AttributeProto &attribute, const onnx::Attribute &value) {
  if (const auto *name = std::get_if<std::string>(&value); name && name->find(kOfCall) == 0) {
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_ref_attr_name(name->substr(sizeof kOfCall - 1));
  } else if (const auto *i = std::get_if<std::int64_t>(&value)) {
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
  } else if (const auto *texts = std::get_if<std::vector<std::string>>(&value)) {
    attribute.set_type(::onnx::AttributeProto::STRINGS);
    for (const std::string &entry : *texts)
      attribute.add_strings(entry);
  } else if (const auto *graph = std::get_if<std::shared_ptr<const onnx::Graph>>(&value)) {
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    fill(*attribute.mutable_g(), **graph);
  }
}

void fill(::onnx::NodeProto &proto, const onnx::Node &node) {
  proto.set_domain(node.domain);
  proto.set_op_type(node.op);
  proto.set_name(node.name);
  for (const std::string &name : node.inputs)
    proto.add_input(name);
  for (const std::string &name : node.outputs)
    proto.add_output(name);
  for (const auto &[name, value] : node.attributes) {
    ::onnx::AttributeProto &attribute = *proto.add_attribute();
    attribute.set_name(name);
    setValue(attribute, value);
  }
}

} // namespace

ModelWriter &ModelWriter::constant(const std::string &name, const onnx::HostTensor &tensor) {
  addConstant(message_->graph(), name, tensor);
  return *this;
}

ModelWriter &ModelWriter::node(const std::string &op, const std::vector<std::string> &inputs,
                               const std::vector<std::string> &outputs,
                               const std::map<std::string, onnx::Attribute> &attributes) {
  onnx::Node node = nodeOf(op, inputs, outputs, attributes);
  const int number = ++message_->nodes[op];
  node.name += number > 1 ? "_" + std::to_string(number) : "";
  return this->node(node);
}

ModelWriter &ModelWriter::externalConstant(const std::string &name, const onnx::HostTensor &tensor,
                                           const std::string &location, std::size_t offset) {
  addConstant(message_->graph(), name, tensor);
  ::onnx::TensorProto &proto =
      *message_->graph().mutable_initializer(message_->graph().initializer_size() - 1);
  const auto add = [&](const char *key, const std::string &value) {
    auto &entry = *proto.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  add("location", location);
  add("offset", std::to_string(offset));
  add("length", std::to_string(proto.raw_data().size()));
  proto.clear_raw_data();
  proto.set_data_location(::onnx::TensorProto::EXTERNAL);
  return *this;
}

ModelWriter &ModelWriter::node(const onnx::Node &node) {
  fill(*message_->graph().add_node(), node);
  return *this;
}

ModelWriter &ModelWriter::function(const std::string &name, const std::vector<std::string> &inputs,
                                   const std::vector<std::string> &outputs,
                                   const std::vector<std::string> &attributes,
                                   const std::vector<onnx::Node> &nodes) {
  ::onnx::FunctionProto &proto = *message_->model.add_functions();
  proto.set_name(name);
  proto.set_domain("own");
  for (const std::string &input : inputs)
    proto.add_input(input);
  for (const std::string &output : outputs)
    proto.add_output(output);
  for (const std::string &attribute : attributes)
    proto.add_attribute(attribute);
  for (const onnx::Node &node : nodes)
    fill(*proto.add_node(), node);
  return *this;
}

void ModelWriter::write(const std::string &path) const {
  std::ofstream file(path, std::ios::binary);
  message_->model.SerializeToOstream(&file);
}

onnx::Node nodeOf(const std::string &op, const std::vector<std::string> &inputs,
                  const std::vector<std::string> &outputs,
                  const std::map<std::string, onnx::Attribute> &attributes) {
  onnx::Node node;
  node.op = op;
  node.name = "the_" + op;
  node.inputs = inputs;
  node.outputs = outputs;
  node.attributes = attributes;
  return node;
}

onnx::Attribute attributeOfCall(const std::string &name) { return kOfCall + name; }

onnx::Attribute innerGraph(const std::vector<std::string> &inputs,
                           const std::vector<std::string> &outputs,
                           const std::vector<onnx::Node> &nodes,
                           const std::map<std::string, onnx::HostTensor> &constants) {
  onnx::Graph graph;
  for (const std::string &name : inputs)
    graph.inputs.push_back({name, onnx::ElementType::Float, {}});
  graph.outputs = outputs;
  graph.nodes = nodes;
  for (const auto &[name, tensor] : constants)
    graph.initializers[name] = std::make_shared<onnx::HostTensor>(tensor);
  return std::make_shared<const onnx::Graph>(std::move(graph));
}

onnx::HostTensor floats(onnx::Shape shape, std::vector<float> values) {
  return {onnx::ElementType::Float, std::move(shape), std::move(values), {}};
}

} // namespace copse::test
