#include "poplar/Tensor.hpp"

#include "regions.hpp"
#include "tensor_checks.hpp"

#include "graph/replicas.hpp"
#include "graph/state.hpp"
#include "graph/types.hpp"
#include "poplar/exceptions.hpp"

#include <iostream>
#include <ostream>
#include <set>

namespace poplar {

using copse::graph::Access;
using copse::graph::TensorState;

Tensor::Tensor() = default;

bool Tensor::valid() const { return state_ != nullptr; }

Type Tensor::elementType() const {
  return copse::graph::poplarTypeOf(Access::anyState(*this, "Tensor::elementType").value.type);
}

std::vector<std::size_t> Tensor::shape() const {
  return Access::anyState(*this, "Tensor::shape").value.view.shape();
}

std::size_t Tensor::dim(unsigned i) const {
  copse::graph::checkDimension(*this, i, "Tensor::dim");
  return state_->value.view.shape()[i];
}

unsigned Tensor::rank() const {
  return static_cast<unsigned>(Access::anyState(*this, "Tensor::rank").value.view.shape().size());
}

std::size_t Tensor::numElements() const {
  return Access::anyState(*this, "Tensor::numElements").value.view.numElements();
}

bool Tensor::isContiguous() const {
  return Access::anyState(*this, "Tensor::isContiguous").value.view.isContiguous();
}

std::vector<Interval> Tensor::getContiguousRegions() const {
  std::vector<Interval> out;
  const TensorState &state = Access::anyState(*this, "Tensor::getContiguousRegions");
  for (const auto &region : copse::graph::contiguousRegions(state.value.view)) {
    out.emplace_back(region.position, region.position + region.count);
  }
  return out;
}

std::vector<VariableInterval> Tensor::getVarRegions() const {
  std::vector<VariableInterval> out;
  const TensorState &state = Access::state(*this, "Tensor::getVarRegions");
  const auto &model = state.graph->model;
  for (const auto &region : copse::graph::contiguousRegions(state.value.view)) {
    const std::uint32_t replication = model.variables[region.variable].replication;
    const unsigned replicas = replication == copse::graph::kNotReplicated
                                  ? model.replicas
                                  : model.replications[replication].replicas();
    out.emplace_back(VariableRef(region.variable, replicas), Interval(region.begin, region.end()));
  }
  return out;
}

bool Tensor::containsAliases() const {
  return copse::graph::hasAliases(Access::anyState(*this, "Tensor::containsAliases").value.view);
}

bool Tensor::containsConstant() const {
  const TensorState &state = Access::state(*this, "Tensor::containsConstant");
  for (const auto &run : state.value.view.elementRuns()) {
    if (state.graph->model.variables[run.variable].constant) {
      return true;
    }
  }
  return false;
}

bool Tensor::isParallelWriteable() const { return !containsAliases() && !containsConstant(); }

bool Tensor::intersectsWith(const Tensor &other) const {
  const TensorState &a = Access::state(*this, "Tensor::intersectsWith");
  const TensorState &b = Access::state(other, "Tensor::intersectsWith");
  if (a.graph != b.graph) {
    return false;
  }
  // Compare instances: a replicated tensor consists of all its instances, and a non-replicated one
  // may contain some of them.
  const auto instances = [&](const copse::graph::View &view) {
    const std::uint32_t replicas = copse::graph::replicasOf(a.graph->model, view);
    return replicas == 1 ? view : copse::graph::allInstances(a.graph->model, view, replicas);
  };
  return copse::graph::overlap(instances(a.value.view), instances(b.value.view));
}

bool Tensor::hasMetadata() const {
  return Access::state(*this, "Tensor::hasMetadata").metadata != nullptr;
}

Tensor Tensor::getMetadata() const {
  const TensorState &state = Access::state(*this, "Tensor::getMetadata");
  if (!elementType().requiresMetadata()) {
    return Tensor();
  }
  if (!state.metadata) {
    throw tensor_metadata_error("Tensor::getMetadata: the tensor (" + getDebugStr() +
                                ") has no metadata");
  }
  return Access::tensor(state.graph, {copse::graph::ElementType::QuarterMetadata, *state.metadata});
}

std::string Tensor::shapeToString() const {
  return copse::graph::shapeText(
      Access::anyState(*this, "Tensor::shapeToString").value.view.shape());
}

void Tensor::dump() const { std::cerr << *this << '\n'; }

void Tensor::outputRegions(std::ostream &out) const {
  const TensorState &state = Access::state(*this, "Tensor::outputRegions");
  for (const auto &region : copse::graph::contiguousRegions(state.value.view)) {
    const Interval positions(region.position, region.position + region.count);
    out << positions << " of the tensor: " << Interval(region.begin, region.end()) << " of "
        << state.graph->model.variables[region.variable].name << '\n';
  }
}

void Tensor::dumpRegions() const { outputRegions(std::cerr); }

std::string Tensor::getVarStr() const {
  if (!valid()) {
    return "";
  }
  std::set<copse::graph::VariableId> seen;
  std::string text;
  for (const auto &run : state_->value.view.elementRuns()) {
    if (seen.insert(run.variable).second) {
      text +=
          (text.empty() ? "" : ", ") + (run.variable == copse::graph::kBeyondTheEnd
                                            ? "elements beyond the end"
                                            : state_->graph->model.variables[run.variable].name);
    }
  }
  return text;
}

std::string Tensor::getDebugStr() const {
  if (!valid()) {
    return "invalid tensor";
  }
  return std::string(elementType().toString()) + shapeToString() + " of " + getVarStr();
}

bool operator==(const Tensor &a, const Tensor &b) {
  if (a.state_ == b.state_) {
    return true;
  }
  return a.state_ && b.state_ && a.state_->graph == b.state_->graph &&
         a.state_->value.type == b.state_->value.type &&
         a.state_->value.view == b.state_->value.view;
}

std::size_t Tensor::hash() const {
  if (!valid()) {
    return 0;
  }
  const auto &view = state_->value.view;
  std::size_t h = static_cast<std::size_t>(state_->value.type);
  const auto mix = [&h](std::size_t x) { h = (h ^ x) * 0x9E3779B97F4A7C15u + (h >> 32); };
  for (const std::size_t size : view.shape()) {
    mix(size);
  }
  // Equal tensors have equal elements at the ends and in the middle; comparing those is cheap.
  if (const std::size_t n = view.numElements()) {
    for (const std::size_t position : {std::size_t{0}, n / 2, n - 1}) {
      const auto element = view.at(position);
      mix(element.variable);
      mix(element.begin);
    }
  }
  return h;
}

std::ostream &operator<<(std::ostream &out, const Tensor &tensor) {
  return out << tensor.getDebugStr();
}

std::ostream &operator<<(std::ostream &out, const VariableRef &var) {
  return out << "variable " << var.id;
}

std::ostream &operator<<(std::ostream &out, const VariableInterval &interval) {
  return out << interval.var << " [" << interval.interval.begin() << ',' << interval.interval.end()
             << ')';
}

} // namespace poplar
