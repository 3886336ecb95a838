#include "variable_parts.hpp"

#include "graph/run_list.hpp"

#include <algorithm>

namespace copse::compiler {

using graph::Run;
using graph::VariableId;

namespace {

/// Beyond these limits, more precision costs more than the memory it would save.
constexpr std::size_t kMostPartsOfAVariable = 1 << 14;
constexpr std::uint64_t kLongStridedRun = 1 << 12;

} // namespace

VariableParts::VariableParts(const graph::Model &model, Cuts cuts) {
  first_.reserve(model.variables.size() + 1);
  elements_.reserve(model.variables.size());
  for (VariableId v = 0; v < model.variables.size(); ++v) {
    const std::uint64_t elements = model.variables[v].elements;
    elements_.push_back(elements);
    begins_.push_back(0);
    if (const auto found = cuts.find(v); found != cuts.end()) {
      std::vector<std::uint64_t> &at = found->second;
      std::sort(at.begin(), at.end());
      at.erase(std::unique(at.begin(), at.end()), at.end());
      if (at.size() < kMostPartsOfAVariable)
        std::copy_if(at.begin(), at.end(), std::back_inserter(begins_),
                     [&](std::uint64_t cut) { return cut > 0 && cut < elements; });
    }
    variables_.resize(begins_.size(), v);
    first_.push_back(static_cast<PartId>(begins_.size()));
  }
}

PartId VariableParts::partOf(VariableId variable, std::uint64_t element) const {
  const PartId first = first_[variable], end = first_[variable + 1];
  if (end - first == 1)
    return first;
  const auto after = std::upper_bound(begins_.begin() + first, begins_.begin() + end, element);
  return static_cast<PartId>(after - begins_.begin()) - 1;
}

void VariableParts::addTouched(const Run &run, std::vector<PartId> &out) const {
  if (run.count == 0)
    return;
  const PartId first = first_[run.variable];
  if (first_[run.variable + 1] - first == 1) {
    if (out.empty() || out.back() != first)
      out.push_back(first);
    return;
  }
  const bool dense = run.stride >= -1 && run.stride <= 1;
  if (!dense && run.count <= kLongStridedRun) {
    for (std::uint64_t i = 0; i < run.count; ++i)
      out.push_back(partOf(run.variable, graph::elementOf(run, i)));
    return;
  }
  // The initializer list makes copies; references would dangle.
  const auto [low, high] = std::minmax({run.begin, graph::lastElement(run)});
  for (PartId part = partOf(run.variable, low), last = partOf(run.variable, high); part <= last;
       ++part)
    out.push_back(part);
}

void VariableParts::addInside(VariableId variable, const Extent &extent,
                              std::vector<PartId> &out) const {
  const std::uint64_t elements = elements_[variable];
  const PartId end = first_[variable + 1];
  if (extent.begin >= extent.end)
    return;
  PartId part = partOf(variable, extent.begin);
  if (begins_[part] < extent.begin)
    ++part;
  for (; part < end && std::min(endOf(part), elements) <= extent.end; ++part)
    out.push_back(part);
}

} // namespace copse::compiler
