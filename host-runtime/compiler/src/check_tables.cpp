#include "check_tables.hpp"

#include "variable_regions.hpp"

#include <algorithm>
#include <tuple>

namespace copse::compiler {

NameList::NameList(std::vector<std::string> &names) : names_(&names) {
  for (std::uint32_t number = 0; number < names.size(); ++number)
    known_.emplace(names[number], number);
}

std::uint32_t NameList::numberOf(const std::string &name) {
  const auto [known, isNew] = known_.try_emplace(name, static_cast<std::uint32_t>(names_->size()));
  if (isNew)
    names_->push_back(name);
  return known->second;
}

void emitVariables(const graph::Model &model, const Placement &placement,
                   std::vector<wire::Image> &images) {
  std::vector<NameList> names;
  for (wire::Image &image : images)
    names.emplace_back(image.checks.names);
  visitRegions(model, placement, [&](graph::VariableId v, const auto &, const auto &region) {
    const std::uint32_t ipu = region.tile / model.tilesPerIpu;
    images[ipu].checks.variables.push_back({region.tile % model.tilesPerIpu, region.address,
                                            region.bytes,
                                            names[ipu].numberOf(model.variables[v].name)});
  });
  for (wire::Image &image : images)
    std::ranges::sort(image.checks.variables, {}, [](const wire::NamedRange &range) {
      return std::tuple(range.tile, range.address);
    });
}

} // namespace copse::compiler
