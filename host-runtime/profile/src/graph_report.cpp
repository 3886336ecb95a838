#include "graph_report.hpp"

#include "poplar/VersionString.hpp"
#include "types/target_description.hpp"
#include "wire/step_bodies.hpp"

#include <algorithm>

namespace copse::profile {

using wire::Image;
using wire::Op;
using Type = pva::Program::Type;

namespace {

bool leavesTheChip(const Image &image, std::uint32_t exchange) {
  return !image.exchanges[exchange].flows.empty() || !image.exchanges[exchange].replicaMap.empty();
}

ProgramReport programOf(const Image &image, const wire::Step &step) {
  switch (step.op) {
  case Op::ComputeSet:
    return {Type::OnTileExecute, image.computeSets[step.index].name};
  case Op::Exchange:
    return {leavesTheChip(image, step.index) ? Type::GlobalExchange : Type::DoExchange,
            image.exchanges[step.index].name};
  case Op::Sync:
    return {Type::Sync, wire::nameOf(static_cast<wire::SyncGroup>(step.index))};
  case Op::HostExchange:
    return {Type::StreamCopyMid, image.hostExchanges[step.index].name};
  case Op::RemoteCopy:
    return {Type::StreamCopyMid, image.remoteCopies[step.index].name};
  case Op::Repeat:
  case Op::While:
    return {Type::Repeat, ""};
  case Op::If:
    return {Type::If, ""};
  case Op::Switch:
    return {Type::Switch, ""};
  case Op::Call:
    return {Type::Call, ""};
  case Op::Case:
    return {Type::Sequence, ""};
  case Op::Print:
  case Op::Abort:
  case Op::ReadClock:
  case Op::AllTrue:
    break;
  }
  return {Type::Unknown, ""};
}

void reportMemory(const compiler::CompiledProgram &program, ReportData &report) {
  report.tiles.resize(program.tileUses.size());
  for (std::size_t tile = 0; tile < report.tiles.size(); ++tile) {
    const compiler::TileUse &use = program.tileUses[tile];
    TileReport &to = report.tiles[tile];
    to.bytes = to.bytesWithGaps = use.total();
    const auto set = [&](MemoryUse kind, std::uint64_t bytes) {
      to.uses[static_cast<std::size_t>(kind)].plain = bytes;
    };
    // The buffers of edges are where the exchange puts what vertices work on: variables of the
    // compiler's own.
    set(MemoryUse::Variable, use.variables + use.edgeBuffers);
    set(MemoryUse::Constant, use.constants);
    set(MemoryUse::VertexState, use.vertexStates);
    set(MemoryUse::VertexCode, use.code);
    set(MemoryUse::ControlCode, use.control);
  }
}

/// \param number  of the compute set in the images
void reportComputeSet(const compiler::CompiledProgram &program, std::uint32_t number,
                      ReportData &report) {
  ComputeSetReport computeSet{program.images.front().computeSets[number].name, {}};
  for (const Image &image : program.images)
    for (const wire::TileVertices &tile : image.computeSets[number].tiles)
      for (std::uint32_t i = tile.first; i < tile.first + tile.count; ++i) {
        const std::uint32_t type = image.computeSets[number].vertices[i].function;
        computeSet.vertices.push_back(type);
        report.tiles[image.ipu * image.geometry.tiles + tile.tile].vertices.push_back(type);
      }
  report.computeSets.push_back(std::move(computeSet));
}

} // namespace

std::vector<bool> reachableComputeSets(const Image &image) {
  std::vector<bool> reached(image.computeSets.size(), false);
  wire::visitReachable(image, image.programs, [&](std::uint32_t at) {
    if (image.steps[at].op == Op::ComputeSet)
      reached[image.steps[at].index] = true;
  });
  return reached;
}

ReportData reportOfGraph(const poplar::Executable::Impl &executable) {
  const compiler::CompiledProgram &program = executable.program;
  const Image &first = program.images.front();
  const types::TargetDescription &target = types::describe(executable.target);
  ReportData report;
  report.poplarVersion = poplar::versionString();
  report.target = {poplar::toString(target.targetType),
                   program.replicas,
                   target.numIPUs,
                   target.tilesPerIPU,
                   target.tile.bytesPerTile,
                   target.tile.clockFrequency};
  report.variables = program.variableCount;
  report.edges = program.edgeCount;
  for (const wire::CodeletFunction &function : first.functions)
    report.vertexTypes.push_back(function.vertexType);
  for (const wire::Step &step : first.steps)
    report.programs.push_back(programOf(first, step));
  reportMemory(program, report);
  const std::vector<bool> reached = reachableComputeSets(first);
  for (std::uint32_t set = 0; set < reached.size(); ++set)
    if (reached[set])
      reportComputeSet(program, set, report);
  return report;
}

} // namespace copse::profile
