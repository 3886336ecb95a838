#include "compiler/compile.hpp"

#include "check_tables.hpp"
#include "expand_replicas.hpp"
#include "hazards.hpp"
#include "initial_values.hpp"
#include "input_values.hpp"
#include "memory_plan.hpp"
#include "memory_profile.hpp"
#include "memory_recorder.hpp"
#include "program_tree.hpp"
#include "step_times.hpp"
#include "tile_calls.hpp"
#include "tile_code.hpp"
#include "variable_dump.hpp"
#include "vertex_bytes.hpp"

#include "compiler/host_views.hpp"
#include "graph/register_variables.hpp"
#include "popc/demangled.hpp"
#include "poplar/exceptions.hpp"
#include "wire/codelet_abi.hpp"

#include <limits>
#include <memory>

namespace copse::compiler {

using graph::Model;
using wire::Image;

namespace {

/// Poplar's text, for which programs search.
const std::string kOutOfMemory =
    "Out of memory: Cannot fit all variable data onto one or more tiles";

void checkFits(const Model &model, const TileAllocator &allocator, const MemoryLayout &layout) {
  const auto tiles = allocator.overflowing();
  if (tiles.empty())
    return;
  const GlobalTile worst = tiles.front();
  throw poplar::graph_memory_allocation_error(
      kOutOfMemory + ": IPU " + std::to_string(worst / model.tilesPerIpu) + " tile " +
      std::to_string(worst % model.tilesPerIpu) + " needs " + grouped(allocator.used(worst)) +
      " bytes, but has " + grouped(allocator.capacity()) +
      (tiles.size() > 1 ? "; " + std::to_string(tiles.size() - 1) + " more tile(s) do not fit"
                        : "") +
      "; map the variables over more tiles. The worst tiles:" +
      memoryProfile(model.tilesPerIpu, tiles, layout));
}

/// Adds the codelet functions that the graph's vertices use or their tile code starts, numbered in
/// the order of vertex types.
std::vector<std::uint32_t> emitFunctions(const Model &model, const VertexIndex &index,
                                         const TileCode &code, CompiledProgram &executable) {
  std::vector<bool> used(model.vertexTypes.size(), false);
  index.visitVertices([&](std::uint32_t vertex) { used[model.vertices[vertex].type] = true; });
  for (std::uint32_t t = 0; t < model.vertexTypes.size(); ++t)
    used[t] = used[t] || code.nativeEntryOf(t) != 0;
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> functionOf(model.vertexTypes.size(), kNone);
  std::vector<std::uint32_t> moduleOf(model.modules.size(), kNone);
  std::vector<wire::CodeletFunction> functions;
  std::vector<wire::ModuleRef> modules;
  const auto moduleAt = [&](std::uint32_t m) {
    if (moduleOf[m] == kNone) {
      moduleOf[m] = static_cast<std::uint32_t>(modules.size());
      modules.push_back({model.modules[m]->sha256, model.modules[m]->name});
      executable.modules.push_back(model.modules[m]);
    }
    return moduleOf[m];
  };
  for (std::uint32_t t = 0; t < model.vertexTypes.size(); ++t) {
    if (!used[t])
      continue;
    const popc::VertexType &type = model.vertexTypes[t];
    functionOf[t] = static_cast<std::uint32_t>(functions.size());
    if (type.external) {
      functions.push_back(code.functionOf(t));
      continue;
    }
    functions.push_back(
        {moduleAt(model.vertexTypeModule[t]), type.symbol, type.name, type.multiVertex,
         startsWorkers(model, t) ? wire::CodeKind::NativeSupervisor : wire::CodeKind::Native,
         code.nativeEntryOf(t)});
  }
  for (const TileCode::CalledFunction &called : code.calledFunctions())
    functions.push_back({moduleAt(called.module), wire::kFunctionPrefix + called.symbol,
                         popc::demangled(called.symbol), false, wire::CodeKind::NativeFunction,
                         called.entry});
  for (Image &image : executable.images) {
    image.functions = functions;
    image.modules = modules;
  }
  return functionOf;
}

/// Adds the addresses of some registers of every tile.
void emitRegisters(const Model &model, const Placement &placement, const char *name,
                   std::vector<Image> &images,
                   std::vector<std::uint32_t> wire::TileRegisters::*addresses) {
  const auto registers = model.tileRegisters.find(name);
  if (registers == model.tileRegisters.end())
    return;
  const std::size_t words = model.variables[registers->second].shape[1];
  for (std::uint32_t tile = 0; tile < model.ipus * model.tilesPerIpu; ++tile) {
    const graph::Run run{registers->second, tile * words, words, 1};
    std::vector<wire::Region> regions;
    placement.locate({&run, 1}, name, regions);
    (images[tile / model.tilesPerIpu].registers.*addresses).push_back(regions.front().address);
  }
}

void emitHostAccesses(const Model &model, const Placement &placement, CompiledProgram &executable) {
  for (const graph::HostAccessDef &access : model.hostAccesses) {
    const std::string user =
        std::string(access.write ? "host write '" : "host read '") + access.handle + "'";
    const auto runs = access.view.runs();
    if (access.write)
      checkNotConstant(model, runs, user);
    std::vector<wire::Region> regions;
    placement.locate(runs, user, regions);
    auto views = splitRow(regions, model.ipus, model.tilesPerIpu);
    const auto index = static_cast<std::uint32_t>(executable.images[0].hostViews.size());
    executable.hostAccesses.push_back({access.handle, access.write, index, views[0].rowBytes});
    for (std::uint32_t ipu = 0; ipu < model.ipus; ++ipu)
      executable.images[ipu].hostViews.push_back(std::move(views[ipu]));
  }
}

void describeHostSide(const Model &model, CompiledProgram &executable) {
  for (const graph::StreamDef &stream : model.streams)
    executable.streams.push_back(
        {stream, stream.elements * graph::elementBytes(model, stream.type)});
  for (const graph::RemoteBufferDef &buffer : model.remoteBuffers)
    executable.remoteBuffers.push_back(
        {buffer, buffer.elements * graph::elementBytes(model, buffer.type)});
}

/// Records the control words, and the estimated supervisor code that is kept free at the end of
/// each tile's memory.
void recordControl(const Model &model, const MemoryPlan &plan, MemoryRecorder &recorder) {
  const ControlCells &cells = plan.cells();
  const auto words = recorder.addItem({"controlWords", MemoryUse::ControlCode, {}, {}});
  for (std::uint32_t ipu = 0; ipu < model.ipus; ++ipu)
    recorder.add(ipu * model.tilesPerIpu, words, cells.address, cells.bytes());
  const auto code = recorder.addItem({"controlCode", MemoryUse::ControlCode, {}, {}});
  const std::vector<std::uint64_t> &bytes = plan.controlCode();
  for (GlobalTile tile = 0; tile < bytes.size(); ++tile)
    recorder.add(tile, code, plan.allocator().endOf(tile) - bytes[tile], bytes[tile]);
}

Optimizations optimizationsOf(const MemoryPlan &plan) {
  const auto edges = plan.vertices().countEdges();
  const std::vector<graph::VariableId> &homes = plan.liveness().homes;
  Optimizations saved{0, edges.inPlace, edges.buffered, edges.shared};
  for (graph::VariableId v = 0; v < homes.size(); ++v)
    saved.copiesElided += homes[v] != v;
  return saved;
}

CompiledProgram withoutContents(const Model &model, const TargetMemory &memory) {
  CompiledProgram executable;
  executable.replicas = model.replicas;
  executable.variableCount = model.variables.size();
  executable.edgeCount = model.edges.size();
  executable.images.resize(model.ipus);
  for (std::uint32_t ipu = 0; ipu < model.ipus; ++ipu) {
    executable.images[ipu].ipu = ipu;
    executable.images[ipu].ipusPerReplica = model.ipus;
    executable.images[ipu].geometry = {model.tilesPerIpu, memory.workers, memory.slotBits,
                                       memory.base, memory.bytes};
    executable.images[ipu].checks.present = memory.checked;
  }
  return executable;
}

void emitAllRegisters(const Model &model, const Placement &placement, std::vector<Image> &images) {
  emitRegisters(model, placement, graph::kFloatingPointRegisters, images,
                &wire::TileRegisters::floatingPoint);
  emitRegisters(model, placement, graph::kSeedRegisters, images, &wire::TileRegisters::seeds);
}

/// Fills the check tables of all images, which must have all exchanges of compute sets by now.
void emitCheckTables(const Model &model, const VertexIndex &index, const MemoryPlan &plan,
                     std::vector<Image> &images) {
  emitVariables(model, plan.placement(), images);
  emitGiven(model, index, plan.vertices(), images);
  for (Image &image : images)
    image.checks.edgeExchanges = static_cast<std::uint32_t>(image.exchanges.size());
}

/// Compiles a model that has neither createReplicatedGraph() nor constant inputs.
CompiledProgram compileFlat(const Model &model, std::span<const graph::ProgramPtr> programs,
                            const TargetMemory &memory, const CycleEstimate &estimate,
                            const sync::Scheme &scheme, const CompileWatch &watch) {
  CompileProgress progress(watch);
  progress.begin("link tile code");
  const VertexIndex index(model, executedComputeSets(model, programs));
  const TileCode code(model, index, memory);
  const PlanInputs inputs{model, programs, memory, index, code};
  const std::unique_ptr<const MemoryPlan> plan = findMemoryPlan(inputs, progress);
  const Placement &placement = plan->placement();

  progress.begin("record the memory layout");
  CompiledProgram executable = withoutContents(model, memory);
  MemoryRecorder recorder(plan->allocator(), plan->liveness());
  code.record(recorder);
  recordControl(model, *plan, recorder);
  recorder.addVariables(model, placement);
  const std::vector<VertexBytes> states =
      recordVertices(model, index, plan->vertices(), plan->liveness(), recorder);
  executable.memory = recorder.finish();
  checkFits(model, plan->allocator(), executable.memory);
  for (Image &image : executable.images)
    image.geometry.memoryBytes = plan->bytesNeeded();
  if (watch.variables)
    dumpVariables(model, placement, *watch.variables);
  progress.begin("check for races");
  checkComputeSetHazards(model, index);
  progress.reach(70);

  progress.begin("emit compute sets");
  const auto functionOf = emitFunctions(model, index, code, executable);
  code.emit(executable.images);
  emitTileCalls(model, executable.modules, executable.images);
  emitInitialValues(model, placement, executable.images);
  const ComputeSetLowering computeSets(model, index, placement, plan->vertices());
  auto lowered = computeSets.emit(executable.images, functionOf, estimate);
  if (memory.checked)
    emitCheckTables(model, index, *plan, executable.images);
  progress.reach(90);

  progress.begin("lower programs");
  ProgramLowering lowering(model, placement, plan->cells(), std::move(lowered), scheme,
                           executable.images);
  lowering.lower(programs);
  executable.printed = lowering.takePrintedTensors();
  executable.blocks = lowering.takeBlocks();
  emitAllRegisters(model, placement, executable.images);
  emitHostAccesses(model, placement, executable);
  describeHostSide(model, executable);
  executable.memory.stepTimes = timesOfSteps(lowering.stepNodes(), executable.images.front(),
                                             plan->liveness(), executable.memory);
  executable.memory.stepItems = recorder.itemsOfSteps(lowering.stepNodes());
  executable.memory.vertexTypes.resize(executable.images.front().functions.size());
  for (std::size_t type = 0; type < states.size(); ++type)
    if (states[type].vertices != 0)
      executable.memory.vertexTypes[functionOf[type]] = states[type];
  executable.optimizations = optimizationsOf(*plan);
  progress.reach(100);
  return executable;
}

} // namespace

CompiledProgram compile(const Model &model, std::span<const graph::ProgramPtr> programs,
                        const TargetMemory &memory, const CycleEstimate &estimate,
                        const sync::Scheme &scheme, const CompileWatch &watch) {
  if (!model.replications.empty()) {
    const ExpandedModel expanded = expandReplicas(model, programs);
    return compile(expanded.model, expanded.programs, memory, expanded.estimate(estimate), scheme,
                   watch);
  }
  if (const auto changed = withInputConstants(model))
    return compile(*changed, programs, memory, estimate, scheme, watch);
  return compileFlat(model, programs, memory, estimate, scheme, watch);
}

} // namespace copse::compiler
