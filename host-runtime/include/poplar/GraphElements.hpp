#pragma once

#include "poplar/StringRef.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace copse {
namespace graph {
struct Access;
struct GraphState;
} // namespace graph
} // namespace copse

namespace poplar {

/// Names the vertices that are executed together: Graph::addComputeSet(), program::Execute. See
/// User guide, 2.1.
class ComputeSet {
public:
  /// Names no compute set; it may only be assigned to.
  ComputeSet() = default;
  /// Names a compute set by its number.
  explicit ComputeSet(unsigned id) : id_(id) {}
  /// Returns the number in the graph.
  unsigned getId() const { return id_; }

  ///@{

  /// Compares numbers.
  friend bool operator==(ComputeSet a, ComputeSet b) { return a.id_ == b.id_; }
  friend bool operator!=(ComputeSet a, ComputeSet b) { return a.id_ != b.id_; }
  friend bool operator<(ComputeSet a, ComputeSet b) { return a.id_ < b.id_; }
  ///@}

private:
  unsigned id_ = ~0u;
};

class FieldRef;

/// Names a vertex of a graph; v["field"] names one of its fields.
class VertexRef {
public:
  /// Names no vertex; it may only be assigned to.
  VertexRef() = default;
  /// Returns a name for a field. Functions that take it check that the field exists.
  FieldRef operator[](StringRef field) const;
  /// Returns the number in the graph.
  unsigned getId() const { return id_; }

  ///@{

  /// Compares numbers.
  friend bool operator==(VertexRef a, VertexRef b) { return a.id_ == b.id_; }
  friend bool operator!=(VertexRef a, VertexRef b) { return a.id_ != b.id_; }
  friend bool operator<(VertexRef a, VertexRef b) { return a.id_ < b.id_; }
  ///@}

private:
  friend struct copse::graph::Access;
  explicit VertexRef(unsigned id) : id_(id) {}
  unsigned id_ = ~0u;
};

/// Names a field of a vertex, or one entry of a field that is a vector of edges. Graph functions
/// that take it throw unknown_field if the vertex has no such field.
class FieldRef {
public:
  /// Names no field; it may only be assigned to.
  FieldRef() = default;

  ///@{

  /// Names entry \p index of a field, from 0.
  FieldRef(FieldRef field, std::size_t index) : FieldRef(std::move(field)) {
    index_ = index;
    indexed_ = true;
  }
  FieldRef operator[](std::size_t index) const { return FieldRef(*this, index); }
  ///@}

  /// Returns the vertex.
  VertexRef vertex() const { return vertex_; }
  /// Returns true if one entry is named.
  bool isIndexed() const { return indexed_; }
  /// Returns the entry; 0 if none is named.
  std::size_t getIndex() const { return index_; }

private:
  friend class VertexRef;
  friend struct copse::graph::Access;
  FieldRef(VertexRef vertex, std::string name) : vertex_(vertex), name_(std::move(name)) {}

  VertexRef vertex_;
  std::string name_;
  std::size_t index_ = 0;
  bool indexed_ = false;
};

inline FieldRef VertexRef::operator[](StringRef field) const { return FieldRef(*this, field); }

/// Names a program that many places of a program call: Graph::addFunction(), program::Call.
class Function {
public:
  /// Names no function; it may only be assigned to.
  Function() = default;
  /// Returns the number in the graph.
  unsigned getId() const { return id_; }

  ///@{

  /// Compares number and graph.
  friend bool operator==(const Function &a, const Function &b) {
    return a.id_ == b.id_ && a.graph_ == b.graph_;
  }
  friend bool operator!=(const Function &a, const Function &b) { return !(a == b); }
  ///@}

private:
  friend struct copse::graph::Access;
  Function(unsigned id, std::shared_ptr<const void> graph) : id_(id), graph_(std::move(graph)) {}

  unsigned id_ = ~0u;
  std::shared_ptr<const void> graph_; ///< whose function it is; null: the handle is empty
};

/// Names the code of a function in memory outside the IPU: Graph::addFunctionBuffer(),
/// program::Copy.
///
/// On Copse the code of all programs is always on its tiles, so the copy takes no time.
class FunctionBuffer {
public:
  /// Names no buffer; it may only be assigned to.
  FunctionBuffer() = default;
  /// Returns the number of its function.
  unsigned getId() const { return function_.getId(); }

  ///@{

  /// Compares functions.
  friend bool operator==(const FunctionBuffer &a, const FunctionBuffer &b) {
    return a.function_ == b.function_;
  }
  friend bool operator!=(const FunctionBuffer &a, const FunctionBuffer &b) { return !(a == b); }
  ///@}

private:
  friend struct copse::graph::Access;
  explicit FunctionBuffer(Function function) : function_(std::move(function)) {}

  Function function_;
};

} // namespace poplar
