#include "ipud/ipu.hpp"

#include "control/access_checker.hpp"
#include "control/interpreter.hpp"
#include "control/loaded.hpp"
#include "control/parity_checks.hpp"
#include "control/step_timer.hpp"
#include "control/tile_trace.hpp"
#include "control/used_tiles.hpp"
#include "control/vertex_debugger.hpp"
#include "exchange/link_exchange.hpp"
#include "exchange/peers.hpp"
#include "exchange/regions.hpp"
#include "tile/dispatcher.hpp"
#include "tile/modules.hpp"
#include "tile/register_words.hpp"
#include "tile/services_of_thread.hpp"
#include "tile/tile_memory.hpp"
#include "tile/watchdog.hpp"

#include "fabric/topology.hpp"
#include "ipud/validate.hpp"
#include "wire/ipu_names.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>
#include <string>

namespace copse::ipud {
namespace {

wire::Status notFound(const char *what, std::uint32_t index, std::size_t size) {
  return {wire::Code::NotFound, std::string(what) + " " + std::to_string(index) + " of " +
                                    std::to_string(size) + " does not exist"};
}

wire::Status invalid(const std::string &why) { return {wire::Code::InvalidImage, why}; }

/// Checks what validate() cannot know: that the image is for this IPU's place in the partition.
wire::Status checkPlacement(const wire::Image &image, const PlaceInPartition &place) {
  if (image.ipusPerReplica != place.ipusPerReplica || place.replica.value >= place.replicas ||
      place.self.value != place.replica.value * place.ipusPerReplica + image.ipu)
    return invalid(wire::nameOf(place.self) + " cannot be ipu " + std::to_string(image.ipu) +
                   " of replica " + std::to_string(place.replica.value));
  if (auto status = fabric::checkPartition(place.replicas * place.ipusPerReplica); !status.ok())
    return status;
  for (const auto &exchange : image.exchanges)
    if (!exchange.replicaMap.empty() && exchange.replicaMap.size() != place.replicas)
      return invalid("exchange '" + exchange.name + "' is for " +
                     std::to_string(exchange.replicaMap.size()) + " replicas, but there are " +
                     std::to_string(place.replicas));
  return wire::Status::success();
}

EntryPoint entryOf(const wire::CodeletFunction &function, wire::CodeletEntry native) {
  return {native, function.multiVertex, function.kind, function.entry};
}

} // namespace

class Ipu::Impl {
public:
  Impl(clock::TimingModel timing, IpuOptions options)
      : timing_(std::move(timing)), workerSeed_(options.workerSeed), team_(options.threads),
        dispatcher_(team_), watchdog_(dispatcher_, options.vertexTimeout),
        traceOptions_(options.trace), translatesTileCode_(options.translatesTileCode),
        checkDirectory_(std::move(options.checkDirectory)), debugOptions_(std::move(options.debug)),
        memoryErrors_(std::move(options.memoryErrors)),
        progress_(options.progress ? std::move(options.progress)
                                   : std::make_shared<RunProgress>()) {}

  wire::Status load(wire::Image image, PlaceInPartition placement, const ModuleSource &source) {
    unload();
    if (auto status = validate(image); !status.ok())
      return status;
    if (auto status = checkPlacement(image, placement); !status.ok())
      return status;
    auto modules = Modules::open(image, source, servicesOfThread());
    if (!modules.ok())
      return modules.status();
    if (auto status = memory_.map(image.geometry, usedTiles(image)); !status.ok())
      return status;
    modules_.emplace(std::move(*modules));
    auto &loaded = loaded_.emplace();
    loaded.image = std::move(image);
    loaded.placement = placement;
    for (std::uint32_t f = 0; f < loaded.image.functions.size(); ++f)
      loaded.functions.push_back(entryOf(loaded.image.functions[f], modules_->entry(f)));
    prepareTileCode(loaded, translatesTileCode_);
    computeCosts(loaded, timing_);
    sortMoves(loaded);
    if (loaded.code && TileTrace::wantsIpu(traceOptions_, placement))
      trace_.emplace(traceOptions_, loaded);
    if (!checkDirectory_.empty() && loaded.image.checks.present) {
      checker_.emplace(checkDirectory_, loaded);
      if (auto status = checker_->map(usedTiles(loaded.image)); !status.ok())
        return status;
    }
    if (VertexDebugger::wantsIpu(debugOptions_, placement))
      debugger_.emplace(debugOptions_, loaded);
    writeInitialData();
    registers_ = RegisterWords(loaded.image, memory_);
    matrixUnits_ = MatrixUnits(loaded.image.geometry.tiles, loaded.image.architecture);
    hostClock_.emplace(timing_, clock::IpuPlace{loaded.image.ipu, placement.replica.value,
                                                placement.replicas, placement.ipusPerReplica});
    links_.emplace(memory_, team_, loaded.placement, loaded.image.ipu);
    return wire::Status::success();
  }

  wire::Result<IpuRun> run(std::uint32_t program, Environment &environment, wire::Cycles notBefore,
                           bool timed) {
    if (!loaded_)
      return wire::Status{wire::Code::NotFound, "no image is loaded"};
    const auto &programs = loaded_->image.programs;
    if (program >= programs.size())
      return notFound("program", program, programs.size());
    IpuRun report;
    now_ = std::max(now_, notBefore);
    report.start = now_;
    StepTimer timer(loaded_->image);
    StepObservers observers;
    addObservers(observers);
    if (timed)
      observers.add(timer);
    Interpreter interpreter({*loaded_, memory_, registers_, dispatcher_, watchdog_, timing_,
                             *hostClock_, *links_, environment, *progress_, workerSeed_,
                             memoryErrors_.get(), &*modules_, &matrixUnits_,
                             observers.empty() ? nullptr : &observers},
                            now_);
    const Watchdog::Watch watch(watchdog_, environment);
    progress_->beginLoop(0);
    const auto status = interpreter.run(programs[program]);
    now_ = interpreter.now();
    observers.flush();
    if (!status.ok())
      return status;
    report.end = now_;
    report.steps = interpreter.steps();
    report.vertices = interpreter.vertices();
    report.times = timer.take();
    return report;
  }

  wire::Result<fabric::Payload> readView(std::uint32_t index) {
    if (auto status = checkView(index); !status.ok())
      return status;
    const auto &view = loaded_->image.hostViews[index];
    if (memoryErrors_)
      memory_.setErrors(memoryErrors_->words());
    if (auto status =
            checkErrors(memory_, loaded_->placement.self, view.regions, "a read of the host");
        !status.ok())
      return status;
    if (checker_)
      checker_->hostReads(view);
    fabric::Payload payload(view.bytes);
    pack(memory_, view.regions, payload.data());
    return payload;
  }

  wire::Status writeView(std::uint32_t index, std::span<const std::byte> bytes) {
    if (auto status = checkView(index); !status.ok())
      return status;
    const auto &view = loaded_->image.hostViews[index];
    if (bytes.size() != view.bytes)
      return {wire::Code::BadFrame, "host view " + std::to_string(index) + " has " +
                                        std::to_string(view.bytes) + " bytes, not " +
                                        std::to_string(bytes.size())};
    if (checker_)
      checker_->hostWrites(view);
    unpack(memory_, view.regions, bytes.data());
    return wire::Status::success();
  }

  wire::MeasuredCycles measuredCycles() const {
    wire::MeasuredCycles measured;
    if (!loaded_)
      return measured;
    for (std::uint32_t set = 0; set < loaded_->lastRuns->size(); ++set) {
      const auto &cycles = (*loaded_->lastRuns)[set].cycles;
      if (!cycles.empty())
        measured.emplace(set, cycles);
    }
    return measured;
  }

  wire::Cycles now() const { return now_; }
  const wire::Image &image() const {
    assert(loaded_);
    return loaded_->image;
  }
  std::vector<wire::IpuId> peers() const { return peersOf(image(), loaded_->placement); }

private:
  /// Destroys the parts of the loaded image, each before the parts that it refers to.
  void unload() {
    links_.reset();
    hostClock_.reset();
    trace_.reset();
    checker_.reset();
    debugger_.reset();
    loaded_.reset();
    modules_.reset();
    registers_ = {};
    matrixUnits_ = {};
    memory_.clear();
    now_ = {};
  }

  /// Adds the debugger last, because only one observer can trace and the last one wins.
  void addObservers(StepObservers &observers) {
    if (trace_)
      observers.add(*trace_);
    if (checker_)
      observers.add(*checker_);
    if (debugger_)
      observers.add(*debugger_);
  }

  wire::Status checkView(std::uint32_t index) const {
    if (!loaded_)
      return {wire::Code::NotFound, "no image is loaded"};
    const auto &views = loaded_->image.hostViews;
    return index < views.size() ? wire::Status::success()
                                : notFound("host view", index, views.size());
  }

  void writeInitialData() {
    auto &image = loaded_->image;
    for (const auto &entry : image.initial)
      for (std::uint32_t i = 0; i < entry.to.count; ++i)
        std::memcpy(memory_.at(entry.to.tile, entry.to.address) +
                        std::ptrdiff_t{entry.to.stride} * i,
                    image.data.data() + entry.offset, entry.to.bytes);
    for (const auto &section : image.code)
      for (const auto tile : section.tiles)
        std::memcpy(memory_.at(tile, section.address), image.data.data() + section.offset,
                    section.bytes);
    for (const auto &word : image.replicaIndices)
      memory_.writeWord(word, loaded_->placement.replica.value);
  }

  clock::TimingModel timing_;
  const std::uint64_t workerSeed_;
  TileMemory memory_;
  ThreadTeam team_;
  Dispatcher dispatcher_;
  Watchdog watchdog_;
  const TileTraceOptions traceOptions_;
  const bool translatesTileCode_;
  const std::filesystem::path checkDirectory_;
  const DebugOptions debugOptions_;
  const std::shared_ptr<const MemoryErrors> memoryErrors_; ///< may be null
  const std::shared_ptr<RunProgress> progress_;
  wire::Cycles now_;
  // The state of the loaded image; empty if none is loaded.
  std::optional<Modules> modules_;
  RegisterWords registers_;
  MatrixUnits matrixUnits_;
  std::optional<Loaded> loaded_;
  std::optional<TileTrace> trace_;         ///< empty: tracing is off
  std::optional<AccessChecker> checker_;   ///< empty: checking is off
  std::optional<VertexDebugger> debugger_; ///< empty: debugging is off
  std::optional<clock::HostClock> hostClock_;
  std::optional<LinkExchange> links_;
};

Ipu::Ipu(clock::TimingModel timing, IpuOptions options)
    : impl_(std::make_unique<Impl>(std::move(timing), std::move(options))) {}
Ipu::~Ipu() = default;

wire::Status Ipu::load(wire::Image image, PlaceInPartition placement, const ModuleSource &modules) {
  return impl_->load(std::move(image), placement, modules);
}
wire::Result<IpuRun> Ipu::run(std::uint32_t program, Environment &environment,
                              wire::Cycles notBefore, bool timed) {
  return impl_->run(program, environment, notBefore, timed);
}
wire::Result<fabric::Payload> Ipu::readView(std::uint32_t view) const {
  return impl_->readView(view);
}
wire::Status Ipu::writeView(std::uint32_t view, std::span<const std::byte> bytes) {
  return impl_->writeView(view, bytes);
}
wire::MeasuredCycles Ipu::measuredCycles() const { return impl_->measuredCycles(); }
wire::Cycles Ipu::now() const { return impl_->now(); }
const wire::Image &Ipu::image() const { return impl_->image(); }
std::vector<wire::IpuId> Ipu::peers() const { return impl_->peers(); }

} // namespace copse::ipud
