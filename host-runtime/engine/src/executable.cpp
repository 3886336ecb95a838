#include "poplar/Executable.hpp"

#include "checked_options.hpp"
#include "executable_cache.hpp"

#include "compiler/compile.hpp"
#include "compiler/executable_impl.hpp"
#include "compiler/graph_key.hpp"
#include "engine/executable_file.hpp"
#include "graph/access.hpp"
#include "graph/estimates.hpp"
#include "graph/program_references.hpp"
#include "machine/sync_scheme.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/exceptions.hpp"
#include "profile/auto_report_files.hpp"
#include "profile/profile_recorder.hpp"
#include "types/checked_run.hpp"
#include "types/log.hpp"
#include "types/progress_line.hpp"
#include "types/target_description.hpp"
#include "types/trace.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>

namespace poplar {

using copse::engine::ExecutableCache;
using copse::types::LogModule;
using copse::types::logOf;
using CacheUse = copse::types::ExecutableCacheUse;

namespace {

constexpr int kProgressRead = 10, kProgressCompiled = 90, kProgressTotal = 100;
/// A faster compilation is not worth a cache entry.
constexpr std::chrono::milliseconds kWorthKeeping{500};

/// Lets users find out whether memory sharing makes their program fail; also for tests.
bool sharingIsOff() { return std::getenv("COPSE_NO_MEMORY_SHARING") != nullptr; }

bool isChecked(const Target &target) {
  return target.getTargetType() != TargetType::CPU && copse::types::isCheckedRun();
}

copse::compiler::TargetMemory tileMemoryOf(const Target &target, bool mayOverflow) {
  const copse::types::TileFigures &tile = copse::types::describe(target).tile;
  return {tile.memoryBase, tile.bytesPerTile, tile.slotBits,    tile.workers,
          !sharingIsOff(), mayOverflow,       isChecked(target)};
}

/// The costs of vertices in cycles of the tile's clock. A cycle estimator is user code that may be
/// slow, so each is called once per vertex.
class VertexCycles {
public:
  VertexCycles(const Graph &graph, const copse::graph::Model &model,
               copse::types::CycleSource source)
      : model_(model), workers_(graph.getTarget().getNumWorkerContexts()),
        estimates_(graph, source == copse::types::CycleSource::Counted),
        known_(model.vertices.size(), kUnknown),
        fromCode_(source != copse::types::CycleSource::Declared &&
                  graph.getTarget().getTargetType() != TargetType::CPU) {}

  std::optional<std::uint64_t> of(std::uint32_t vertex) {
    std::uint64_t &known = known_[vertex];
    if (known == kUnknown) {
      const auto estimate = estimates_.of(vertex);
      known = estimate ? std::min(estimate->cycles, kLongest) * clockOf(vertex) : kNone;
    }
    if (known != kNone)
      return known;
    return fromCode_ ? std::optional(copse::compiler::kCountedByCode) : std::nullopt;
  }

private:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0}, kNone = kUnknown - 1,
                                 kLongest = std::uint64_t{1} << 32;

  /// Returns the cycles of the tile for a cycle of the vertex's estimate. A worker issues once in
  /// a round of all workers, and the estimate of a vertex that runs on one worker counts what that
  /// worker issues.
  std::uint64_t clockOf(std::uint32_t vertex) const {
    const copse::popc::VertexType &type = model_.vertexTypes[model_.vertices[vertex].type];
    return type.multiVertex || type.supervisor ? 1 : workers_;
  }

  const copse::graph::Model &model_;
  std::uint64_t workers_;
  copse::graph::Estimates estimates_;
  std::vector<std::uint64_t> known_;
  bool fromCode_; ///< vertices without an estimate count their own cycles
};

/// Returns the cache entry of the graph, if caching is on and the graph has a key. A graph whose
/// estimators throw has no key; compiling reports the exception.
template <class Key> std::optional<ExecutableCache> cacheOf(CacheUse use, Key key) {
  if (use == CacheUse::Off)
    return std::nullopt;
  try {
    return ExecutableCache(key());
  } catch (...) {
    return std::nullopt;
  }
}

/// Returns the cached executable, or calls \p make.
template <class Key, class Make>
std::unique_ptr<Executable::Impl> fromCacheOr(CacheUse use, Key key, Make make) {
  const std::optional<ExecutableCache> cache = cacheOf(use, key);
  const auto find = [&]() -> std::unique_ptr<Executable::Impl> {
    auto found = cache ? cache->find() : nullptr;
    if (found)
      logOf(LogModule::Engine).info("the executable comes from the cache");
    return found;
  };
  if (auto found = find())
    return found;
  const auto lock = cache ? cache->lock() : copse::disk_cache::EntryLock();
  if (auto found = find())
    return found;
  const auto start = std::chrono::steady_clock::now();
  auto made = make();
  const bool slow = std::chrono::steady_clock::now() - start >= kWorthKeeping;
  if (cache && (slow || use == CacheUse::On))
    cache->keep(*made);
  return made;
}

/// Opens the file for variable addresses, if one is requested.
std::ofstream variableDump(const std::string &path) {
  std::ofstream file;
  if (!path.empty())
    file.open(path, std::ios::trunc);
  if (!path.empty() && !file)
    throw file_load_error("'" + path + "', for where variables lie, cannot be written");
  return file;
}

/// Writes the profile of a graph that does not fit, which \p tooLarge compiles as if it did.
/// \returns the path of the profile; empty if the compilation fails nevertheless
template <class Compile>
std::string profileOf(Compile tooLarge, const copse::types::EngineOptions &options) {
  std::shared_ptr<const Executable::Impl> executable;
  try {
    executable = tooLarge();
  } catch (const poplar_error &) {
    return {};
  }
  // The constructor writes it.
  return copse::profile::ProfileRecorder(std::move(executable), options).file();
}

void logInput(const copse::graph::Model &model, std::size_t programs) {
  logOf(LogModule::Graph)
      .info("compiling {} variables, {} vertices, {} edges, {} compute sets, {} programs for {} "
            "replicas of {} IPUs",
            model.variables.size(), model.vertices.size(), model.edges.size(),
            model.computeSets.size(), programs, model.replicas, model.ipus);
}

void logOutput(const copse::compiler::CompiledProgram &program) {
  spdlog::logger &log = logOf(LogModule::Engine);
  if (!log.should_log(spdlog::level::info))
    return;
  const std::uint64_t most = std::ranges::max(program.memory.bytesWithGaps);
  const copse::wire::Image &image = program.images.front();
  log.info("compiled: {} steps, {} exchanges, {} host exchanges; the fullest tile uses {} bytes",
           image.steps.size(), image.exchanges.size(), image.hostExchanges.size(), most);
}

/// Sets the floating-point modes after a load, and whether floating-point exceptions stop programs
/// on this target.
void setFloatingPoint(const copse::types::FloatingPointOptions &options, const Target &target,
                      copse::compiler::CompiledProgram &program) {
  constexpr std::uint32_t kEvents = 7, kStochastic = 8,
                          kNanOnOverflow = 16; // bits of TileRegisters::atLoad
  for (copse::wire::Image &image : program.images) {
    image.registers.atLoad = (options.exceptions ? kEvents : 0) |
                             (options.stochasticRounding ? kStochastic : 0) |
                             (options.nanOnOverflow ? kNanOnOverflow : 0);
    image.registers.raise = target.getTargetType() == TargetType::IPU;
  }
}

void saveArchive(const Executable::Impl &executable, const std::string &path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  copse::engine::writeExecutable(executable, file);
  if (!file.flush())
    throw file_load_error("the archive '" + path + "' cannot be written");
}

} // namespace

Executable::Executable() = default;
Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executable::Executable(Executable &&) noexcept = default;
Executable &Executable::operator=(Executable &&) noexcept = default;
Executable::~Executable() = default;
std::unique_ptr<Executable::Impl> Executable::release() { return std::move(impl_); }

Executable::Impl &Executable::getImpl() const {
  if (!impl_)
    throw poplar_error("a default-constructed Executable, or one that was moved from, holds no "
                       "compiled graph");
  return *impl_;
}

void Executable::serialize(std::ostream &out) const {
  copse::engine::writeExecutable(getImpl(), out);
}

Executable Executable::deserialize(std::istream &in) {
  return Executable(copse::engine::readExecutable(copse::engine::takeExecutable(in)));
}

Executable Executable::deserialize(std::unique_ptr<std::istream> in) {
  if (!in)
    throw poplar_error("Executable::deserialize: there is no stream; open one to an executable");
  return deserialize(*in);
}

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs,
                        const OptionFlags &flags, ProgressFunc progress,
                        const DebugContext &debugContext) {
  const copse::types::TraceSpan span("compiler", "compileGraph");
  copse::types::ProgressLine line("compiling");
  std::string pass = "check the graph";
  int done = 0;
  const auto show = [&] {
    if (line.isShown())
      line.say(std::to_string(done * 100 / kProgressTotal) + " %, " + pass);
  };
  const auto tell = [&](int now) {
    done = now;
    if (progress)
      progress(done, kProgressTotal);
    show();
  };
  tell(0);
  // Check options now instead of when the engine is constructed.
  const Target target = graph.getTarget();
  const std::string engineName = debugContext.getPathName();
  auto options = copse::engine::checkedOptions(flags, target);
  options.reports = copse::profile::filesOf(engineName, std::move(options.reports));
  const auto model = copse::graph::modelOf(graph);
  std::vector<copse::graph::ProgramPtr> nodes;
  for (const program::Program &program : programs)
    nodes.push_back(copse::graph::nodeOf(program));
  logInput(*model, nodes.size());
  copse::graph::checkReferences(*model, nodes);
  copse::profile::writeGraphFiles(options.reports, graph, *model);
  // If the graph does not fit into hardware, the compilation fails if that leaves a profile;
  // otherwise the load fails.
  const bool isProfiled = target.getTargetType() == TargetType::IPU && options.reports.graphProfile;
  const copse::compiler::TargetMemory memory =
      tileMemoryOf(target, options.allowOutOfMemory && !isProfiled);
  const copse::sync::Scheme scheme = copse::machine::syncSchemeOf(target, options);
  VertexCycles cycles(graph, *model, options.cycleSource);
  const auto cyclesOf = [&](std::uint32_t vertex) { return cycles.of(vertex); };
  tell(kProgressRead);
  std::ofstream variables = variableDump(copse::profile::variableDumpPath(options));
  copse::compiler::CompileWatch watch;
  watch.progress = [&](unsigned percent) {
    tell(kProgressRead + (kProgressCompiled - kProgressRead) * static_cast<int>(percent) / 100);
  };
  watch.variables = variables.is_open() ? &variables : nullptr;
  const auto compiled = [&](const copse::compiler::TargetMemory &within) {
    copse::types::TracePasses passes("compiler");
    watch.pass = [&](const char *name) {
      passes.next(name);
      pass = name;
      show();
    };
    auto made = std::make_unique<Executable::Impl>();
    made->target = target;
    made->program = copse::compiler::compile(*model, nodes, within, cyclesOf, scheme, watch);
    return made;
  };
  const auto make = [&] {
    try {
      return compiled(memory);
    } catch (const graph_memory_allocation_error &error) {
      if (!options.reports.graphProfile || memory.mayOverflow)
        throw;
      watch = {};
      const auto tooLarge = [&] { return compiled(tileMemoryOf(target, true)); };
      throw graph_memory_allocation_error(error.what(), profileOf(tooLarge, options));
    }
  };
  const auto key = [&] {
    return copse::compiler::graphKey(*model, nodes, memory, cyclesOf, scheme);
  };
  // The cache does not contain the addresses of variables.
  auto impl = fromCacheOr(watch.variables ? CacheUse::Off : options.executableCache, key, make);
  impl->target = target;
  impl->options = flags;
  impl->name = engineName;
  setFloatingPoint(options.floatingPoint, target, impl->program);
  pass = "write what was asked for";
  tell(kProgressCompiled);
  logOutput(impl->program);
  if (!options.archiveFile.empty())
    saveArchive(*impl, options.archiveFile);
  if (options.reports.archive)
    saveArchive(*impl, copse::profile::reportPath(options.reports, "archive.a"));
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
