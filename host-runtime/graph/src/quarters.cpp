#include "quarters.hpp"

#include "graph_impl.hpp"
#include "host_encoding.hpp"

#include "graph/field_values.hpp"
#include "graph/types.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/exceptions.hpp"

#include <sstream>

namespace copse::graph {

namespace {
constexpr const char *kNeedsConstant =
    ": conversion to quarters needs constant metadata, which this tensor does not have; "
    "add the tensor with the result of createConstantMetadataTensor()";

/// Returns the metadata if they are constant.
std::optional<poplar::QuarterMetadata> constantOf(const Model &model, const View &metadata) {
  const std::vector<Run> runs = metadata.runs();
  const auto bytes = constantBytes(model, runs.data(), runs.size(), 1);
  if (!bytes) {
    return std::nullopt;
  }
  return poplar::QuarterMetadata::fromBits(std::to_integer<std::uint8_t>(bytes->front()));
}

} // namespace

bool sameMetadata(const TensorState &a, const TensorState &b) {
  if (a.metadata == b.metadata || (a.metadata && b.metadata && *a.metadata == *b.metadata)) {
    return true;
  }
  const auto ofA = constantMetadata(a), ofB = constantMetadata(b);
  return ofA && ofB && *ofA == *ofB;
}

std::optional<poplar::QuarterMetadata> constantMetadata(const TensorState &t) {
  return t.metadata ? constantOf(t.graph->model, *t.metadata) : std::nullopt;
}

std::optional<std::pair<TypedView, TypedView>>
metadataToCopy(const std::string &who, const TensorState &from, const TensorState &to) {
  if (!from.metadata || !to.metadata || sameMetadata(from, to)) {
    return std::nullopt;
  }
  if (constantMetadata(to)) {
    throw poplar::tensor_metadata_error(
        who + ": the metadata of the destination are a constant, and not known to be those of the "
              "source; make them a variable, which the copy then sets");
  }
  return std::pair(TypedView{ElementType::QuarterMetadata, *from.metadata},
                   TypedView{ElementType::QuarterMetadata, *to.metadata});
}

std::vector<std::byte> quartersOf(const poplar::HostValues &values,
                                  poplar::QuarterMetadata metadata) {
  std::vector<std::byte> bytes;
  bytes.reserve(values.count);
  for (std::size_t i = 0; i < values.count; ++i) {
    const auto value = static_cast<float>(asDouble(numberAt(values, i)));
    bytes.push_back(std::byte{poplar::encoding::toQuarter(value, metadata)});
  }
  return bytes;
}

std::vector<std::byte> quartersBy(const Model &model, const View &metadata,
                                  const poplar::HostValues &values, const char *function) {
  if (const auto constant = constantOf(model, metadata)) {
    return quartersOf(values, *constant);
  }
  for (std::size_t i = 0; i < values.count; ++i) {
    if (asDouble(numberAt(values, i)) != 0) {
      throw poplar::tensor_metadata_error(std::string(function) + kNeedsConstant);
    }
  }
  return std::vector<std::byte>(values.count);
}

std::vector<std::byte> encodedFor(const TensorState &t, const poplar::HostValues &values,
                                  const char *function) {
  if (t.value.type != ElementType::Quarter) {
    return encodeAll(values, t.value.type, elementBytes(t.graph->model, t.value.type));
  }
  if (!t.metadata) {
    throw poplar::tensor_metadata_error(std::string(function) + kNeedsConstant);
  }
  return quartersBy(t.graph->model, *t.metadata, values, function);
}

} // namespace copse::graph

namespace poplar {

using copse::graph::Access;
using copse::graph::ElementType;
using copse::graph::View;

namespace {

/// Returns the metadata as a view of one element, whatever the tensor's shape.
std::shared_ptr<const View> checkedMetadata(const char *function, const Type &type,
                                            const Tensor &metadata) {
  const auto &state = Access::state(metadata, function);
  if (type != QUARTER) {
    throw tensor_metadata_error(std::string(function) + ": elements of type " +
                                type.toString().cloneAsString() + " have no metadata");
  }
  if (state.value.type != ElementType::QuarterMetadata || metadata.numElements() != 1) {
    throw tensor_metadata_error(std::string(function) +
                                ": metadata are one quarter_metadata, not " +
                                metadata.getDebugStr());
  }
  return std::make_shared<const View>(state.value.view.reshape({}));
}

Tensor withMetadata(const Tensor &t, std::shared_ptr<const View> metadata) {
  const auto &state = Access::state(t, "withMetadata");
  return Access::tensor(state.graph, state.value, std::move(metadata));
}

/// Maps the metadata to tile 0, so that users who only want quarters need not map them.
Tensor mapped(Graph &graph, const Tensor &metadata) {
  graph.setTileMapping(metadata, 0);
  return metadata;
}

constexpr const char *kScaleCodelet = R"(
#include <poplar/QuarterFloat.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
namespace quarters {
template <typename Scale> class MetadataOfScale : public Vertex {
public:
  Input<Scale> scale;
  Output<quarter_metadata> metadata;
  unsigned char format; // its bits in the metadata
  bool compute() {
    *metadata = quarter_metadata::fromBits(format | (*scale & 0x3F));
    return true;
  }
};
template class MetadataOfScale<int>;
template class MetadataOfScale<short>;
template class MetadataOfScale<signed char>;
} // namespace quarters
)";

/// Returns the vertex class that computes metadata from \p scale, and adds its codelet to the
/// graph.
std::string scaleVertex(Graph &graph, const Tensor &scale) {
  const Type type = scale.elementType();
  if (scale.numElements() != 1 || (type != INT && type != SHORT && type != SIGNED_CHAR)) {
    throw tensor_metadata_error("createVariableMetadataTensor: the scale is " +
                                scale.getDebugStr() +
                                "; give one element of INT, SHORT or SIGNED_CHAR");
  }
  std::string vertex = "quarters::MetadataOfScale<" + type.toString().cloneAsString() + ">";
  if (!graph.hasCodelet(vertex)) {
    std::stringstream source(kScaleCodelet);
    graph.addCodelets(source);
  }
  return vertex;
}

} // namespace

Tensor Graph::addQuarters(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                          VariableMappingMethod method, const DebugContext &debugContext) {
  if (!metadata.valid() && !type.requiresMetadata()) {
    return addVariable(type, shape, method, debugContext);
  }
  auto checked = checkedMetadata(
      "addVariable", type,
      metadata.valid() ? metadata : mapped(*this, addVariable(QUARTER_METADATA, {}, debugContext)));
  return withMetadata(addVariable(type, shape, method, debugContext), std::move(checked));
}

Tensor Graph::cloneAsQuarters(const Type &type, const Tensor &metadata, const Tensor &t,
                              const DebugContext &debugContext, TensorCloneMethod method) {
  if (!metadata.valid()) {
    return clone(type, t, debugContext, method);
  }
  auto checked = checkedMetadata("clone", type, metadata);
  return withMetadata(clone(type, t, debugContext, method), std::move(checked));
}

Tensor Graph::cloneNAsQuarters(const Type &type, const Tensor &metadata, const Tensor &t,
                               std::size_t N, const DebugContext &debugContext,
                               TensorCloneMethod method,
                               TensorCloneDuplicationMethod duplicationMethod) {
  if (!metadata.valid()) {
    return cloneN(type, t, N, debugContext, method, duplicationMethod);
  }
  auto checked = checkedMetadata("cloneN", type, metadata);
  return withMetadata(cloneN(type, t, N, debugContext, method, duplicationMethod),
                      std::move(checked));
}

Tensor Graph::addConstantQuarters(const Type &type, const QuarterMetadata &metadata,
                                  ArrayRef<std::size_t> shape, const HostValues &values, bool fill,
                                  const DebugContext &debugContext) {
  const Tensor meaning = createConstantMetadataTensor(*this, metadata, debugContext);
  auto checked = checkedMetadata("addConstant", type, meaning);
  return withMetadata(impl().addConstant(type, shape, copse::graph::quartersOf(values, metadata),
                                         values.count, fill, debugContext),
                      std::move(checked));
}

Tensor Graph::addConstantQuarters(const Type &type, const Tensor &metadata,
                                  ArrayRef<std::size_t> shape, const HostValues &values, bool fill,
                                  const DebugContext &debugContext) {
  if (!metadata.valid()) {
    return addConstantValues(type, shape, values, fill, debugContext);
  }
  auto checked = checkedMetadata("addConstant", type, metadata);
  auto bytes = copse::graph::quartersBy(impl().model(), *checked, values, "addConstant");
  return withMetadata(
      impl().addConstant(type, shape, std::move(bytes), values.count, fill, debugContext),
      std::move(checked));
}

Tensor Graph::addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                          const void *values, const TypeTraits &traits, bool broadcast,
                          const DebugContext &debugContext) {
  const HostValues host{values, broadcast ? 1 : elementsOf(shape), traits};
  return addConstantQuarters(type, metadata, shape, host, broadcast, debugContext);
}

Tensor createConstantMetadataTensor(Graph &graph, const QuarterMetadata &metadata,
                                    const DebugContext &debugContext) {
  const std::uint8_t bits = metadata.bits();
  return mapped(graph, graph.addConstant(QUARTER_METADATA, {}, bits, debugContext));
}

Tensor createVariableMetadataTensor(Graph &graph, const QuarterMetadata &metadata,
                                    const DebugContext &debugContext) {
  const Tensor t = graph.addVariable(QUARTER_METADATA, {}, debugContext);
  graph.setInitialValue(t, metadata.bits());
  return mapped(graph, t);
}

Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                                    const Tensor &scale, program::Sequence &prog,
                                    const DebugContext &debugContext) {
  const Tensor t = createVariableMetadataTensor(graph, QuarterMetadata(format, 0), debugContext);
  const ComputeSet set = graph.addComputeSet(debugContext);
  const VertexRef v = graph.addVertex(set, scaleVertex(graph, scale));
  graph.connect(v["scale"], scale.reshape({}));
  graph.connect(v["metadata"], t);
  graph.setInitialValue(v["format"], QuarterMetadata(format, 0).bits());
  graph.setTileMapping(v, 0);
  prog.add(program::Execute(set, debugContext));
  return t;
}

} // namespace poplar
