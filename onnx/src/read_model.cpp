// Like functions.cpp and schemas.cpp, this source includes headers that take seconds to compile.
#include "errors.hpp"
#include "external_data.hpp"
#include "functions.hpp"
#include "model.hpp"

#include "disk_cache/digest.hpp"
#include "wire/readable_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <onnx/onnx_pb.h>
#include <set>

namespace copse::onnx {
namespace {

std::string contentsOf(const std::string &path) {
  if (const std::string why = wire::whyUnreadable(path); !why.empty())
    throw ModelError(path + ": cannot be opened: " + why);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Message>
Message parsed(std::string_view bytes, const std::string &name, const char *kind) {
  Message message;
  if (bytes.size() > std::numeric_limits<int>::max() ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw ModelError(name + ": is no " + kind);
  return message;
}

ElementType elementType(int number, const std::string &what) {
  const auto type = static_cast<ElementType>(number);
  try {
    widthOf(type);
  } catch (const ModelError &error) {
    throw ModelError(what + ": " + error.what());
  }
  return type;
}

/// Reads the fields that hold elements of each type in a file without raw data. Source: onnx.proto.
HostTensor typedElements(const ::onnx::TensorProto &proto, HostTensor tensor) {
  const auto fill = [&](auto &to, const auto &from) {
    to.assign(from.begin(), from.end());
    if (to.size() != tensor.elements())
      throw ModelError("tensor '" + proto.name() + "' has " + std::to_string(to.size()) +
                       " elements for shape " + textOf(tensor.shape));
  };
  switch (tensor.type) {
  case ElementType::Float:
    fill(tensor.reals, proto.float_data());
    break;
  case ElementType::Double:
    fill(tensor.reals, proto.double_data());
    break;
  case ElementType::Int64:
    fill(tensor.integers, proto.int64_data());
    break;
  case ElementType::UInt32:
  case ElementType::UInt64:
    fill(tensor.integers, proto.uint64_data());
    break;
  case ElementType::Half: {
    std::vector<char> bytes;
    for (const int bits : proto.int32_data()) {
      bytes.push_back(static_cast<char>(bits & 0xFF));
      bytes.push_back(static_cast<char>((bits >> 8) & 0xFF));
    }
    if (bytes.size() != 2 * tensor.elements())
      throw ModelError("tensor '" + proto.name() + "' has not as many elements as its shape");
    decodeElements(bytes.data(), tensor);
    break;
  }
  default:
    fill(tensor.integers, proto.int32_data());
  }
  return tensor;
}

HostTensor tensorOf(const ::onnx::TensorProto &proto) {
  HostTensor tensor;
  tensor.type = elementType(proto.data_type(), "tensor '" + proto.name() + "'");
  for (const std::int64_t size : proto.dims()) {
    if (size < 0)
      throw ModelError("tensor '" + proto.name() + "' has a negative size");
    tensor.shape.push_back(static_cast<std::size_t>(size));
  }
  if (proto.data_location() == ::onnx::TensorProto::EXTERNAL)
    throw ModelError("tensor '" + proto.name() +
                     "' lies in a file of its own, which is read only for models that are files");
  if (!proto.has_raw_data())
    return typedElements(proto, std::move(tensor));
  const std::size_t width = widthOf(tensor.type);
  if (proto.raw_data().size() % width != 0 ||
      proto.raw_data().size() / width != elementsOf(tensor.shape))
    throw ModelError("tensor '" + proto.name() + "' has " +
                     std::to_string(proto.raw_data().size()) + " bytes for shape " +
                     textOf(tensor.shape));
  decodeElements(proto.raw_data().data(), tensor);
  return tensor;
}

/// The opsets of the domains that a model imports.
class Opsets {
public:
  explicit Opsets(const ::onnx::ModelProto &proto) {
    for (const auto &set : proto.opset_import())
      versions_[set.domain() == "ai.onnx" ? "" : set.domain()] = set.version();
  }
  /// \returns 1 for a domain that the model does not import
  std::int64_t of(const std::string &domain) const {
    const auto found = versions_.find(domain == "ai.onnx" ? "" : domain);
    return found == versions_.end() ? 1 : found->second;
  }

private:
  std::map<std::string, std::int64_t> versions_;
};

std::shared_ptr<const Graph> innerGraphOf(const ::onnx::GraphProto &proto, const Opsets &opsets);

Attribute attributeOf(const ::onnx::AttributeProto &proto, const Opsets &opsets) {
  switch (proto.type()) {
  case ::onnx::AttributeProto::INT:
    return proto.i();
  case ::onnx::AttributeProto::FLOAT:
    return proto.f();
  case ::onnx::AttributeProto::STRING:
    return proto.s();
  case ::onnx::AttributeProto::INTS:
    return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
  case ::onnx::AttributeProto::FLOATS:
    return std::vector<float>(proto.floats().begin(), proto.floats().end());
  case ::onnx::AttributeProto::STRINGS:
    return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
  case ::onnx::AttributeProto::TENSOR:
    return tensorOf(proto.t());
  case ::onnx::AttributeProto::GRAPH:
    return innerGraphOf(proto.g(), opsets);
  default:
    return UnreadableAttribute{};
  }
}

/// Returns the values that a graph uses and does not compute.
std::vector<std::string> capturedBy(const Graph &graph) {
  std::set<std::string> made, captured;
  for (const auto &[name, tensor] : graph.initializers)
    made.insert(name);
  for (const ModelInput &input : graph.inputs)
    made.insert(input.name);
  const auto use = [&](const std::string &name) {
    if (!name.empty() && made.count(name) == 0)
      captured.insert(name);
  };
  for (const Node &node : graph.nodes) {
    std::for_each(node.inputs.begin(), node.inputs.end(), use);
    std::for_each(node.captured.begin(), node.captured.end(), use);
    made.insert(node.outputs.begin(), node.outputs.end());
  }
  std::for_each(graph.outputs.begin(), graph.outputs.end(), use);
  return {captured.begin(), captured.end()};
}

Node nodeOf(const ::onnx::NodeProto &proto, const Opsets &opsets) {
  Node node;
  node.op = proto.op_type();
  node.domain = proto.domain();
  node.opset = opsets.of(node.domain);
  node.name = proto.name();
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  if (node.name.empty() && !node.outputs.empty())
    node.name = node.outputs.front();
  for (const auto &attribute : proto.attribute()) {
    if (!attribute.ref_attr_name().empty())
      throw ModelError(node.describe() + ": attribute '" + attribute.name() +
                       "' refers to an attribute of a function, and the node is in none");
    const auto &value =
        node.attributes.emplace(attribute.name(), attributeOf(attribute, opsets)).first->second;
    if (const auto *graph = std::get_if<std::shared_ptr<const Graph>>(&value))
      for (const std::string &name : capturedBy(**graph))
        node.captured.push_back(name);
  }
  return node;
}

ModelInput inputOf(const ::onnx::ValueInfoProto &proto) {
  if (!proto.type().has_tensor_type())
    throw ModelError("input '" + proto.name() + "' is no tensor");
  const auto &type = proto.type().tensor_type();
  ModelInput input{proto.name(), elementType(type.elem_type(), "input '" + proto.name() + "'"), {}};
  for (const auto &size : type.shape().dim())
    input.shape.push_back(size.has_dim_value() && size.dim_value() >= 0
                              ? std::optional(static_cast<std::size_t>(size.dim_value()))
                              : std::nullopt);
  return input;
}

/// Reads a graph except its inputs.
Graph graphOf(const ::onnx::GraphProto &proto, const Opsets &opsets) {
  Graph graph;
  if (proto.sparse_initializer_size() > 0)
    throw ModelError("tensor '" + proto.sparse_initializer(0).values().name() +
                     "' is sparse, which is not supported; save the model with dense tensors");
  for (const auto &tensor : proto.initializer())
    graph.initializers.emplace(tensor.name(), std::make_shared<HostTensor>(tensorOf(tensor)));
  for (const auto &output : proto.output())
    graph.outputs.push_back(output.name());
  for (const auto &node : proto.node())
    graph.nodes.push_back(nodeOf(node, opsets));
  return graph;
}

std::shared_ptr<const Graph> innerGraphOf(const ::onnx::GraphProto &proto, const Opsets &opsets) {
  Graph graph = graphOf(proto, opsets);
  for (const auto &input : proto.input())
    graph.inputs.push_back({input.name(), ElementType::Float, {}});
  return std::make_shared<Graph>(std::move(graph));
}

::onnx::ModelProto modelProto(std::string_view bytes, const std::string &name) {
  auto proto = parsed<::onnx::ModelProto>(bytes, name, "ONNX model");
  if (!proto.has_graph())
    throw ModelError(name + ": is no ONNX model: it has no graph");
  inlineFunctions(proto);
  return proto;
}

Model modelOf(const ::onnx::ModelProto &proto, std::string digest) {
  Model model;
  static_cast<Graph &>(model) = graphOf(proto.graph(), Opsets(proto));
  model.digest = std::move(digest);
  for (const auto &input : proto.graph().input())
    if (model.initializers.count(input.name()) == 0)
      model.inputs.push_back(inputOf(input));
  return model;
}

} // namespace

Model readModel(const std::string &path) {
  const std::string bytes = contentsOf(path);
  auto proto = modelProto(bytes, path);
  const std::string external = readExternalData(proto, path);
  const std::string digest = disk_cache::sha256(bytes);
  return modelOf(proto, external.empty() ? digest : disk_cache::sha256({digest, external}));
}

Model parseModel(std::string_view bytes, const std::string &name) {
  return modelOf(modelProto(bytes, name), disk_cache::sha256(bytes));
}

HostTensor readTensor(const std::string &path) {
  return tensorOf(parsed<::onnx::TensorProto>(contentsOf(path), path, "ONNX tensor"));
}

} // namespace copse::onnx
