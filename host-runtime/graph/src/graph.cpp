#include "poplar/Graph.hpp"

#include "graph_impl.hpp"
#include "host_encoding.hpp"
#include "initial_values.hpp"
#include "quarters.hpp"
#include "tensor_checks.hpp"

#include "graph/replicas.hpp"
#include "graph/types.hpp"

#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

namespace poplar {

using copse::graph::Access;
using copse::graph::GraphState;
using copse::graph::Model;
using copse::graph::TensorState;
using copse::graph::Variable;
using copse::graph::View;

namespace {

copse::popc::Architecture archOf(const Target &target) {
  using copse::popc::Architecture;
  if (target.getTargetType() == TargetType::CPU) {
    return Architecture::Cpu;
  }
  const std::string name = target.getTargetArchString();
  return name == "ipu1"    ? Architecture::Ipu1
         : name == "ipu21" ? Architecture::Ipu21
                           : Architecture::Ipu2;
}

Target targetOfReplica(const Target &target, unsigned replicas) {
  if (replicas == 1) {
    return target;
  }
  if (replicas == 0 || target.getNumIPUs() % replicas != 0) {
    throw graph_replication_error("a target of " + std::to_string(target.getNumIPUs()) +
                                  " IPUs cannot be split into " + std::to_string(replicas) +
                                  " equal replicas");
  }
  return target.createVirtualTarget(target.getNumIPUs() / replicas, target.getTilesPerIPU());
}

/// Returns the number of elements of \p shape.
/// \throws poplar::tensor_creation_error if it does not fit into 64 bits
std::size_t productOf(ArrayRef<std::size_t> shape) {
  std::size_t elements = 1;
  bool overflow = false, empty = false;
  for (const std::size_t size : shape) {
    empty = empty || size == 0;
    overflow = __builtin_mul_overflow(elements, size, &elements) || overflow;
  }
  if (overflow && !empty)
    throw tensor_creation_error("shape " + copse::graph::shapeText({shape.begin(), shape.size()}) +
                                " has more elements than 64 bits can count");
  return empty ? 0 : elements;
}

Variable variableOf(const Type &type, ArrayRef<std::size_t> shape,
                    const DebugContext &debugContext) {
  Variable variable;
  variable.name = debugContext.getPathName();
  variable.type = copse::graph::elementTypeOf(type);
  variable.shape = shape.cloneAsVector();
  variable.elements = productOf(shape);
  variable.tiles = copse::graph::TileMap(variable.elements);
  return variable;
}

/// Returns a tensor of the whole variable.
Tensor wholeOf(const std::shared_ptr<GraphState> &state, copse::graph::VariableId id) {
  const Variable &variable = state->model.variables[id];
  return Access::tensor(state, {variable.type, View::ofVariable(id, variable.shape)});
}

} // namespace

Graph::Graph() = default;
Graph::Graph(Graph &&other) noexcept = default;
Graph &Graph::operator=(Graph &&other) noexcept = default;
Graph::~Graph() = default;
Graph::Graph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Graph::Graph(const Target &target, replication_factor r) : impl_(std::make_unique<Impl>()) {
  impl_->target = targetOfReplica(target, r.val);
  impl_->state = std::make_shared<GraphState>();
  impl_->state->target = impl_->target;
  impl_->tiles = copse::graph::TileSpace(impl_->target.getNumTiles());
  Model &model = impl_->model();
  model.arch = archOf(target);
  model.ipus = impl_->target.getNumIPUs();
  model.tilesPerIpu = impl_->target.getTilesPerIPU();
  model.replicas = r.val;
  model.halfBytes = target.getTypeSize(HALF);
}

const Graph::Impl &Graph::impl() const {
  if (!impl_) {
    throw poplar_error("the Graph is empty: it was default-constructed or moved from");
  }
  return *impl_;
}

Graph::Impl &Graph::impl() {
  static_cast<void>(std::as_const(*this).impl());
  return *impl_;
}

const Target &Graph::getTarget() const { return impl().target; }

std::size_t Graph::elementsOf(ArrayRef<std::size_t> shape) { return productOf(shape); }

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape,
                          const DebugContext &debugContext) {
  const auto id = copse::graph::addVariable(impl().model(), variableOf(type, shape, debugContext),
                                            impl().replication);
  return wholeOf(impl().state, id);
}

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape,
                          VariableMappingMethod method, const DebugContext &debugContext) {
  const Tensor t = addVariable(type, shape, debugContext);
  if (method == VariableMappingMethod::NONE) {
    return t;
  }
  const Tensor flat = t.flatten();
  const std::size_t tiles = impl().tiles.tiles(), elements = t.numElements();
  // Tile i begins at element i * elements / tiles, rounded up, so the first tiles get the surplus
  // elements.
  std::size_t begin = 0;
  for (std::size_t tile = 0; tile < tiles && begin < elements; ++tile) {
    const std::size_t end = begin + elements / tiles + (tile < elements % tiles ? 1 : 0);
    setTileMapping(flat.slice(begin, end), static_cast<unsigned>(tile));
    begin = end;
  }
  return t;
}

Tensor Graph::addConstantValues(const Type &type, ArrayRef<std::size_t> shape,
                                const HostValues &values, bool fill,
                                const DebugContext &debugContext) {
  const auto elementType = copse::graph::elementTypeOf(type);
  auto bytes =
      copse::graph::encodeAll(values, elementType, elementBytes(impl().model(), elementType));
  return impl().addConstant(type, shape, std::move(bytes), values.count, fill, debugContext);
}

Tensor Graph::Impl::addConstant(const Type &type, ArrayRef<std::size_t> shape,
                                std::vector<std::byte> bytes, std::size_t values, bool fill,
                                const DebugContext &debugContext) {
  const std::size_t elements = elementsOf(shape);
  if (!fill && values != elements) {
    throw poplar_error("addConstant '" + debugContext.getPathName() +
                       "': " + std::to_string(values) + " values for " + std::to_string(elements) +
                       " elements of shape " +
                       copse::graph::shapeText({shape.begin(), shape.size()}));
  }
  Variable variable = variableOf(type, shape, debugContext);
  variable.constant = true;
  const auto id = copse::graph::addVariable(model(), std::move(variable), replication);
  if (elements > 0) {
    copse::graph::addInitialValue(model(), id, {0, elements, 1, std::move(bytes)});
  }
  return wholeOf(state, id);
}

Tensor Graph::addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values,
                          const TypeTraits &traits, bool broadcast,
                          const DebugContext &debugContext) {
  const HostValues host{values, broadcast ? 1 : elementsOf(shape), traits};
  return addConstantValues(type, shape, host, broadcast, debugContext);
}

namespace {

/// Returns half patterns as host values of kind Half.
HostValues halves(const std::uint16_t *bits, std::size_t n) {
  HostValues values{bits, n, TypeTraits::make<std::uint16_t>()};
  values.traits.kind = TypeTraits::Kind::Half;
  return values;
}

} // namespace

Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t bits,
                              const DebugContext &debugContext) {
  return addConstantValues(type, shape, halves(&bits, 1), true, debugContext);
}

Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape,
                              const std::uint16_t *bits, const DebugContext &debugContext) {
  return addConstantValues(type, shape, halves(bits, elementsOf(shape)), false, debugContext);
}

bool Graph::isConstant(VariableRef v) const {
  const Model &model = impl().model();
  if (v.id >= model.variables.size()) {
    throw poplar_error("isConstant: the graph has no variable " + std::to_string(v.id));
  }
  return model.variables[v.id].constant;
}

Tensor Graph::getVariable(VariableRef v) const {
  const Model &model = impl().model();
  if (v.id >= model.variables.size()) {
    throw poplar_error("getVariable: the graph has no variable " + std::to_string(v.id));
  }
  return wholeOf(impl().state, v.id);
}

Tensor Graph::addReplicationIndexConstant(const DebugContext &debugContext) {
  const unsigned first = 0;
  const Tensor t =
      addConstantValues(UNSIGNED_INT, {}, HostValues::of(&first, 1), true, debugContext);
  Variable &variable = impl().model().variables.back();
  variable.replicaIndex = true;
  // If it is replicated, the instances have the numbers.
  if (variable.replication != copse::graph::kNotReplicated) {
    std::uint32_t replica = 0;
    for (auto &instance : impl().model().variables[variable.instances].initial) {
      std::memcpy(instance.bytes.data(), &replica, sizeof replica);
      ++replica;
    }
  }
  return t;
}

void Graph::setTensorValues(const Tensor &t, const HostValues &values, bool fill) {
  const TensorState &state = Access::state(t, "setInitialValue");
  if (!fill && values.count != t.numElements()) {
    throw poplar_error("setInitialValue: " + std::to_string(values.count) +
                       " values for a tensor of shape " + t.shapeToString());
  }
  if (t.containsConstant()) {
    throw poplar_error("setInitialValue: the tensor contains a constant (" + t.getVarStr() + ")");
  }
  Model &model = impl().model();
  const std::uint32_t size = elementBytes(model, state.value.type);
  const std::vector<std::byte> bytes = copse::graph::encodedFor(state, values, "setInitialValue");
  const std::vector<copse::graph::Run> runs = state.value.view.runs();
  if (fill)
    for (const auto &run : runs)
      copse::graph::addInitialValue(model, run.variable, {run.begin, run.count, run.stride, bytes});
  else
    for (auto &[variable, value] : copse::graph::initialValuesOf(runs, bytes, size))
      copse::graph::addInitialValue(model, variable, std::move(value));
}

void Graph::setInitialValueHalf(const Tensor &t, std::uint16_t bits) {
  setTensorValues(t, halves(&bits, 1), true);
}

void Graph::setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> bits) {
  setTensorValues(t, halves(bits.data(), bits.size()), false);
}

void Graph::setInitialValueHalf(FieldRef field, std::uint16_t bits) {
  setFieldValues(field, halves(&bits, 1), true);
}

void Graph::setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> bits) {
  setFieldValues(field, halves(bits.data(), bits.size()), false);
}

} // namespace poplar

namespace copse::graph {

const std::shared_ptr<GraphState> &Access::state(const poplar::Graph &graph) {
  return graph.impl().state;
}

std::uint32_t Access::replication(const poplar::Graph &graph) { return graph.impl().replication; }

} // namespace copse::graph
