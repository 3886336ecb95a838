#include "pva/pva.hpp"

#include "poplar/exceptions.hpp"
#include "profile/profile_data.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace pva {
namespace {

using copse::compiler::LiveRanges;
using copse::compiler::MemoryLayout;
using copse::profile::MemoryUse;
using copse::profile::TypeCount;

std::shared_ptr<Program> makeProgram(const Data &data, std::size_t index) {
  if (index >= data->programs.size()) // a block
    return std::make_shared<Program>(data, index);
  switch (data->programs[index].type) {
  case Program::Type::DoExchange:
    return std::make_shared<DoExchangeProgram>(data, index);
  case Program::Type::OnTileExecute:
    return std::make_shared<OnTileExecuteProgram>(data, index);
  case Program::Type::StreamCopyBegin:
  case Program::Type::StreamCopyMid:
  case Program::Type::StreamCopyEnd:
    return std::make_shared<StreamCopyProgram>(data, index);
  default:
    return std::make_shared<Program>(data, index);
  }
}

/// \param computeSet  kNoComputeSet: the vertices of a tile
std::vector<Vertex> verticesOf(const Data &data, const std::vector<TypeCount> &counts,
                               std::size_t computeSet = Vertex::kNoComputeSet) {
  std::vector<Vertex> vertices;
  for (const TypeCount &of : counts)
    vertices.insert(vertices.end(), of.count, Vertex(data, of.type, computeSet));
  return vertices;
}

/// Adds the vertices of \p set for whose type \p isWanted returns true to the count of each tile.
void countVertices(const copse::profile::ComputeSetReport &set, const auto &isWanted,
                   std::vector<std::uint64_t> &byTile) {
  for (const copse::profile::TileVertices &of : set.tiles)
    if (isWanted(of.type))
      for (std::uint32_t tile = of.first; tile < of.first + of.tiles; ++tile)
        byTile[tile] += of.vertices;
}

/// Returns the steps in [first, end) that are not in a body of another step there.
std::vector<std::shared_ptr<Program>> outerPrograms(const Data &data, std::size_t first,
                                                    std::size_t end) {
  std::vector<std::shared_ptr<Program>> outer;
  for (std::size_t i = first; i < end; i += 1 + data->programs[i].bodySteps)
    outer.push_back(makeProgram(data, i));
  return outer;
}

/// Returns handles for [first, first + n).
template <class Handle>
std::vector<Handle> handles(const Data &data, std::size_t n, std::size_t first = 0) {
  std::vector<Handle> all;
  all.reserve(n);
  for (std::size_t i = 0; i != n; ++i)
    all.emplace_back(data, first + i);
  return all;
}

/// Returns the listed steps of a run.
std::vector<ExecutionStep> listedSteps(const Data &data, std::size_t run) {
  const copse::profile::RunRecord &record = data->runs[run];
  std::vector<ExecutionStep> steps;
  for (std::uint32_t s = record.firstStep; s < record.firstStep + record.steps; ++s)
    if (data->steps[s].isListed)
      steps.emplace_back(data, run, s);
  return steps;
}

MemoryRegion regionOf(const copse::profile::UseBytes &bytes, copse::profile::MemoryRegion region) {
  const auto index = static_cast<std::size_t>(region);
  return {bytes.notOverlapped.bytes[index], bytes.overlapped.bytes[index]};
}

MemoryCategory categoryOf(const Data &data, std::size_t tile, MemoryUse use) {
  using copse::profile::MemoryRegion;
  const auto account = copse::profile::accountOfTile(data->memory, static_cast<std::uint32_t>(tile),
                                                     data->target.memory);
  const copse::profile::UseBytes &bytes = account.uses[static_cast<std::size_t>(use)];
  return {regionOf(bytes, MemoryRegion::NonInterleaved), regionOf(bytes, MemoryRegion::Interleaved),
          regionOf(bytes, MemoryRegion::Overflowed)};
}

/// Returns the size of memory that Copse does not have.
MemoryCategory nothing() { return {{0, 0}, {0, 0}, {0, 0}}; }

/// Returns the live items of memory for which \p isWanted(item) is true.
LiveMemory liveMemory(const Data &data, const auto &isWanted) {
  std::vector<Var> variables;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < data->memory.items.size(); ++i)
    if (const auto &item = data->memory.items[i]; item.bytes > 0 && isWanted(item)) {
      variables.emplace_back(data, i);
      all += item.bytes;
    }
  return {all, std::move(variables)};
}

bool isLive(const MemoryLayout &layout, LiveRanges::Id range, std::uint32_t time) {
  if (range == LiveRanges::kAlways || range == LiveRanges::kNever)
    return false;
  const auto &intervals = layout.ranges[range];
  const auto end =
      std::ranges::lower_bound(intervals, time, {}, &copse::compiler::LiveInterval::last);
  return end != intervals.end() && end->first <= time;
}

/// Returns the numbers of the steps that livenessProgramSteps() lists.
std::vector<std::size_t> livenessSteps(const Data &data) {
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < data->programs.size(); ++i)
    if (data->memory.stepTimes[i] != MemoryLayout::kNoTime)
      steps.push_back(i);
  return steps;
}

} // namespace

MemoryCategory MemoryByCategory::variable() const {
  return categoryOf(data_, tile_, MemoryUse::Variable);
}
MemoryCategory MemoryByCategory::constant() const {
  return categoryOf(data_, tile_, MemoryUse::Constant);
}
MemoryCategory MemoryByCategory::vertexCode() const {
  return categoryOf(data_, tile_, MemoryUse::VertexCode);
}
MemoryCategory MemoryByCategory::vertexInstanceState() const {
  return categoryOf(data_, tile_, MemoryUse::VertexInstance);
}
MemoryCategory MemoryByCategory::vertexFieldData() const {
  return categoryOf(data_, tile_, MemoryUse::VertexFieldData);
}
MemoryCategory MemoryByCategory::vectorListDescriptor() const {
  return categoryOf(data_, tile_, MemoryUse::VectorListDescriptor);
}
MemoryCategory MemoryByCategory::copyDescriptor() const { return nothing(); }
MemoryCategory MemoryByCategory::controlCode() const {
  return categoryOf(data_, tile_, MemoryUse::ControlCode);
}
MemoryCategory MemoryByCategory::internalExchangeCode() const { return nothing(); }
MemoryCategory MemoryByCategory::hostExchangeCode() const { return nothing(); }
MemoryCategory MemoryByCategory::stack() const {
  return categoryOf(data_, tile_, MemoryUse::Stack);
}
MemoryCategory MemoryByCategory::message() const {
  return categoryOf(data_, tile_, MemoryUse::MessageBuffer);
}
MemoryCategory MemoryByCategory::rearrangement() const {
  return categoryOf(data_, tile_, MemoryUse::RearrangementBuffer);
}

const std::string &VertexType::name() const { return data_->vertexTypes[type_]; }
std::uint64_t VertexType::size() const {
  const copse::compiler::VertexBytes &all = data_->memory.vertexTypes[type_];
  return all.vertices == 0 ? 0 : (all.total() + all.vertices - 1) / all.vertices;
}

std::vector<std::uint64_t> Vertex::countByTile() const {
  std::vector<std::uint64_t> byTile(data_->tiles.size(), 0);
  const auto isOfType = [this](std::uint32_t type) { return type == type_; };
  if (computeSet_ != kNoComputeSet)
    countVertices(data_->computeSets[computeSet_], isOfType, byTile);
  else
    for (const copse::profile::ComputeSetReport &set : data_->computeSets)
      countVertices(set, isOfType, byTile);
  return byTile;
}

std::uint64_t DebugContext::id() const {
  if (name_.empty())
    return 0;
  std::uint64_t hash = 0xCBF29CE484222325ULL; // FNV-1a
  for (const char c : name_)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}
std::string DebugContext::json() const {
  return nlohmann::json{{"id", id()}, {"name", name_}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Var::name() const { return data_->memory.items[item_].name; }
std::uint64_t Var::bytes() const { return data_->memory.items[item_].bytes; }
bool Var::alwaysLive() const { return data_->memory.items[item_].range == LiveRanges::kAlways; }
std::string Var::type() const { return data_->memory.items[item_].type; }
std::vector<std::size_t> Var::shape() const { return data_->memory.items[item_].shape; }

MemoryTotal TileMemory::total() const {
  const auto account = copse::profile::accountOfTile(
      data_->memory, static_cast<std::uint32_t>(tile_), data_->target.memory);
  return {account.withoutGaps(), account.withGaps};
}
std::vector<Vertex> TileMemory::vertices() const {
  return verticesOf(data_, data_->tiles[tile_].vertices);
}

std::string ComputeSet::name() const { return data_->computeSets[index_].name; }
std::vector<Vertex> ComputeSet::vertices() const {
  return verticesOf(data_, data_->computeSets[index_].vertices, index_);
}

Program::Type Program::type() const {
  return index_ < data_->programs.size() ? data_->programs[index_].type : Type::Sequence;
}
std::string Program::name() const {
  const std::size_t steps = data_->programs.size();
  return index_ < steps ? data_->programs[index_].name : data_->blocks[index_ - steps].name;
}
std::vector<std::shared_ptr<Program>> Program::children() const {
  const std::size_t steps = data_->programs.size();
  if (index_ < steps)
    return outerPrograms(data_, index_ + 1, index_ + 1 + data_->programs[index_].bodySteps);
  const copse::profile::BlockReport &block = data_->blocks[index_ - steps];
  return outerPrograms(data_, block.first, block.first + block.count);
}
std::vector<Var> Program::variables() const {
  std::vector<Var> vars;
  for (const std::uint32_t item : data_->memory.stepItems[index_])
    vars.emplace_back(data_, item);
  return vars;
}
std::vector<std::uint64_t> Program::controlCodeByTile() const {
  std::vector<std::uint64_t> bytes(data_->tiles.size(), 0);
  if (type() != Type::OnTileExecute || data_->target.architecture == "cpu")
    return bytes;
  countVertices(
      data_->computeSets[data_->programs[index_].index], [](std::uint32_t) { return true; }, bytes);
  for (std::uint64_t &here : bytes) // vertices so far
    if (here != 0)
      here = copse::compiler::kComputeSetCodeBytes + here * copse::compiler::kVertexCodeBytes;
  return bytes;
}
std::vector<std::uint64_t> Program::codeBytesByTile() const {
  return std::vector<std::uint64_t>(data_->tiles.size(), 0);
}
ComputeSet OnTileExecuteProgram::computeset() const {
  return {data(), data()->programs[index()].index};
}

std::size_t GraphInfo::numVertices() const {
  std::size_t n = 0;
  for (const copse::profile::TileReport &tile : data_->tiles)
    for (const TypeCount &of : tile.vertices)
      n += of.count;
  return n;
}
std::size_t GraphInfo::numComputeSets() const { return data_->computeSets.size(); }
std::size_t GraphInfo::numVars() const { return data_->variables; }
std::size_t GraphInfo::numEdges() const { return data_->edges; }

std::size_t TargetInfo::numTiles() const { return data_->tiles.size(); }
std::size_t TargetInfo::numIPUs() const { return ipusPerReplica() * numReplicas(); }
std::size_t TargetInfo::numReplicas() const { return data_->target.replicas; }
std::size_t TargetInfo::ipusPerReplica() const { return data_->target.ipus; }
std::size_t TargetInfo::tilesPerIpu() const { return data_->target.tilesPerIpu; }
std::uint64_t TargetInfo::bytesPerTile() const { return data_->target.bytesPerTile; }
std::uint64_t TargetInfo::bytesPerIPU() const { return bytesPerTile() * tilesPerIpu(); }
std::uint64_t TargetInfo::totalMemory() const {
  return bytesPerTile() * numTiles() * numReplicas();
}
IPU::Architecture TargetInfo::architecture() const {
  const std::string &name = data_->target.architecture;
  if (name == "ipu1")
    return IPU::Architecture::Ipu1;
  if (name == "ipu2")
    return IPU::Architecture::Ipu2;
  return name == "ipu21" ? IPU::Architecture::Ipu21 : IPU::Architecture::Unknown;
}
double TargetInfo::clockFrequency() const { return data_->target.clockHz; }

std::shared_ptr<Program> LivenessProgramStep::program() const {
  return makeProgram(data_, program_);
}
LiveMemory LivenessProgramStep::notAlwaysLiveMemory() const {
  const std::uint32_t time = data_->memory.stepTimes[program_];
  return liveMemory(data_, [&](const copse::compiler::MemoryItem &item) {
    return isLive(data_->memory, item.range, time);
  });
}

std::vector<Tile> Compilation::tiles() const { return handles<Tile>(data_, data_->tiles.size()); }
std::vector<ComputeSet> Compilation::computeSets() const {
  return handles<ComputeSet>(data_, data_->computeSets.size());
}
std::vector<std::shared_ptr<Program>> Compilation::programs() const {
  std::vector<std::shared_ptr<Program>> programs;
  for (std::size_t i = 0; i < data_->programs.size(); ++i)
    programs.push_back(makeProgram(data_, i));
  return programs;
}
std::vector<LivenessProgramStep> Compilation::livenessProgramSteps() const {
  std::vector<LivenessProgramStep> steps;
  for (const std::size_t step : livenessSteps(data_))
    steps.emplace_back(data_, step);
  return steps;
}
LiveMemory Compilation::alwaysLiveMemory() const {
  return liveMemory(data_, [](const copse::compiler::MemoryItem &item) {
    return item.range == LiveRanges::kAlways;
  });
}

std::vector<StepInterval> EquivalenceClass::steps() const {
  const std::vector<std::size_t> all = livenessSteps(data_);
  std::vector<StepInterval> intervals;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool isLiveHere = range_ == LiveRanges::kAlways ||
                            isLive(data_->memory, range_, data_->memory.stepTimes[all[i]]);
    if (!isLiveHere)
      continue;
    if (!intervals.empty() && intervals.back().end == i)
      ++intervals.back().end;
    else
      intervals.push_back({i, i + 1});
  }
  return intervals;
}

std::uint64_t BriefVar::bytes() const { return data_->memory.blocks[block_].bytes; }
EquivalenceClass BriefVar::equivalenceClass() const {
  return {data_, data_->memory.items[data_->memory.blocks[block_].item].range};
}

std::vector<BriefVar> LoweredVariables::allBriefVars() const {
  std::vector<BriefVar> vars;
  vars.reserve(data_->memory.blocks.size());
  for (std::size_t tile = 0; tile < data_->tiles.size(); ++tile)
    for (std::uint64_t block = data_->memory.firstBlock[tile];
         block < data_->memory.firstBlock[tile + 1]; ++block)
      vars.emplace_back(data_, tile, block);
  return vars;
}

std::vector<std::shared_ptr<Program>> Operation::programs() const {
  std::vector<std::shared_ptr<Program>> programs;
  for (const std::size_t index : programs_)
    programs.push_back(makeProgram(data_, index));
  return programs;
}
std::vector<Var> Operation::vars() const {
  std::set<std::uint32_t> items;
  for (const std::size_t index : programs_)
    items.insert(data_->memory.stepItems[index].begin(), data_->memory.stepItems[index].end());
  std::vector<Var> vars;
  for (const std::uint32_t item : items)
    vars.emplace_back(data_, item);
  return vars;
}
std::vector<std::size_t> Operation::stepIndices() const {
  const std::vector<std::size_t> all = livenessSteps(data_);
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::ranges::binary_search(programs_, all[i]))
      indices.push_back(i);
  return indices;
}
std::size_t Operation::firstStepIndex() const {
  const std::vector<std::size_t> indices = stepIndices();
  return indices.empty() ? 0 : indices.front();
}
std::size_t Operation::lastStepIndex() const {
  const std::vector<std::size_t> indices = stepIndices();
  return indices.empty() ? 0 : indices.back();
}

OperationAnalysis::OperationAnalysis(const Report &report) {
  const Data &data = report.data_;
  std::map<std::string, std::size_t> numbers;
  std::vector<std::pair<std::string, std::vector<std::size_t>>> found;
  for (std::size_t i = 0; i < data->programs.size(); ++i) {
    const std::string &name = data->programs[i].name;
    const auto [number, isNew] = numbers.try_emplace(name, found.size());
    if (isNew)
      found.push_back({name, {}});
    found[number->second].second.push_back(i);
  }
  for (auto &[name, programs] : found)
    operations_.emplace_back(data, name, std::move(programs));
}

std::string ComputeSetRun::name() const {
  return data_->computeSets[data_->costs[cost_].computeSet].name;
}
std::vector<std::uint64_t> ComputeSetRun::cyclesByTile() const {
  return copse::profile::cyclesByTile(*data_, data_->costs[cost_]);
}
std::vector<std::uint64_t> ComputeSetRun::estimatedCyclesByTile() const {
  return copse::profile::cyclesByTile(*data_, data_->costs[cost_]);
}

std::vector<ComputeSetRun> ExecutionStep::computeSets() const {
  const std::uint32_t cost = data_->steps[step_].cost;
  if (cost == copse::profile::StepReport::kNoCost)
    return {};
  return {ComputeSetRun(data_, cost)};
}
std::shared_ptr<Program> ExecutionStep::program() const {
  return makeProgram(data_, data_->steps[step_].program);
}
std::vector<std::uint64_t> ExecutionStep::cyclesByTile() const {
  return copse::profile::cyclesByTile(*data_, data_->runs[run_], static_cast<std::uint32_t>(step_));
}
std::vector<IPUStep> ExecutionStep::ipus() const {
  std::vector<IPUStep> ipus;
  const auto step = static_cast<std::uint32_t>(step_);
  for (std::uint32_t ipu = 0; ipu < data_->target.ipus; ++ipu)
    ipus.emplace_back(data_->startOf(data_->runs[run_], step, ipu), data_->endOf(step, ipu));
  return ipus;
}
std::uint64_t ExecutionStep::cycles() const {
  return spanOf(*data_, data_->runs[run_], static_cast<std::uint32_t>(step_)).cycles;
}
std::uint64_t ExecutionStep::cyclesFrom() const {
  return spanOf(*data_, data_->runs[run_], static_cast<std::uint32_t>(step_)).from;
}
std::uint64_t ExecutionStep::cyclesTo() const {
  return spanOf(*data_, data_->runs[run_], static_cast<std::uint32_t>(step_)).to;
}

std::string Run::name() const { return data_->runs[index_].name; }
std::vector<ExecutionStep> Run::steps() const { return listedSteps(data_, index_); }
std::uint64_t Run::cycles() const { return data_->runs[index_].to - data_->runs[index_].from; }
double Run::microseconds() const {
  return static_cast<double>(cycles()) / data_->target.clockHz * 1e6;
}

bool Block::isStreamCopy() const {
  const Program::Type type = program()->type();
  return type == Program::Type::StreamCopyBegin || type == Program::Type::StreamCopyMid ||
         type == Program::Type::StreamCopyEnd;
}
std::shared_ptr<Program> Block::program() const { return makeProgram(data_, program_); }

std::vector<Run> Execution::runs() const { return handles<Run>(data_, data_->runs.size()); }
std::vector<ExecutionStep> Execution::steps() const {
  std::vector<ExecutionStep> steps;
  for (std::size_t run = 0; run < data_->runs.size(); ++run) {
    const std::vector<ExecutionStep> more = listedSteps(data_, run);
    steps.insert(steps.end(), more.begin(), more.end());
  }
  return steps;
}
std::vector<Block> Execution::blocks(unsigned tile) const {
  std::vector<Block> blocks;
  if (tile < data_->tiles.size())
    for (const copse::profile::Block &block : copse::profile::blocksOf(*data_, tile))
      blocks.emplace_back(data_, tile, block.program, block.from, block.to);
  return blocks;
}

Execution Report::execution() const {
  if (!data_->hasExecution)
    throw poplar::missing_profile_data(
        "the report has no execution: run the program with debug.instrument or "
        "autoReport.outputExecutionProfile, or on a model device");
  return Execution(data_);
}
Version Report::poplarVersion() const { return Version(data_->poplarVersion); }

Report openReport(const std::string &path) {
  return Report(
      std::make_shared<const copse::profile::ReportData>(copse::profile::readReport(path)));
}

} // namespace pva
