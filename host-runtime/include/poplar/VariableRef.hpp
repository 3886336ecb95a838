#pragma once

#include "poplar/Interval.hpp"

#include <cstddef>
#include <functional>
#include <iosfwd>

namespace poplar {

/// Names a variable of a graph: compare it, hash it, give it to Graph::getVariable().
struct VariableRef {
  /// Names variable 0.
  VariableRef() = default;

  ///@{

  /// Names a variable of a graph with \p replicas replicas, by default 1.
  explicit VariableRef(unsigned variableId) : id(variableId) {}
  VariableRef(unsigned variableId, unsigned replicas)
      : id(variableId), replicationFactor(replicas) {}
  ///@}

  /// Returns a hash, equal for equal references.
  std::size_t hash() const { return id; }

  /// The variable's number in its graph.
  unsigned id = 0;
  /// The number of replicas.
  unsigned replicationFactor = 1;

  ///@{

  /// Compares number and replicas.
  friend bool operator==(const VariableRef &a, const VariableRef &b) {
    return a.id == b.id && a.replicationFactor == b.replicationFactor;
  }
  friend bool operator!=(const VariableRef &a, const VariableRef &b) { return !(a == b); }
  friend bool operator<(const VariableRef &a, const VariableRef &b) {
    return a.id != b.id ? a.id < b.id : a.replicationFactor < b.replicationFactor;
  }
  ///@}
};

/// Names elements [interval.begin(), interval.end()) of a variable, in the row-major order in which
/// it was made.
struct VariableInterval {
  /// Names no elements of variable 0.
  VariableInterval() = default;
  /// Names elements of a variable.
  VariableInterval(VariableRef variable, Interval elements) : var(variable), interval(elements) {}

  /// The variable.
  VariableRef var;
  /// The elements.
  Interval interval;

  ///@{

  /// Compares variable, then interval.
  friend bool operator==(const VariableInterval &a, const VariableInterval &b) {
    return a.var == b.var && a.interval == b.interval;
  }
  friend bool operator!=(const VariableInterval &a, const VariableInterval &b) { return !(a == b); }
  friend bool operator<(const VariableInterval &a, const VariableInterval &b) {
    return a.var != b.var ? a.var < b.var : a.interval < b.interval;
  }
  ///@}
};

///@{

/// Writes the reference as text.
std::ostream &operator<<(std::ostream &out, const VariableRef &var);
std::ostream &operator<<(std::ostream &out, const VariableInterval &interval);
///@}

} // namespace poplar

namespace std {
template <> struct hash<poplar::VariableRef> {
  size_t operator()(const poplar::VariableRef &var) const { return var.hash(); }
};
} // namespace std
