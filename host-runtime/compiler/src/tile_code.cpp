#include "tile_code.hpp"

#include "isa/memory_map.hpp"
#include "memory_recorder.hpp"

#include "popc/arch.hpp"
#include "popc/stand_in.hpp"
#include "poplar/Engine.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace copse::compiler {

using assembler::LinkedSection;
using assembler::Object;
using assembler::Symbol;

namespace {

constexpr std::uint32_t kStackAlign = 8;
/// The minimum for functions that the supervisor calls; the caller's own stack is separate.
constexpr std::uint32_t kSupervisorStack = 64;

std::uint32_t alignedUp(std::uint32_t value, std::uint32_t align) {
  return (value + align - 1) / align * align;
}

std::vector<const Object *> objectsOf(const graph::Model &model) {
  std::vector<const Object *> objects;
  for (const auto &module : model.modules)
    if (module->object)
      objects.push_back(module->object.get());
  return objects;
}

/// Native code that workers can run: a vertex type, or a function of a module.
struct Native {
  bool isFunction;
  std::uint32_t index; ///< index into the model's vertex types or modules
};

/// Returns native code by symbol. If several modules define a symbol, the first one is used.
std::map<std::string, Native> nativesOf(const graph::Model &model) {
  std::map<std::string, Native> natives;
  for (std::uint32_t t = 0; t < model.vertexTypes.size(); ++t) {
    const popc::VertexType &type = model.vertexTypes[t];
    if (!type.external && !type.supervisor)
      natives.emplace(type.symbol, Native{false, t});
  }
  for (std::uint32_t m = 0; m < model.modules.size(); ++m)
    for (const std::string &function : model.modules[m]->functions)
      natives.emplace(function, Native{true, m});
  return natives;
}

/// Returns true if a field stored in the state must be interleaved; then all data of the vertex's
/// tile are.
bool wantsInterleavedState(const popc::Field &field) {
  return field.interleaved && field.direction == popc::FieldDirection::State;
}

/// Returns a section's symbols with their sizes: from .size, or up to the next symbol.
std::vector<wire::CodeSymbol> symbolsOf(const LinkedSection &linked) {
  std::vector<wire::CodeSymbol> symbols;
  for (const Symbol &symbol : linked.object->symbols)
    if (symbol.section == linked.section)
      symbols.push_back({symbol.name, linked.address + symbol.offset, symbol.size});
  std::ranges::stable_sort(symbols, {}, &wire::CodeSymbol::address);
  const auto end = linked.address + static_cast<std::uint32_t>(linked.bytes.size());
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (symbols[i].bytes == 0)
      symbols[i].bytes =
          (i + 1 < symbols.size() ? symbols[i + 1].address : end) - symbols[i].address;
  return symbols;
}

} // namespace

bool startsWorkers(const graph::Model &model, std::uint32_t vertexType) {
  const popc::VertexType &type = model.vertexTypes[vertexType];
  return type.supervisor && !type.external &&
         !popc::standInOf(*model.modules[model.vertexTypeModule[vertexType]]).empty();
}

bool TileCode::isInvolved(std::uint32_t vertexType) const {
  return model_.vertexTypes[vertexType].external || startsWorkers(model_, vertexType);
}

TileCode::TileCode(const graph::Model &model, const VertexIndex &index, const TargetMemory &memory)
    : model_(model), memory_(memory), entryOf_(model.vertexTypes.size(), 0) {
  std::vector<bool> used(model.vertexTypes.size(), false);
  index.visitVertices([&](std::uint32_t vertex) { used[model.vertices[vertex].type] = true; });
  for (std::uint32_t t = 0; t < model.vertexTypes.size(); ++t)
    if (used[t] && isInvolved(t))
      types_.push_back(t);
  if (types_.empty())
    return;
  linkEntries();
  layOutStacks();
  findTiles(index);
}

void TileCode::linkEntries() {
  const auto objects = objectsOf(model_);
  std::vector<std::string> entries;
  for (const std::uint32_t t : types_) {
    const popc::VertexType &type = model_.vertexTypes[t];
    if (!type.external) {
      entryOf_[t] = static_cast<std::uint32_t>(entries.size());
      entries.push_back(popc::standInOf(*model_.modules[model_.vertexTypeModule[t]]));
      continue;
    }
    if (!assembler::defines(objects, type.symbol))
      throw poplar::link_error("vertex '" + type.name +
                                   "' is an external codelet, but nothing defines " + type.symbol +
                                   "; add its assembly source or a .gp file that has it, or let "
                                   "isExternalCodelet be false",
                               "undefined symbol: " + type.symbol);
    entryOf_[t] = static_cast<std::uint32_t>(entries.size());
    entries.push_back(type.symbol);
  }
  const auto map = isa::memoryMapOf(model_.arch);
  const std::uint64_t memoryEnd = memory_.base + memory_.bytes;
  const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(memoryEnd, map.interleaved));
  const auto natives = nativesOf(model_);
  std::vector<std::string> symbols;
  for (const auto &[symbol, native] : natives)
    symbols.push_back(symbol);
  try {
    code_ = assembler::link(
        objects, entries,
        {memory_.base, end, isa::kElementBytes, wire::kNativeEntries, wire::kNativeEntriesEnd},
        symbols);
  } catch (const assembler::LinkError &error) {
    throw poplar::link_error(error.what(), error.output);
  }
  for (const assembler::LinkedNative &linked : code_.natives) {
    const Native &native = natives.at(linked.symbol);
    if (native.isFunction)
      functions_.push_back({linked.symbol, native.index, linked.address});
    else
      natives_.emplace(native.index, linked.address);
  }
}

std::uint32_t TileCode::nativeEntryOf(std::uint32_t vertexType) const {
  const auto found = natives_.find(vertexType);
  return found == natives_.end() ? 0 : found->second;
}

/// A worker's stack grows down from its base, its scratch space up.
void TileCode::layOutStacks() {
  std::uint32_t workerStack = 0, supervisorStack = kSupervisorStack;
  for (const std::uint32_t t : types_) {
    const assembler::LinkedEntry &entry = code_.entries[entryOf_[t]];
    const bool isSupervisor = model_.vertexTypes[t].supervisor;
    std::uint32_t &own = isSupervisor ? supervisorStack : workerStack;
    own = std::max(own, entry.stackBytes);
    if (isSupervisor)
      workerStack = std::max(workerStack, entry.launchedStackBytes);
  }
  workerStack = alignedUp(workerStack, kStackAlign);
  std::uint32_t at = alignedUp(code_.end, kStackAlign);
  for (std::uint32_t worker = 0; worker < memory_.workers; ++worker) {
    stacks_.push_back(at + workerStack);
    at += workerStack + alignedUp(poplar::WORKER_SCRATCH_SIZE, kStackAlign);
  }
  at += alignedUp(supervisorStack, kStackAlign);
  stacks_.push_back(at);
  end_ = at;
}

void TileCode::findTiles(const VertexIndex &index) {
  struct Needs {
    std::vector<bool> sections;
    bool interleaved = false;
  };
  std::map<GlobalTile, Needs> needs;
  index.visitVertices([&](std::uint32_t number) {
    const graph::Vertex &vertex = model_.vertices[number];
    const popc::VertexType &type = model_.vertexTypes[vertex.type];
    if (!isInvolved(vertex.type))
      return;
    Needs &here = needs[vertex.tile];
    here.sections.resize(code_.sections.size(), false);
    for (const std::uint32_t section : code_.entries[entryOf_[vertex.type]].sections)
      here.sections[section] = true;
    here.interleaved = here.interleaved || std::ranges::any_of(type.fields, wantsInterleavedState);
  });
  tilesOf_.resize(code_.sections.size());
  for (const auto &[tile, here] : needs) {
    tiles_.push_back(tile);
    wantsInterleaved_.push_back(here.interleaved);
    for (std::size_t s = 0; s < here.sections.size(); ++s)
      if (here.sections[s])
        tilesOf_[s].push_back(tile);
  }
}

std::uint32_t TileCode::reservedOn(std::size_t tile) const {
  const auto interleaved = isa::memoryMapOf(model_.arch).interleaved;
  return wantsInterleaved_[tile] ? std::max(interleaved, end_) : end_;
}

void TileCode::reserve(TileAllocator &allocator) const {
  if (isEmpty())
    return;
  const auto isFirst = [this](GlobalTile tile) { return tile % model_.tilesPerIpu == 0; };
  const auto take = [&](GlobalTile tile, std::uint32_t end) {
    allocator.allocate(tile, end - memory_.base, kStackAlign);
  };
  // The control words have one address, on the first tile of every IPU.
  std::uint32_t onFirst = end_;
  for (std::size_t i = 0; i < tiles_.size(); ++i)
    if (isFirst(tiles_[i]))
      onFirst = std::max(onFirst, reservedOn(i));
    else
      take(tiles_[i], reservedOn(i));
  for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu)
    take(ipu * model_.tilesPerIpu, onFirst);
}

void TileCode::record(MemoryRecorder &recorder) const {
  if (isEmpty())
    return;
  const auto code = recorder.addItem({"vertexCode", MemoryUse::VertexCode, {}, {}});
  const auto stack = recorder.addItem({"stack", MemoryUse::Stack, {}, {}});
  for (std::size_t s = 0; s < code_.sections.size(); ++s)
    for (const GlobalTile tile : tilesOf_[s])
      recorder.add(tile, code, code_.sections[s].address, code_.sections[s].bytes.size());
  const std::uint32_t stacks = alignedUp(code_.end, kStackAlign);
  for (const GlobalTile tile : tiles_)
    recorder.add(tile, stack, stacks, end_ - stacks);
}

wire::CodeletFunction TileCode::functionOf(std::uint32_t vertexType) const {
  const popc::VertexType &type = model_.vertexTypes[vertexType];
  wire::CodeletFunction function;
  function.symbol = type.symbol;
  function.vertexType = type.name;
  function.multiVertex = type.multiVertex;
  function.kind = type.supervisor ? wire::CodeKind::Supervisor : wire::CodeKind::Worker;
  function.entry = code_.entries[entryOf_[vertexType]].address;
  return function;
}

wire::CodeSection TileCode::sectionFor(const LinkedSection &linked, wire::Image &image) const {
  wire::CodeSection section;
  section.address = linked.address;
  section.bytes = static_cast<std::uint32_t>(linked.bytes.size());
  section.offset = image.data.size();
  image.data.insert(image.data.end(), linked.bytes.begin(), linked.bytes.end());
  section.symbols = symbolsOf(linked);
  for (const assembler::SourceLine &line : linked.source().lines) {
    const std::string &file = linked.object->files[line.file];
    const auto found = std::ranges::find(image.sourceFiles, file);
    const auto number = static_cast<std::uint32_t>(found - image.sourceFiles.begin());
    if (found == image.sourceFiles.end())
      image.sourceFiles.push_back(file);
    section.lines.push_back({linked.address + line.offset, number, line.line});
  }
  return section;
}

void TileCode::emit(std::vector<wire::Image> &images) const {
  for (wire::Image &image : images)
    image.architecture = model_.arch;
  if (isEmpty())
    return;
  for (std::uint32_t ipu = 0; ipu < images.size(); ++ipu) {
    wire::Image &image = images[ipu];
    image.stacks = stacks_;
    for (std::size_t s = 0; s < code_.sections.size(); ++s) {
      wire::CodeSection section = sectionFor(code_.sections[s], image);
      for (const GlobalTile tile : tilesOf_[s])
        if (tile / model_.tilesPerIpu == ipu)
          section.tiles.push_back(tile % model_.tilesPerIpu);
      image.code.push_back(std::move(section));
    }
  }
}

} // namespace copse::compiler
