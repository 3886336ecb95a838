#include "compiler/compile.hpp"

#include "check_tables.hpp"
#include "control_code.hpp"
#include "expand_replicas.hpp"
#include "hazards.hpp"
#include "input_values.hpp"
#include "memory_profile.hpp"
#include "memory_recorder.hpp"
#include "program_tree.hpp"
#include "step_times.hpp"
#include "tile_calls.hpp"
#include "tile_code.hpp"
#include "variable_dump.hpp"

#include "compiler/host_views.hpp"
#include "compiler/liveness.hpp"
#include "compiler/memory_rules.hpp"
#include "compiler/memory_sharing.hpp"
#include "graph/register_variables.hpp"
#include "popc/demangled.hpp"
#include "poplar/exceptions.hpp"
#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace copse::compiler {

using graph::Model;
using wire::Image;

namespace {

/// In Poplar's words, which programs look for.
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

/// The memory of a tile that needs more than the target has, if one does: in whole pages.
std::uint64_t memoryNeeded(const TileAllocator &allocator, const TargetMemory &memory) {
  constexpr std::uint64_t kPage = 4096;
  std::uint64_t most = 0;
  for (GlobalTile tile = 0; tile < allocator.tiles(); ++tile)
    most = std::max(most, allocator.bytesFor(tile));
  const std::uint64_t pages = (most + kPage - 1) / kPage * kPage;
  return std::max(memory.bytes, pages);
}

/// Whether a tile is so full that placing its blocks in another order cannot bring it below \p bytes. An
/// eighth is left for what depends on addresses: an edge may need a buffer in one order only.
bool isHopeless(const TileAllocator &allocator, const MemorySharing &sharing, std::uint64_t bytes) {
  for (GlobalTile tile = 0; tile < allocator.tiles(); ++tile)
    if (allocator.bytesFor(tile) > bytes && sharing.leastUsed(tile) > bytes + bytes / 8)
      return true;
  return false;
}

/// Codelet functions that the graph's vertices use, or their tile code starts, numbered in order of
/// vertex type.
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

/// Values of constants and setInitialValue, on the tiles where they lie.
class InitialValues {
public:
  InitialValues(const Model &model, const Placement &placement, std::vector<Image> &images)
      : model_(model), placement_(placement), images_(images) {}

  void emit(graph::VariableId id) {
    const graph::Variable &variable = model_.variables[id];
    for (const graph::InitialValue &value : variable.initial)
      emitMapped(id, value);
    if (variable.replicaIndex && variable.tiles.complete())
      emitReplicaIndex(id);
  }

private:
  Image &imageOf(wire::Region &region) {
    Image &image = images_[region.tile / model_.tilesPerIpu];
    region.tile %= model_.tilesPerIpu;
    return image;
  }

  /// Elements that no tile holds are ones that nothing uses: they need no value.
  void emitMapped(graph::VariableId id, const graph::InitialValue &value) {
    const graph::Variable &variable = model_.variables[id];
    const std::uint32_t size = graph::elementBytes(model_, variable.type);
    const bool same = value.bytes.size() == size;
    const auto emitRun = [&](const graph::Run &run, std::uint64_t first) {
      std::vector<wire::Region> regions;
      placement_.locate({&run, 1}, "setInitialValue()", regions);
      if (same)
        emitRepeated(regions, value.bytes);
      else
        emitEach(regions, std::span(value.bytes).subspan(first * size));
    };
    if (value.count == 0)
      return;
    if (value.stride != 1)
      return emitRun({id, value.begin, value.count, value.stride}, 0);
    for (const auto &piece : variable.tiles.pieces(value.begin, value.begin + value.count))
      if (piece.tile != graph::kNoTile)
        emitRun({id, piece.begin, piece.end - piece.begin, 1}, piece.begin - value.begin);
  }

  static std::uint64_t append(Image &image, std::span<const std::byte> bytes) {
    const std::uint64_t offset = image.data.size();
    image.data.insert(image.data.end(), bytes.begin(), bytes.end());
    return offset;
  }

  void emitRepeated(std::vector<wire::Region> &regions, std::span<const std::byte> value) {
    const auto size = static_cast<std::uint32_t>(value.size());
    for (wire::Region region : regions) {
      Image &image = imageOf(region);
      if (region.bytes > size) { // a contiguous piece of many elements
        region.count = region.bytes / size;
        region.stride = static_cast<std::int32_t>(size);
        region.bytes = size;
      }
      image.initial.push_back({region, append(image, value)});
    }
  }

  void emitEach(std::vector<wire::Region> &regions, std::span<const std::byte> values) {
    std::size_t at = 0;
    for (wire::Region region : regions) {
      Image &image = imageOf(region);
      for (std::uint32_t block = 0; block < region.count; ++block) {
        const auto address =
            static_cast<std::uint32_t>(region.address + std::int64_t{block} * region.stride);
        image.initial.push_back({{region.tile, address, region.bytes, 1, 0},
                                 append(image, values.subspan(at, region.bytes))});
        at += region.bytes;
      }
    }
  }

  void emitReplicaIndex(graph::VariableId id) {
    std::vector<wire::Region> regions;
    const graph::Run run{id, 0, 1, 1};
    placement_.locate({&run, 1}, "the replica index", regions);
    Image &image = imageOf(regions.front());
    image.replicaIndices.push_back({regions.front().tile, regions.front().address});
  }

  const Model &model_;
  const Placement &placement_;
  std::vector<Image> &images_;
};

/// Where the words of some registers of every tile lie.
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

/// The words that steps decide by, and the code that is kept free at the end of each tile's memory.
void recordControl(const Model &model, const ControlCells &cells,
                   const std::vector<std::uint64_t> &codeBytes, const TileAllocator &allocator,
                   MemoryRecorder &recorder) {
  const auto words = recorder.addItem({"controlWords", MemoryUse::ControlCode, {}, {}});
  for (std::uint32_t ipu = 0; ipu < model.ipus; ++ipu)
    recorder.add(ipu * model.tilesPerIpu, words, cells.address, cells.bytes());
  const auto code = recorder.addItem({"controlCode", MemoryUse::ControlCode, {}, {}});
  for (GlobalTile tile = 0; tile < codeBytes.size(); ++tile)
    recorder.add(tile, code, allocator.endOf(tile) - codeBytes[tile], codeBytes[tile]);
}

Optimizations optimizationsOf(const Liveness &liveness, const ComputeSetLowering &computeSets) {
  const auto edges = computeSets.countEdges();
  Optimizations saved{0, edges.inPlace, edges.buffered, edges.shared};
  for (graph::VariableId v = 0; v < liveness.homes.size(); ++v)
    saved.copiesElided += liveness.homes[v] != v;
  return saved;
}

constexpr unsigned kPlacedPercent = 60; // of a compilation: everything has its address

/// Of a program that is checked, between what shares no memory [bytes].
constexpr std::uint64_t kCheckedGap = 32;

/// How tile memory is given away. The next way is tried when a tile is too small, but not hopelessly.
enum class Attempt : std::uint8_t {
  Spread, ///< tiles may begin at different addresses (TileAllocator::spread)
  Plain,
  LargestFirst ///< PlacementOrder::LargestFirst
};

/// Bytes of variables on the tile that has most of them, if none share memory.
std::uint64_t mostBytesOfVariables(const Model &model) {
  std::vector<std::uint64_t> bytes(std::size_t{model.ipus} * model.tilesPerIpu);
  for (const graph::Variable &variable : model.variables)
    for (const auto &piece : variable.tiles.pieces(0, variable.elements))
      if (piece.tile < bytes.size())
        bytes[piece.tile] += (piece.end - piece.begin) * graph::elementBytes(model, variable.type);
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

/// Vertices and buffers, whose memory is not known yet, have as much left as variables.
std::uint32_t pagesToSpreadOver(const Model &model, const TargetMemory &memory) {
  constexpr std::uint64_t kShift = TileAllocator::kManyPages * TileAllocator::kPageBytes;
  return 2 * mostBytesOfVariables(model) + kShift < memory.bytes ? TileAllocator::kManyPages
                                                                 : TileAllocator::kFewPages;
}

/// A model without createReplicatedGraph() and inputs that are constants.
CompiledProgram compileFlat(const Model &model, std::span<const graph::ProgramPtr> programs,
                            const TargetMemory &memory, const CycleEstimate &estimate,
                            const sync::Scheme &scheme, const CompileWatch &watch,
                            Attempt attempt) {
  const auto tell = [&](unsigned percent) {
    if (watch.progress &&
        (attempt == Attempt::Spread || percent > kPlacedPercent)) // else it was told before
      watch.progress(percent);
  };
  const auto begin = [&](const char *pass) {
    if (watch.pass)
      watch.pass(pass);
  };
  CompiledProgram executable;
  executable.replicas = model.replicas;
  executable.images.resize(model.ipus);
  for (std::uint32_t ipu = 0; ipu < model.ipus; ++ipu) {
    executable.images[ipu].ipu = ipu;
    executable.images[ipu].ipusPerReplica = model.ipus;
    executable.images[ipu].geometry = {model.tilesPerIpu, memory.workers, memory.slotBits,
                                       memory.base, memory.bytes};
    executable.images[ipu].checks.present = memory.checked;
  }

  const std::uint32_t tiles = model.ipus * model.tilesPerIpu;
  TileAllocator allocator(tiles, memory.base,
                          memory.mayOverflow ? memory.addressable() : memory.bytes);
  begin("link tile code");
  const VertexIndex index(model, executedComputeSets(model, programs));
  const TileCode code(model, index, memory);
  // Where data lie among the elements of memory is the business of tile code only.
  const bool spread = attempt == Attempt::Spread && code.isEmpty();
  if (spread)
    allocator.spread(model.tilesPerIpu, pagesToSpreadOver(model, memory));
  code.reserve(allocator);
  if (memory.checked && !memory.sharing)
    allocator.leaveGaps(kCheckedGap);
  ControlCells cells{memory.base, maxRemoteRows(programs, model), model.ipus};
  for (std::uint32_t ipu = 0; ipu < model.ipus; ++ipu)
    cells.address = allocator.allocate(ipu * model.tilesPerIpu, cells.bytes(), 16);
  begin("find what is live when");
  const Liveness liveness =
      memory.sharing ? findLiveness(model, programs, index) : nothingShared(model);
  tell(20);
  begin("place variables");
  MemoryRules rules(model, index, liveness.homes);
  Placement placement(model, liveness, rules, allocator);
  begin("lay out vertex states");
  ComputeSetLowering computeSets(model, index, placement, rules, allocator);
  tell(40);
  begin("share memory");
  MemorySharing sharing(allocator, liveness.ranges);
  placement.placeShared(sharing, attempt == Attempt::LargestFirst ? PlacementOrder::LargestFirst
                                                                  : PlacementOrder::FirstUse);
  computeSets.placeBuffers(liveness, sharing);
  const std::vector<std::uint64_t> controlCode = reserveControlCode(model, index, allocator);
  tell(kPlacedPercent);
  const bool tooSmall = memoryNeeded(allocator, memory) > memory.bytes;
  const std::uint64_t wanted =
      allocator.overflowing().empty() ? memory.bytes : allocator.capacity();
  const bool hopeless = tooSmall && isHopeless(allocator, sharing, wanted);
  // A tile that may overflow does so from where it is full, which spreading would bring nearer.
  const bool another = spread ? memory.mayOverflow || !hopeless
                              : memory.sharing && attempt != Attempt::LargestFirst && !hopeless;
  if (tooSmall && another)
    return compileFlat(model, programs, memory, estimate, scheme, watch,
                       spread ? Attempt::Plain : Attempt::LargestFirst);
  begin("record the memory layout");
  MemoryRecorder recorder(allocator, liveness);
  code.record(recorder);
  recordControl(model, cells, controlCode, allocator, recorder);
  recorder.addVariables(model, placement);
  const std::vector<VertexBytes> states = computeSets.record(liveness, recorder);
  executable.memory = recorder.finish();
  checkFits(model, allocator, executable.memory);
  for (Image &image : executable.images)
    image.geometry.memoryBytes = memoryNeeded(allocator, memory);
  if (watch.variables)
    dumpVariables(model, placement, *watch.variables);
  begin("check for races");
  checkComputeSetHazards(model, index);
  tell(70);

  begin("emit compute sets");
  const auto functionOf = emitFunctions(model, index, code, executable);
  code.emit(executable.images);
  emitTileCalls(model, executable.modules, executable.images);
  InitialValues initial(model, placement, executable.images);
  for (graph::VariableId id = 0; id < model.variables.size(); ++id)
    initial.emit(id);
  if (memory.checked)
    emitVariables(model, placement, executable.images);
  auto lowered = computeSets.emit(executable.images, functionOf, estimate);
  for (Image &image : executable.images)
    image.checks.edgeExchanges =
        image.checks.present ? static_cast<std::uint32_t>(image.exchanges.size()) : 0;
  tell(90);
  begin("lower programs");
  ProgramLowering lowering(model, placement, cells, std::move(lowered), scheme, executable.images);
  lowering.lower(programs);
  executable.printed = lowering.takePrintedTensors();
  executable.blocks = lowering.takeBlocks();
  emitRegisters(model, placement, graph::kFloatingPointRegisters, executable.images,
                &wire::TileRegisters::floatingPoint);
  emitRegisters(model, placement, graph::kSeedRegisters, executable.images,
                &wire::TileRegisters::seeds);
  emitHostAccesses(model, placement, executable);
  describeHostSide(model, executable);
  executable.memory.stepTimes =
      timesOfSteps(lowering.stepNodes(), executable.images.front(), liveness, executable.memory);
  executable.memory.stepItems = recorder.itemsOfSteps(lowering.stepNodes());
  executable.memory.vertexTypes.resize(executable.images.front().functions.size());
  for (std::size_t type = 0; type < states.size(); ++type)
    if (states[type].vertices != 0)
      executable.memory.vertexTypes[functionOf[type]] = states[type];
  executable.optimizations = optimizationsOf(liveness, computeSets);
  executable.variableCount = model.variables.size();
  executable.edgeCount = model.edges.size();
  tell(100);
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
  return compileFlat(model, programs, memory, estimate, scheme, watch, Attempt::Spread);
}

} // namespace copse::compiler
