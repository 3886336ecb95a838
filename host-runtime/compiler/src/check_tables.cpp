#include "check_tables.hpp"

#include "variable_regions.hpp"

#include <algorithm>
#include <tuple>

namespace copse::compiler {

namespace {

/// Adds the ranges that a checker lets a vertex access: read its state, change its state fields,
/// and use its edges.
void addGiven(const graph::Model &model, const VertexIndex &index, const VertexMemory &memory,
              std::uint32_t vertex, NameList &names, wire::CheckTables &checks) {
  using Given = wire::GivenRange;
  const popc::VertexType &type = typeOfVertex(model, vertex);
  const VertexMemory::State &state = memory.state(vertex);
  const auto give = [&](std::uint32_t address, std::uint64_t bytes, const std::string &field,
                        std::uint32_t row, std::uint32_t elementBytes, std::uint32_t access) {
    checks.given.push_back({address, static_cast<std::uint32_t>(bytes), names.numberOf(field), row,
                            elementBytes, access});
  };
  give(state.address, state.layout.bytes, "", 0, 1, Given::kRead);
  std::vector<bool> connected(type.fields.size(), false);
  for (const std::uint32_t edge : index.edges[vertex])
    connected[model.edges[edge].field] = true;
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    const popc::Field &field = type.fields[f];
    if (connected[f] || field.direction != popc::FieldDirection::State)
      continue;
    const StateLayout::FieldPart &part = state.layout.fields[f];
    const bool isTable = part.size != 0;
    give(state.address + (isTable ? part.tableOffset : field.offset),
         isTable ? std::uint64_t{part.size} * field.elementBytes : field.bytes, field.name, 0,
         field.elementBytes, Given::kRead | Given::kWritten);
  }
  for (const std::uint32_t i : index.edges[vertex]) {
    const graph::Edge &edge = model.edges[i];
    const popc::Field &field = type.fields[edge.field];
    if (edge.elements != 0)
      give(memory.binding(i).address, edge.elements * field.elementBytes, field.name, edge.index,
           field.elementBytes,
           field.direction == popc::FieldDirection::Input ? Given::kRead
                                                          : Given::kRead | Given::kWritten);
  }
  checks.givenEnds.push_back(static_cast<std::uint32_t>(checks.given.size()));
}

} // namespace

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

void emitGiven(const graph::Model &model, const VertexIndex &index, const VertexMemory &memory,
               std::vector<wire::Image> &images) {
  std::vector<NameList> names;
  for (wire::Image &image : images)
    names.emplace_back(image.checks.names);
  for (std::uint32_t set = 0; set < model.computeSets.size(); ++set)
    for (const std::uint32_t vertex : verticesByTile(model, index, set)) {
      const std::uint32_t ipu = model.vertices[vertex].tile / model.tilesPerIpu;
      addGiven(model, index, memory, vertex, names[ipu], images[ipu].checks);
    }
}

} // namespace copse::compiler
