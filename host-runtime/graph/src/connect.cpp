#include "connect.hpp"

#include "host_encoding.hpp"

#include "graph/field_values.hpp"
#include "graph/replicas.hpp"
#include "graph/types.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace copse::graph {

using popc::Field;
using popc::FieldDirection;
using popc::FieldKind;

namespace {

const char *directionName(FieldDirection direction) {
  switch (direction) {
  case FieldDirection::Input:
    return "Input";
  case FieldDirection::Output:
    return "Output";
  case FieldDirection::InOut:
    return "InOut";
  default:
    return "";
  }
}

/// Returns the declaration as a codelet's author writes it: Input<Vector<float>>.
std::string declaration(const Field &field) {
  const std::string type = field.typeName.empty() ? nameOf(field.type) : field.typeName;
  const std::string direction = directionName(field.direction);
  const auto edge = [&](const std::string &of) {
    return direction.empty() ? of : direction + "<" + of + ">";
  };
  switch (field.kind) {
  case FieldKind::Scalar:
    return edge(type);
  case FieldKind::Vector:
    return edge("Vector<" + type + ">");
  case FieldKind::VectorOfScalars:
    return "Vector<" + edge(type) + ">";
  case FieldKind::VectorOfVectors:
    return "Vector<" + edge("Vector<" + type + ">") + ">";
  case FieldKind::VectorList:
    return edge("VectorList<" + type + ">");
  }
  return type;
}

/// Returns true if the entries of the field are connected one by one: f[i].
bool hasEntries(const Field &field) {
  return field.kind == FieldKind::VectorOfScalars || field.kind == FieldKind::VectorOfVectors ||
         field.kind == FieldKind::VectorList;
}

bool entriesAreScalars(const Field &field) {
  return field.kind == FieldKind::Scalar || field.kind == FieldKind::VectorOfScalars;
}

std::string tensorText(const poplar::Tensor &t) {
  return std::string(t.elementType().toString()) + " tensor of shape " + t.shapeToString();
}

} // namespace

std::string FieldTarget::describe() const {
  return "field '" + get().name + (indexed ? "[" + std::to_string(index) + "]" : "") +
         "' of vertex type '" + type->name + "' (" + declaration(get()) + ")";
}

FieldTarget fieldTarget(const Model &model, const poplar::FieldRef &field) {
  FieldTarget target;
  target.vertex = field.vertex().getId();
  if (target.vertex >= model.vertices.size()) {
    throw poplar::graph_connection_error("field '" + Access::name(field) +
                                         "': the graph has no such vertex");
  }
  target.type = &model.vertexTypes[model.vertices[target.vertex].type];
  const auto &fields = target.type->fields;
  const auto it = std::find_if(fields.begin(), fields.end(),
                               [&](const Field &f) { return f.name == Access::name(field); });
  if (it == fields.end()) {
    std::string names;
    for (const Field &f : fields) {
      names += (names.empty() ? "'" : ", '") + f.name + "'";
    }
    throw poplar::unknown_field("vertex type '" + target.type->name + "' has no field '" +
                                Access::name(field) + "'; it has " +
                                (names.empty() ? "none" : names));
  }
  if (it->type == ElementType::Half && it->elementBytes != model.halfBytes) {
    throw poplar::graph_connection_error(
        "vertex type '" + target.type->name + "' was compiled with halves of " +
        std::to_string(it->elementBytes) + " bytes, but those of the graph's target have " +
        std::to_string(model.halfBytes) +
        (model.halfBytes == 2 ? "; add the codelets as source"
                              : "; make the CPU target with accurateHalf"));
  }
  target.field = static_cast<std::uint16_t>(it - fields.begin());
  target.indexed = field.isIndexed();
  target.index = static_cast<std::uint32_t>(field.getIndex());
  if (target.indexed && !hasEntries(*it)) {
    throw poplar::graph_connection_error(target.describe() + ": has no entries to index");
  }
  return target;
}

void Connector::refuse(const std::string &expected, const std::string &given) const {
  throw poplar::graph_connection_error(target_.describe() + ": expected " + expected + ", given " +
                                       given);
}

void Connector::checkReplicas(const View &view) const {
  const std::uint32_t replicas = replicasOf(state_.model, view);
  const std::uint32_t replication = state_.model.vertices[target_.vertex].replication;
  const std::uint32_t vertices =
      replication == kNotReplicated ? 1 : state_.model.replications[replication].replicas();
  if (replicas != 1 && replicas != vertices) {
    throw poplar::graph_replication_error(
        target_.describe() + ": the tensor belongs to a graph with " + std::to_string(replicas) +
        " replicas, but the vertex was added to one with " + std::to_string(vertices) +
        "; add it to that graph, or connect what getNonReplicatedTensor() gives");
  }
}

View Connector::checkedView(const poplar::Tensor &tensor) const {
  // There are many edges, so the text is built only for a message.
  const std::string user = Access::plainlyUsable(tensor) ? "" : "connect to " + target_.describe();
  const TensorState &state = Access::state(tensor, user);
  if (state.graph.get() != &state_) {
    refuse("a tensor of this graph", "one of another graph");
  }
  if (state.value.type != target_.get().type) {
    refuse("elements of type " + nameOf(target_.get().type), "a " + tensorText(tensor));
  }
  checkReplicas(state.value.view);
  return state.value.view;
}

void Connector::addEdge(std::uint32_t index, const View &view) {
  Model &model = state_.model;
  const std::vector<Run> runs = view.runs();
  model.edges.push_back({target_.vertex,
                         target_.field,
                         index,
                         view.numElements(),
                         {model.runs.size(), static_cast<std::uint32_t>(runs.size())}});
  model.runs.insert(model.runs.end(), runs.begin(), runs.end());
}

void Connector::connect(const poplar::Tensor &tensor) {
  const Field &field = target_.get();
  if (field.direction == FieldDirection::State) {
    if (!hasEntries(field) || target_.indexed) {
      connectConstant(target_.index, tensor);
      return;
    }
    if (tensor.rank() != 2) {
      refuse("a tensor of rank 2 or a list", "a " + tensorText(tensor));
    }
    std::vector<poplar::Tensor> rows;
    for (std::size_t i = 0; i < tensor.dim(0); ++i) {
      rows.push_back(tensor[i]);
    }
    connectConstants(rows);
    return;
  }
  const View view = checkedView(tensor);
  const std::size_t rank = view.shape().size();
  if (!hasEntries(field) || target_.indexed) {
    if (entriesAreScalars(field)) {
      if (view.numElements() != 1) {
        refuse("one element", "a " + tensorText(tensor));
      }
    } else if (rank != 1) {
      refuse("a tensor of rank 1", "a " + tensorText(tensor));
    }
    addEdge(target_.index, view);
    return;
  }
  const std::size_t wanted = entriesAreScalars(field) ? 1 : 2;
  if (rank != wanted) {
    refuse("a tensor of rank " + std::to_string(wanted) + " or a list", "a " + tensorText(tensor));
  }
  const std::size_t rows = view.shape()[0];
  setSize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    addEdge(static_cast<std::uint32_t>(i), view.slice(i, i + 1, 0).dropDimension(0));
  }
}

void Connector::connect(poplar::ArrayRef<poplar::Tensor> tensors) {
  const Field &field = target_.get();
  if (hasEntries(field) && !target_.indexed) {
    if (field.direction == FieldDirection::State) {
      connectConstants(tensors);
    } else {
      connectList(tensors);
    }
  } else if (tensors.size() == 1) {
    connect(tensors.front());
  } else if (field.direction == FieldDirection::State || entriesAreScalars(field)) {
    refuse("one element", "a list of " + std::to_string(tensors.size()) + " tensors");
  } else {
    addEdge(target_.index, joined(tensors));
  }
}

/// Returns the concatenation of a list that is connected to one vector.
View Connector::joined(poplar::ArrayRef<poplar::Tensor> tensors) const {
  std::vector<View> views;
  for (const poplar::Tensor &tensor : tensors) {
    View view = checkedView(tensor);
    if (view.shape().size() > 1) {
      refuse("pieces of rank 0 or 1", "a " + tensorText(tensor));
    }
    views.push_back(view.reshape({view.numElements()}));
  }
  return views.empty() ? View() : View::concat(views, 0);
}

void Connector::connectList(poplar::ArrayRef<poplar::Tensor> tensors) {
  const bool scalars = entriesAreScalars(target_.get());
  std::vector<View> views;
  for (const poplar::Tensor &tensor : tensors) {
    View view = checkedView(tensor);
    if (scalars && view.numElements() != 1) {
      refuse("a list of tensors of one element", "a " + tensorText(tensor) + " in the list");
    }
    if (!scalars && view.shape().size() != 1) {
      refuse("a list of tensors of rank 1", "a " + tensorText(tensor) + " in the list");
    }
    views.push_back(std::move(view));
  }
  setSize(views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    addEdge(static_cast<std::uint32_t>(i), views[i]);
  }
}

void Connector::setSize(std::size_t n) {
  const Field &field = target_.get();
  if (field.kind == FieldKind::Scalar) {
    refuse("a size for a vector field", "a size for a scalar one");
  }
  state_.model.fieldSizes.push_back({target_.vertex, target_.field, static_cast<std::uint32_t>(n)});
}

void Connector::setValues(const poplar::HostValues &values, bool scalar) {
  const Field &field = target_.get();
  if (field.direction == FieldDirection::Output || field.direction == FieldDirection::InOut) {
    refuse("a tensor", "an initial value");
  }
  const bool wantsScalar =
      field.arrayLength == 0 &&
      (field.kind == FieldKind::Scalar || (target_.indexed && entriesAreScalars(field)));
  if (wantsScalar != scalar && !(wantsScalar && values.count == 1)) {
    refuse(wantsScalar ? "one value" : "a list of values",
           scalar ? "one value" : "a list of " + std::to_string(values.count) + " values");
  }
  if (field.arrayLength != 0 && values.count > field.arrayLength) {
    refuse("at most " + std::to_string(field.arrayLength) + " values",
           "a list of " + std::to_string(values.count));
  }
  std::vector<std::byte> bytes;
  bytes.reserve(values.count * field.elementBytes);
  for (std::size_t i = 0; i < values.count; ++i) {
    const Number number = numberAt(values, i);
    if (!fits(number, field.type, field.elementBytes)) {
      throw poplar::overflow_error(target_.describe() + ": value " + textOf(number) +
                                   " does not fit its type");
    }
    encode(number, field.type, field.elementBytes, bytes);
  }
  if (hasEntries(field) && !target_.indexed) {
    setSize(values.count);
    for (std::uint32_t i = 0; i < values.count; ++i) {
      const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(i * field.elementBytes);
      state_.model.fieldValues.push_back(
          {target_.vertex, target_.field, i, 1, {first, first + field.elementBytes}});
    }
    return;
  }
  state_.model.fieldValues.push_back(
      {target_.vertex, target_.field, target_.index, values.count, std::move(bytes)});
}

/// Copies the values of a constant that is connected to a state field.
void Connector::connectConstant(std::uint32_t index, const poplar::Tensor &tensor) {
  const View view = checkedView(tensor);
  const std::vector<Run> runs = view.runs();
  auto bytes = constantBytes(state_.model, runs.data(), runs.size(),
                             elementBytes(state_.model, target_.get().type));
  if (!bytes) {
    refuse("a value or a constant, because it is no edge", "a " + tensorText(tensor));
  }
  if (target_.get().kind == FieldKind::Scalar && view.numElements() != 1) {
    refuse("one element", "a " + tensorText(tensor));
  }
  state_.model.fieldValues.push_back(
      {target_.vertex, target_.field, index, view.numElements(), std::move(*bytes)});
}

/// Copies the rows of a Vector<Vector<T>> of state.
void Connector::connectConstants(poplar::ArrayRef<poplar::Tensor> rows) {
  for (const poplar::Tensor &row : rows) {
    if (row.rank() != 1) {
      refuse("a list of tensors of rank 1", "a " + tensorText(row) + " in the list");
    }
  }
  setSize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    connectConstant(static_cast<std::uint32_t>(i), rows[i]);
  }
}

} // namespace copse::graph
