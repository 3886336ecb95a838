#include "connect.hpp"
#include "graph_impl.hpp"
#include "runtime_vertices.hpp"
#include "vertex_names.hpp"

#include "poplar/Graph.hpp"

#include <algorithm>
#include <limits>

namespace poplar {

using copse::graph::Access;
using copse::graph::Connector;
using copse::graph::fieldTarget;
using copse::graph::Model;
using copse::graph::normalisedVertexName;
using copse::popc::Field;
using copse::popc::FieldKind;
using copse::popc::Layout;
using copse::popc::VertexType;

Graph::ConnectionDesc::ConnectionDesc(StringRef field, const Tensor &tensor)
    : field_(field), kind_(Kind::Tensor), tensors_{tensor} {}

Graph::ConnectionDesc::ConnectionDesc(StringRef field, ArrayRef<Tensor> tensors)
    : field_(field), kind_(Kind::List), tensors_(tensors.begin(), tensors.end()) {}

Graph::ConnectionDesc::ConnectionDesc(StringRef field, const std::vector<Tensor> &tensors)
    : field_(field), kind_(Kind::List), tensors_(tensors) {}

Graph::ConnectionDesc::ConnectionDesc(StringRef field, std::initializer_list<Tensor> tensors)
    : field_(field), kind_(Kind::List), tensors_(tensors) {}

ComputeSet Graph::addComputeSet(const DebugContext &debugContext) {
  Model &model = impl().model();
  model.computeSets.push_back({debugContext.getPathName()});
  return ComputeSet(static_cast<unsigned>(model.computeSets.size() - 1));
}

bool Graph::hasCodelet(StringRef vertexType) const {
  return impl().model().vertexTypeByName.count(normalisedVertexName(vertexType)) != 0;
}

VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType) {
  Model &model = impl().model();
  if (cs.getId() >= model.computeSets.size()) {
    throw poplar_error("addVertex of type '" + std::string(vertexType) +
                       "': the compute set is not one of this graph");
  }
  copse::graph::addRuntimeVertices(*this, vertexType);
  copse::graph::Vertex vertex;
  vertex.type = copse::graph::vertexTypeIndex(model, vertexType);
  vertex.computeSet = cs.getId();
  vertex.replication = impl().replication;
  model.vertices.push_back(vertex);
  return Access::vertex(static_cast<std::uint32_t>(model.vertices.size() - 1));
}

VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType,
                           ArrayRef<ConnectionDesc> connections) {
  const VertexRef v = addVertex(cs, vertexType);
  for (const ConnectionDesc &connection : connections) {
    const FieldRef field = v[connection.field_];
    switch (connection.kind_) {
    case ConnectionDesc::Kind::Tensor:
      connect(field, connection.tensors_.front());
      break;
    case ConnectionDesc::Kind::List:
      connect(field, connection.tensors_);
      break;
    case ConnectionDesc::Kind::Value:
      setFieldValues(field, HostValues{connection.value_.data(), 1, connection.traits_}, true);
      break;
    }
  }
  return v;
}

void Graph::connect(FieldRef field, const Tensor &tensor) {
  Connector(*impl().state, fieldTarget(impl().model(), field)).connect(tensor);
}

void Graph::connect(FieldRef field, ArrayRef<Tensor> tensors) {
  Connector(*impl().state, fieldTarget(impl().model(), field)).connect(tensors);
}

void Graph::connect(FieldRef field, const std::vector<Tensor> &tensors) {
  connect(std::move(field), ArrayRef<Tensor>(tensors));
}

void Graph::connect(FieldRef field, std::initializer_list<Tensor> tensors) {
  connect(std::move(field), ArrayRef<Tensor>(tensors.begin(), tensors.size()));
}

void Graph::setFieldSize(FieldRef field, std::size_t n) {
  Connector(*impl().state, fieldTarget(impl().model(), field)).setSize(n);
}

void Graph::setFieldValues(const FieldRef &field, const HostValues &values, bool scalar) {
  Connector(*impl().state, fieldTarget(impl().model(), field)).setValues(values, scalar);
}

void Graph::setPerfEstimate(VertexRef v, std::uint64_t cycles, std::uint64_t flops) {
  Model &model = impl().model();
  if (v.getId() >= model.vertices.size()) {
    throw poplar_error("setPerfEstimate: the graph has no such vertex");
  }
  model.vertices[v.getId()].cycles = cycles;
  auto &known = impl().state->flops;
  if (known.size() <= v.getId()) {
    known.resize(model.vertices.size());
  }
  known[v.getId()] = flops;
}

void Graph::registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator) {
  impl().state->estimators[normalisedVertexName(vertexType)] = std::move(estimator);
}

void Graph::registerCycleEstimator(StringRef vertexType, CycleEstimateFunc estimator) {
  registerPerfEstimator(vertexType, [estimator = std::move(estimator)](
                                        const VertexIntrospector &vertex, const Target &target) {
    return VertexPerfEstimate(estimator(vertex, target));
  });
}

std::size_t Graph::getMaxVertexFieldValue(StringRef vertexType, StringRef fieldName) const {
  using copse::popc::ElementType;
  const Field &field = copse::graph::fieldOf(impl().model(), vertexType, fieldName);
  std::uint64_t largest = ~std::uint64_t{0} >> (64 - 8 * std::min(field.elementBytes, 8u));
  switch (field.type) {
  case ElementType::Bool:
    return 1;
  case ElementType::SignedChar:
  case ElementType::Char:
  case ElementType::Short:
  case ElementType::Int:
  case ElementType::Long:
  case ElementType::LongLong:
    return largest >> 1;
  case ElementType::Half:
  case ElementType::Float:
  case ElementType::Quarter:
  case ElementType::QuarterMetadata:
  case ElementType::Other:
    throw poplar_error("getMaxVertexFieldValue: field '" + std::string(fieldName) +
                       "' of vertex type '" + std::string(vertexType) + "' is no integer");
  default:
    return largest;
  }
}

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

std::size_t ofBits(unsigned bits) { return (std::size_t{1} << bits) - 1; }

unsigned log2Of(std::uint32_t alignment) {
  unsigned bits = 0;
  while ((std::uint32_t{2} << bits) <= alignment) {
    ++bits;
  }
  return bits;
}

/// Returns the largest number of entries. Source: guide, 4.2.
std::size_t maxSize(Layout layout, const Field &field, bool inner) {
  switch (layout) {
  case Layout::Span:
    return ofBits(32);
  case Layout::ShortSpan:
    return ofBits(12);
  case Layout::DeltaN:
    return ofBits(inner ? 14 : 12);
  case Layout::DeltaNElements:
    return ofBits(inner ? 11 + log2Of(field.minAlign) : 16);
  default:
    return kUnlimited;
  }
}

} // namespace

std::size_t Graph::getMaxFieldDim(StringRef vertexType, StringRef fieldName,
                                  unsigned dimIndex) const {
  const Field &field = copse::graph::fieldOf(impl().model(), vertexType, fieldName);
  const bool twoDimensional =
      field.kind == FieldKind::VectorOfVectors || field.kind == FieldKind::VectorList;
  if (field.kind == FieldKind::Scalar || dimIndex > (twoDimensional ? 1u : 0u)) {
    throw index_error("getMaxFieldDim: field '" + std::string(fieldName) + "' of vertex type '" +
                      std::string(vertexType) + "' has no dimension " + std::to_string(dimIndex));
  }
  const bool list = field.kind == FieldKind::VectorList;
  return dimIndex == 0 || list ? maxSize(field.outer, field, dimIndex == 1)
                               : maxSize(field.inner, field, true);
}

} // namespace poplar
