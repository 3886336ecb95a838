#pragma once

#include "poplar/Interval.hpp"

#include <cstddef>
#include <functional>
#include <iosfwd>

namespace poplar {

/// Names a variable of a graph: compare it, hash it, give it to Graph::getVariable.
struct VariableRef {
  VariableRef() = default;
  explicit VariableRef(unsigned variableId) : id(variableId) {}
  VariableRef(unsigned variableId, unsigned replicas)
      : id(variableId), replicationFactor(replicas) {}

  std::size_t hash() const { return id; }

  unsigned id = 0;
  unsigned replicationFactor = 1;

  friend bool operator==(const VariableRef &a, const VariableRef &b) {
    return a.id == b.id && a.replicationFactor == b.replicationFactor;
  }
  friend bool operator!=(const VariableRef &a, const VariableRef &b) { return !(a == b); }
  friend bool operator<(const VariableRef &a, const VariableRef &b) {
    return a.id != b.id ? a.id < b.id : a.replicationFactor < b.replicationFactor;
  }
};

/// Elements [interval.begin(), interval.end()) of a variable, in the row-major order in which it
/// was made.
struct VariableInterval {
  VariableInterval() = default;
  VariableInterval(VariableRef variable, Interval elements) : var(variable), interval(elements) {}

  VariableRef var;
  Interval interval;

  friend bool operator==(const VariableInterval &a, const VariableInterval &b) {
    return a.var == b.var && a.interval == b.interval;
  }
  friend bool operator!=(const VariableInterval &a, const VariableInterval &b) { return !(a == b); }
  friend bool operator<(const VariableInterval &a, const VariableInterval &b) {
    return a.var != b.var ? a.var < b.var : a.interval < b.interval;
  }
};

std::ostream &operator<<(std::ostream &out, const VariableRef &var);
std::ostream &operator<<(std::ostream &out, const VariableInterval &interval);

} // namespace poplar

namespace std {
template <> struct hash<poplar::VariableRef> {
  size_t operator()(const poplar::VariableRef &var) const { return var.hash(); }
};
} // namespace std
