#include "poplar/Executable.hpp"

#include "compiler/compile.hpp"
#include "engine/executable_impl.hpp"
#include "graph/access.hpp"
#include "graph/estimates.hpp"
#include "values/engine_options.hpp"
#include "values/target_description.hpp"

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

namespace {

constexpr int kProgressTotal = 100;

copse::compiler::TileMemory tileMemoryOf(const Target &target) {
  const copse::values::TileFigures &tile = copse::values::describe(target).tile;
  return {tile.memoryBase, tile.bytesPerTile, tile.slotBits, tile.workers};
}

} // namespace

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executable::Executable(Executable &&) noexcept = default;
Executable &Executable::operator=(Executable &&) noexcept = default;
Executable::~Executable() = default;
std::unique_ptr<Executable::Impl> Executable::release() { return std::move(impl_); }

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options, ProgressFunc progress, const DebugContext &) {
  (void)copse::values::parseEngineOptions(
      options); // a wrong option is found now, not when the engine is made
  if (progress)
    progress(0, kProgressTotal);
  const auto model = copse::graph::modelOf(graph);
  std::vector<copse::graph::ProgramPtr> nodes;
  for (const program::Program &program : programs)
    nodes.push_back(copse::graph::nodeOf(program));
  auto impl = std::make_unique<Executable::Impl>();
  impl->target = graph.getTarget();
  const copse::graph::Estimates estimates(graph);
  const auto cyclesOf = [&](std::uint32_t vertex) -> std::optional<std::uint64_t> {
    const auto estimate = estimates.of(vertex);
    return estimate ? std::optional(estimate->cycles) : std::nullopt;
  };
  impl->program = copse::compiler::compile(*model, nodes, tileMemoryOf(impl->target), cyclesOf);
  if (progress)
    progress(kProgressTotal, kProgressTotal);
  return Executable(std::move(impl));
}

Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options, ProgressFunc progress,
                        const DebugContext &debugContext) {
  const Graph &kept = graph;
  return compileGraph(kept, programs, options, std::move(progress), debugContext);
}

} // namespace poplar
