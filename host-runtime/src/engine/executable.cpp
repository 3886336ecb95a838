#include "poplar/Executable.hpp"

#include "compiler/compile.hpp"
#include "engine/engine_flags.hpp"
#include "engine/executable_file.hpp"
#include "engine/executable_impl.hpp"
#include "graph/access.hpp"
#include "graph/estimates.hpp"
#include "values/log.hpp"
#include "values/target_description.hpp"

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace poplar {

using copse::values::LogModule;
using copse::values::logOf;

namespace {

constexpr int kProgressRead = 10, kProgressCompiled = 90, kProgressTotal = 100;

copse::compiler::TileMemory tileMemoryOf(const Target &target) {
  const copse::values::TileFigures &tile = copse::values::describe(target).tile;
  return {tile.memoryBase, tile.bytesPerTile, tile.slotBits, tile.workers};
}

void logInput(const copse::graph::Model &model, std::size_t programs) {
  logOf(LogModule::Graph)
      .info("compiling {} variables, {} vertices, {} edges, {} compute sets, {} programs for {} "
            "replicas of {} IPUs",
            model.variables.size(), model.vertices.size(), model.edges.size(),
            model.computeSets.size(), programs, model.replicas, model.ipus);
}

void logOutput(const copse::compiler::Executable &program) {
  spdlog::logger &log = logOf(LogModule::Engine);
  if (!log.should_log(spdlog::level::info))
    return;
  std::uint64_t most = 0;
  for (const copse::compiler::TileUse &use : program.tileUses)
    most = std::max(most, use.total());
  const copse::wire::Image &image = program.images.front();
  log.info("compiled: {} steps, {} exchanges, {} host exchanges; the fullest tile uses {} bytes",
           image.steps.size(), image.exchanges.size(), image.hostExchanges.size(), most);
}

void saveArchive(const Executable::Impl &executable, const std::string &path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::string bytes = copse::engine::writeExecutable(executable);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush())
    throw file_load_error("target.saveArchive: '" + path + "' cannot be written");
}

} // namespace

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executable::Executable(Executable &&) noexcept = default;
Executable &Executable::operator=(Executable &&) noexcept = default;
Executable::~Executable() = default;
std::unique_ptr<Executable::Impl> Executable::release() { return std::move(impl_); }

void Executable::serialize(std::ostream &out) const {
  const std::string file = copse::engine::writeExecutable(*impl_);
  out.write(file.data(), static_cast<std::streamsize>(file.size()));
}

Executable Executable::deserialize(std::istream &in) {
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  return Executable(copse::engine::readExecutable(file));
}

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs,
                        const OptionFlags &flags, ProgressFunc progress, const DebugContext &) {
  const auto tell = [&](int done) {
    if (progress)
      progress(done, kProgressTotal);
  };
  tell(0);
  auto impl = std::make_unique<Executable::Impl>();
  impl->target = graph.getTarget();
  impl->options = flags;
  // A wrong option is found now, not when the engine is made.
  const auto options = copse::engine::checkedOptions(flags, impl->target);
  const auto model = copse::graph::modelOf(graph);
  std::vector<copse::graph::ProgramPtr> nodes;
  for (const program::Program &program : programs)
    nodes.push_back(copse::graph::nodeOf(program));
  logInput(*model, nodes.size());
  const copse::graph::Estimates estimates(graph);
  const auto cyclesOf = [&](std::uint32_t vertex) -> std::optional<std::uint64_t> {
    const auto estimate = estimates.of(vertex);
    return estimate ? std::optional(estimate->cycles) : std::nullopt;
  };
  tell(kProgressRead);
  impl->program = copse::compiler::compile(*model, nodes, tileMemoryOf(impl->target), cyclesOf);
  tell(kProgressCompiled);
  logOutput(impl->program);
  if (!options.archiveFile.empty())
    saveArchive(*impl, options.archiveFile);
  tell(kProgressTotal);
  return Executable(std::move(impl));
}

Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options, ProgressFunc progress,
                        const DebugContext &debugContext) {
  const Graph &kept = graph;
  return compileGraph(kept, programs, options, std::move(progress), debugContext);
}

} // namespace poplar
