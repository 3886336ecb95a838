#pragma once

#include "gccs/popsolver/Variable.hpp"

#include <cstdint>
#include <vector>

namespace gccs::popsolver {

using Value = std::uint64_t;

struct Bounds {
  Value min, max; ///< both are possible values
};

/// The interval of possible values of each variable. The class records changes, so that a search
/// can undo them.
class Domains {
public:
  explicit Domains(const std::vector<Bounds> &bounds) : bounds_(bounds) {}

  Value min(Variable v) const { return bounds_[v.id].min; }
  Value max(Variable v) const { return bounds_[v.id].max; }
  bool isFixed(Variable v) const { return min(v) == max(v); }

  /// \returns true if values are left; otherwise nothing has changed
  bool atLeast(Variable v, Value least) {
    return least <= min(v) || (least <= max(v) && change(v, {least, max(v)}));
  }
  bool atMost(Variable v, Value most) {
    return most >= max(v) || (most >= min(v) && change(v, {min(v), most}));
  }
  bool within(Variable v, Bounds bounds) { return atLeast(v, bounds.min) && atMost(v, bounds.max); }
  bool fix(Variable v, Value value) { return within(v, {value, value}); }

  using Moment = std::size_t;
  Moment now() const { return past_.size(); }
  void goBackTo(Moment moment);

  /// Returns the variables that have changed and have not been taken from this list. A variable may
  /// occur several times.
  std::vector<Variable> &changed() { return changed_; }

private:
  struct Past {
    Variable variable;
    Bounds bounds;
  };

  bool change(Variable v, Bounds bounds) {
    past_.push_back({v, bounds_[v.id]});
    bounds_[v.id] = bounds;
    changed_.push_back(v);
    return true;
  }

  std::vector<Bounds> bounds_;
  std::vector<Past> past_;
  std::vector<Variable> changed_;
};

} // namespace gccs::popsolver
