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

/// Vertices that are executed together.
class ComputeSet {
public:
  ComputeSet() = default;
  explicit ComputeSet(unsigned id) : id_(id) {}
  unsigned getId() const { return id_; }

  friend bool operator==(ComputeSet a, ComputeSet b) { return a.id_ == b.id_; }
  friend bool operator!=(ComputeSet a, ComputeSet b) { return a.id_ != b.id_; }
  friend bool operator<(ComputeSet a, ComputeSet b) { return a.id_ < b.id_; }

private:
  unsigned id_ = ~0u;
};

class FieldRef;

/// A vertex of a graph; v["field"] names one of its fields.
class VertexRef {
public:
  VertexRef() = default;
  FieldRef operator[](StringRef field) const;
  unsigned getId() const { return id_; }

  friend bool operator==(VertexRef a, VertexRef b) { return a.id_ == b.id_; }
  friend bool operator!=(VertexRef a, VertexRef b) { return a.id_ != b.id_; }
  friend bool operator<(VertexRef a, VertexRef b) { return a.id_ < b.id_; }

private:
  friend struct copse::graph::Access;
  explicit VertexRef(unsigned id) : id_(id) {}
  unsigned id_ = ~0u;
};

/// A field of a vertex, or one entry of a field that is a vector of edges. Whether the vertex has
/// such a field is found out by the graph function that gets this.
class FieldRef {
public:
  FieldRef() = default;
  FieldRef(FieldRef field, std::size_t index) : FieldRef(std::move(field)) {
    index_ = index;
    indexed_ = true;
  }
  FieldRef operator[](std::size_t index) const { return FieldRef(*this, index); }

  VertexRef vertex() const { return vertex_; }
  bool isIndexed() const { return indexed_; }
  std::size_t getIndex() const { return index_; } ///< 0 if not indexed

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

/// A program that many places of a program call: Graph::addFunction, program::Call.
class Function {
public:
  Function() = default;
  unsigned getId() const { return id_; }

  friend bool operator==(const Function &a, const Function &b) {
    return a.id_ == b.id_ && a.graph_ == b.graph_;
  }
  friend bool operator!=(const Function &a, const Function &b) { return !(a == b); }

private:
  friend struct copse::graph::Access;
  Function(unsigned id, std::shared_ptr<const void> graph) : id_(id), graph_(std::move(graph)) {}

  unsigned id_ = ~0u;
  std::shared_ptr<const void> graph_; ///< whose function it is; null: nobody's
};

/// The code of a function in memory outside the IPU: Graph::addFunctionBuffer, program::Copy.
///
/// Here the code of all programs stays on its tiles, so it is there before the copy, too, and the
/// copy takes no time.
class FunctionBuffer {
public:
  FunctionBuffer() = default;
  /// The function's.
  unsigned getId() const { return function_.getId(); }

  friend bool operator==(const FunctionBuffer &a, const FunctionBuffer &b) {
    return a.function_ == b.function_;
  }
  friend bool operator!=(const FunctionBuffer &a, const FunctionBuffer &b) { return !(a == b); }

private:
  friend struct copse::graph::Access;
  explicit FunctionBuffer(Function function) : function_(std::move(function)) {}

  Function function_;
};

} // namespace poplar
