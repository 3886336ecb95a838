#pragma once

#include "graph/state.hpp"
#include "poplar/ArrayRef.hpp"
#include "poplar/GraphElements.hpp"
#include "poplar/HostValues.hpp"
#include "poplar/Tensor.hpp"

#include <cstdint>
#include <string>

namespace copse::graph {

/// An existing field of a vertex, with its description for messages.
struct FieldTarget {
  std::uint32_t vertex = 0;
  std::uint16_t field = 0;
  const popc::VertexType *type = nullptr;
  bool indexed = false;
  std::uint32_t index = 0;

  const popc::Field &get() const { return type->fields[field]; }
  /// Returns "field 'in' of vertex type 'Add' (Input<Vector<float>>)".
  std::string describe() const;
};

/// \throws poplar::unknown_field naming the existing fields
FieldTarget fieldTarget(const Model &model, const poplar::FieldRef &field);

/// Implements connect() and setInitialValue(): checks which tensor fits which kind of field, and
/// writes to the model.
/// \throws poplar::graph_connection_error
class Connector {
public:
  Connector(GraphState &state, FieldTarget target) : state_(state), target_(target) {}
  void connect(const poplar::Tensor &tensor);
  void connect(poplar::ArrayRef<poplar::Tensor> tensors);
  void setSize(std::size_t n);
  /// \param scalar  one value was given instead of a list of one
  void setValues(const poplar::HostValues &values, bool scalar);

private:
  void connectList(poplar::ArrayRef<poplar::Tensor> tensors);
  void connectConstant(std::uint32_t index, const poplar::Tensor &tensor);
  void connectConstants(poplar::ArrayRef<poplar::Tensor> rows);
  void addEdge(std::uint32_t index, const View &view);
  View checkedView(const poplar::Tensor &tensor) const;
  void checkReplicas(const View &view) const;
  View joined(poplar::ArrayRef<poplar::Tensor> tensors) const;
  [[noreturn]] void refuse(const std::string &expected, const std::string &given) const;

  GraphState &state_;
  FieldTarget target_;
};

} // namespace copse::graph
