#include "pva/pva.hpp"

#include "poplar/exceptions.hpp"
#include "profile/report_data.hpp"

#include <filesystem>
#include <fstream>

namespace pva {
namespace {

using copse::profile::MemoryUse;

std::shared_ptr<Program> makeProgram(const copse::profile::ProgramReport &report) {
  switch (report.type) {
  case Program::Type::DoExchange:
    return std::make_shared<DoExchangeProgram>(report.type, report.name);
  case Program::Type::OnTileExecute:
    return std::make_shared<OnTileExecuteProgram>(report.type, report.name);
  case Program::Type::StreamCopyBegin:
  case Program::Type::StreamCopyMid:
  case Program::Type::StreamCopyEnd:
    return std::make_shared<StreamCopyProgram>(report.type, report.name);
  default:
    return std::make_shared<Program>(report.type, report.name);
  }
}

std::vector<Vertex> verticesOf(const Data &data, const std::vector<std::uint32_t> &types) {
  std::vector<Vertex> vertices;
  vertices.reserve(types.size());
  for (const std::uint32_t type : types)
    vertices.emplace_back(data->vertexTypes[type]);
  return vertices;
}

/// Handles for first .. first+n-1.
template <class Handle>
std::vector<Handle> handles(const Data &data, std::size_t n, std::size_t first = 0) {
  std::vector<Handle> all;
  all.reserve(n);
  for (std::size_t i = 0; i != n; ++i)
    all.emplace_back(data, first + i);
  return all;
}

MemoryCategory categoryOf(const copse::profile::TileReport &tile, MemoryUse use) {
  const copse::profile::MemoryBytes &bytes = tile.uses[static_cast<std::size_t>(use)];
  return MemoryCategory({bytes.plain, bytes.sharedPlain},
                        {bytes.interleaved, bytes.sharedInterleaved},
                        {bytes.overflowed, bytes.sharedOverflowed});
}

/// \p path, or the profile in it if it is a directory.
std::string profileIn(const std::string &path) {
  std::error_code unknown; // opening the file says why
  return std::filesystem::is_directory(path, unknown) ? path + "/profile.pop" : path;
}

} // namespace

MemoryCategory MemoryByCategory::variable() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::Variable);
}
MemoryCategory MemoryByCategory::constant() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::Constant);
}
MemoryCategory MemoryByCategory::vertexCode() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::VertexCode);
}
MemoryCategory MemoryByCategory::vertexInstanceState() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::VertexState);
}
MemoryCategory MemoryByCategory::vertexFieldData() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::VertexFieldData);
}
MemoryCategory MemoryByCategory::vectorListDescriptor() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::VectorListDescriptor);
}
MemoryCategory MemoryByCategory::copyDescriptor() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::CopyDescriptor);
}
MemoryCategory MemoryByCategory::controlCode() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::ControlCode);
}
MemoryCategory MemoryByCategory::internalExchangeCode() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::InternalExchangeCode);
}
MemoryCategory MemoryByCategory::hostExchangeCode() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::HostExchangeCode);
}
MemoryCategory MemoryByCategory::stack() const {
  return categoryOf(data_->tiles[tile_], MemoryUse::Stack);
}

MemoryTotal TileMemory::total() const {
  return MemoryTotal(data_->tiles[tile_].bytes, data_->tiles[tile_].bytesWithGaps);
}
std::vector<Vertex> TileMemory::vertices() const {
  return verticesOf(data_, data_->tiles[tile_].vertices);
}

std::string ComputeSet::name() const { return data_->computeSets[index_].name; }
std::vector<Vertex> ComputeSet::vertices() const {
  return verticesOf(data_, data_->computeSets[index_].vertices);
}

std::size_t GraphInfo::numVertices() const {
  std::size_t n = 0;
  for (const copse::profile::TileReport &tile : data_->tiles)
    n += tile.vertices.size();
  return n;
}
std::size_t GraphInfo::numComputeSets() const { return data_->computeSets.size(); }
std::size_t TargetInfo::numTiles() const { return data_->tiles.size(); }

std::vector<Tile> Compilation::tiles() const { return handles<Tile>(data_, data_->tiles.size()); }
std::vector<ComputeSet> Compilation::computeSets() const {
  return handles<ComputeSet>(data_, data_->computeSets.size());
}
std::vector<std::shared_ptr<Program>> Compilation::programs() const {
  std::vector<std::shared_ptr<Program>> programs;
  for (const copse::profile::ProgramReport &report : data_->programs)
    programs.push_back(makeProgram(report));
  return programs;
}

std::string ComputeSetRun::name() const {
  return data_->computeSets[data_->steps[step_].computeSets[index_].computeSet].name;
}
std::vector<std::uint64_t> ComputeSetRun::cyclesByTile() const {
  return data_->steps[step_].computeSets[index_].cyclesByTile;
}
std::vector<std::uint64_t> ComputeSetRun::estimatedCyclesByTile() const {
  return data_->steps[step_].computeSets[index_].estimatedCyclesByTile;
}

std::vector<ComputeSetRun> ExecutionStep::computeSets() const {
  std::vector<ComputeSetRun> runs;
  for (std::size_t i = 0; i != data_->steps[step_].computeSets.size(); ++i)
    runs.emplace_back(data_, step_, i);
  return runs;
}
std::shared_ptr<Program> ExecutionStep::program() const {
  return makeProgram(data_->programs[data_->steps[step_].program]);
}

std::uint64_t ExecutionStep::cycles() const {
  return data_->steps[step_].to - data_->steps[step_].from;
}

std::string Run::name() const { return data_->runs[index_].name; }
std::vector<ExecutionStep> Run::steps() const {
  const copse::profile::RunRecord &run = data_->runs[index_];
  return handles<ExecutionStep>(data_, run.steps, run.firstStep);
}

std::uint64_t Block::cyclesFrom() const { return data_->blocks[index_].from; }
std::uint64_t Block::cyclesTo() const { return data_->blocks[index_].to; }
unsigned Block::tile() const { return data_->blocks[index_].tile; }
bool Block::isStreamCopy() const {
  const Program::Type type = data_->programs[data_->blocks[index_].program].type;
  return type == Program::Type::StreamCopyBegin || type == Program::Type::StreamCopyMid ||
         type == Program::Type::StreamCopyEnd;
}
std::shared_ptr<Program> Block::program() const {
  return makeProgram(data_->programs[data_->blocks[index_].program]);
}

std::vector<Run> Execution::runs() const { return handles<Run>(data_, data_->runs.size()); }
std::vector<ExecutionStep> Execution::steps() const {
  return handles<ExecutionStep>(data_, data_->steps.size());
}
std::vector<Block> Execution::blocks(unsigned tile) const {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i != data_->blocks.size(); ++i)
    if (data_->blocks[i].tile == tile)
      blocks.emplace_back(data_, i);
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
  const std::string name = profileIn(path);
  std::ifstream file(name, std::ios::binary);
  if (!file)
    throw poplar::file_load_error("cannot open the profile '" + name + "'");
  return Report(
      std::make_shared<const copse::profile::ReportData>(copse::profile::readReport(file, name)));
}

} // namespace pva
