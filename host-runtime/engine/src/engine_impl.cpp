#include "engine_impl.hpp"

#include "program_time.hpp"

#include "graph/metadata_handle.hpp"
#include "machine/machine_models.hpp"
#include "machine/sync_scheme.hpp"
#include "poplar/exceptions.hpp"
#include "profile/run_trace.hpp"
#include "report/page.hpp"
#include "types/log.hpp"
#include "types/progress_line.hpp"
#include "types/raise.hpp"
#include "types/target_description.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <span>

namespace poplar {

using copse::types::LogModule;
using copse::types::logOf;
using copse::types::raise;
using copse::types::raiseIfFailed;
using copse::types::shortNumber;

namespace {

std::uint64_t nextRows() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// Returns the machine model of all replicas of a program that several host programs share. The
/// device has the IPUs of this host program only.
std::string machineModelOfAll(const Device::Impl &device, const copse::session::Program &program) {
  copse::types::TargetDescription all = copse::types::describe(device.target());
  all.numIPUs = static_cast<std::uint32_t>(program.images.size());
  return copse::machine::machineModelOf(all, program.allReplicas);
}

/// Describes the progress of a run for people.
std::string placeOf(const copse::wire::session::Progress &ran) {
  std::string text;
  if (ran.trips > 0)
    text = "loop trip " + std::to_string(ran.trip) + " of " + std::to_string(ran.trips) + ", ";
  else if (ran.trip > 0)
    text = "loop trip " + std::to_string(ran.trip) + ", ";
  return text + shortNumber(static_cast<double>(ran.steps)) + " steps, " +
         shortNumber(static_cast<double>(ran.now.value)) + " modelled cycles";
}

} // namespace

Engine::Impl::Impl(std::shared_ptr<const Executable::Impl> executable,
                   copse::types::EngineOptions options)
    : executable_(std::move(executable)), options_(std::move(options)),
      replicas_(options_.runtimeReplicas(executable_->program.replicas)),
      streams_(executable_->program, replicas_), recorder_(executable_, options_),
      rows_(nextRows()) {
  if (!options_.reports.page.empty())
    recorder_.enable();
}

Engine::Impl::~Impl() {
  if (isLoaded())
    device_->machine().awaitCalls(); // callbacks end with the engine
  if (device_ && device_->attached() && device_->started())
    device_->machine().endRows(rows_);
}

copse::session::Program Engine::Impl::makeProgram(const Device::Impl &device) const {
  const copse::compiler::CompiledProgram &compiled = executable_->program;
  copse::session::Program program;
  for (const copse::wire::Image &image : compiled.images)
    program.images.emplace_back(executable_, &image);
  program.replicas = replicas_.number;
  program.firstReplica = replicas_.first;
  program.allReplicas = compiled.replicas;
  if (program.isShared())
    program.sharedMachineModel = machineModelOfAll(device, program);
  const std::vector<bool> rearranged = copse::compiler::streamsRearranged(compiled);
  for (std::uint32_t index = 0; index < compiled.streams.size(); ++index) {
    const auto &[stream, rowBytes] = compiled.streams[index];
    program.streams.push_back(
        {stream.handle,
         stream.toHost ? copse::wire::Direction::ToHost : copse::wire::Direction::ToDevice,
         rowBytes, stream.broadcast, options_.prefetchDepth(stream.bufferingDepth),
         options_.mayPrefetch(rearranged[index])});
  }
  for (const auto &[buffer, rowBytes] : compiled.remoteBuffers)
    program.remoteBuffers.push_back({buffer.handle, rowBytes, buffer.repeats});
  program.rows = rows_;
  program.modules = [executable =
                         executable_](const std::string &sha256) -> std::span<const std::byte> {
    for (const auto &module : executable->program.modules)
      if (module->sha256 == sha256)
        return module->elf;
    return {};
  };
  program.prefetch = options_.mayPrefetch();
  program.callbacksSideBySide = options_.callbacksSideBySide;
  for (std::uint32_t index = 0; index < compiled.images.front().programs.size(); ++index) {
    program.streamsOfPrograms.emplace_back();
    for (const auto &use : copse::compiler::streamsUsed(compiled, index))
      program.streamsOfPrograms.back().push_back(use.stream);
  }
  program.syncTimeout = options_.ipuTimeout();
  program.callbackTimeout = options_.hostSyncTimeout;
  program.workerSeed = options_.workerSeed;
  program.syncConfiguration = copse::machine::syncConfigurationOf(executable_->target);
  program.hasModelledClock = copse::engine::isProgramClockModelled();
  return program;
}

bool Engine::Impl::isLoaded() const {
  return device_ && device_->attached() && loadNumber_ == device_->loadNumber();
}

void Engine::Impl::loadOn(Device::Impl &device) {
  copse::engine::DeviceCall call;
  if (isLoaded()) {
    dropPrefetchedRows();
  } else if (device_ && options_.mayPrefetch()) { // displaced: the machine has dropped the rows
    streams_.invalidateAllPrefetched();
  }
  copse::types::ProgressLine line("loading");
  copse::session::ProgressHandlers progress;
  if (line.isShown())
    progress.loaded = [&line](std::uint64_t done, std::uint64_t all) {
      line.say(shortNumber(static_cast<double>(done)) + "B of " +
               shortNumber(static_cast<double>(all)) + "B");
    };
  raiseIfFailed(device.machine().load(makeProgram(device), progress));
  loadNumber_ = ++device.loadNumber();
  deviceTime_ = {};
  if (!copse::engine::isProgramClockModelled())
    return;
  hostTransfers_.emplace(device.options(), makeProgram(device));
  call.take(hostTransfers_->load());
}

/// Drops the rows that were prefetched for the last load. The callbacks are told, so that they
/// provide these rows again.
void Engine::Impl::dropPrefetchedRows() {
  for (std::uint32_t stream = 0; stream < program().streams.size(); ++stream)
    device_->machine().invalidatePrefetched(stream, streams_);
}

void Engine::Impl::invalidatePrefetched(const std::string &handle) {
  if (!isLoaded())
    return;
  const Device::Impl::Turn turn(device_, Device::Impl::Turn::Kind::Alone, "Engine::connectStream");
  for (const std::uint32_t stream : streams_.numbersOf(handle))
    device_->machine().invalidatePrefetched(stream, streams_);
}

void Engine::Impl::connectBuffer(const std::string &handle, void *begin,
                                 std::optional<std::size_t> bytes) {
  invalidatePrefetched(handle);
  streams_.connectBuffer(handle, static_cast<std::byte *>(begin), bytes);
}

void Engine::Impl::connectCallback(const std::string &handle, std::optional<unsigned> replica,
                                   StreamCallbackHandle callback) {
  invalidatePrefetched(handle);
  streams_.connectCallback(handle, replica, std::move(callback));
}

void Engine::Impl::prepare(const Device &device) {
  const std::shared_ptr<Device::Impl> target = device.getImpl();
  if (!target)
    throw poplar_error("Engine::load: the device is empty; get one from DeviceManager, IPUModel or "
                       "createCPUDevice()");
  if (!target->attached())
    throw poplar_error("Engine::load: the device is not attached; call Device::attach() first");
  copse::engine::requireClockOfEnvironment();
  requireTimedDevice(*target);
  requireIpus(*target);
  requireSyncConfiguration(*target);
  requireMemory(*target);
  prepared_ = target;
}

/// Checks that \p device can model what $COPSE_EXECUTION asks for.
void Engine::Impl::requireTimedDevice(const Device::Impl &device) {
  if (device.target().getTargetType() == TargetType::CPU &&
      copse::types::executionOfEnvironment() == copse::types::Execution::Modelled)
    throw poplar_error("Engine::load: COPSE_EXECUTION is modelled, but the device is a CPU, which "
                       "has no chip whose time could be modelled; load the program on an IPU or an "
                       "IPUModel");
}

void Engine::Impl::setOptions(copse::types::EngineOptions options) {
  const auto replicas = options.runtimeReplicas(executable_->program.replicas);
  if (replicas.first != replicas_.first || replicas.number != replicas_.number ||
      options.reports.page != options_.reports.page)
    throw invalid_option("Engine::prepare: target.firstRuntimeReplica, target.numberRuntimeReplica "
                         "and copse.report cannot change; give them to the engine's constructor");
  options_ = std::move(options);
}

void Engine::Impl::requireIpus(const Device::Impl &device) const {
  const unsigned ipus = replicas_.number * executable_->target.getNumIPUs();
  const Target &there = device.target();
  const bool isShared = replicas_.number < program().replicas;
  const std::string share = isShared ? std::to_string(replicas_.number) + " of the " +
                                           std::to_string(program().replicas) +
                                           " replicas of the program are for "
                                     : "the program is for ";
  if (there.getTargetType() != executable_->target.getTargetType() || there.getNumIPUs() != ipus ||
      there.getTilesPerIPU() != executable_->target.getTilesPerIPU())
    throw poplar_error("Engine::load: " + share + std::to_string(ipus) + " " +
                       toString(executable_->target.getTargetType()) + " of " +
                       std::to_string(executable_->target.getTilesPerIPU()) +
                       " tiles, but the device has " + std::to_string(there.getNumIPUs()) + " " +
                       toString(there.getTargetType()) + " of " +
                       std::to_string(there.getTilesPerIPU()) +
                       "; load a device of the program's kind and size, or make the graph for "
                       "the target of this one (Device::getTarget)");
  if (isShared && copse::types::executionOfEnvironment() == copse::types::Execution::Modelled)
    throw poplar_error(
        "Engine::load: COPSE_EXECUTION is modelled, but " + share +
        "this host program, and IPUs that are not executed cannot sync with those of "
        "other host programs; run all replicas in one host program, which takes the "
        "same cycles, or execute the program");
  if (isShared && device.options().nodes.empty())
    throw poplar_error("Engine::load: " + share +
                       "this host program, and others run the rest, so its device must be of a "
                       "cluster; set COPSE_CLUSTER to the file of one");
}

/// Checks that \p device has the sync configuration for which the program's sync points were
/// compiled.
void Engine::Impl::requireSyncConfiguration(const Device::Impl &device) const {
  if (copse::machine::syncConfigurationOf(executable_->target) ==
      copse::machine::syncConfigurationOf(device.target()))
    return;
  const std::string option = "syncConfiguration";
  throw poplar_error("Engine::load: the program was compiled for the target option " + option +
                     "=" + executable_->target.getTargetOptions().at(option) +
                     ", but the device has " + device.target().getTargetOptions().at(option) +
                     "; get a device with the same option, or compile for the device's target");
}

/// Checks the device's memory. A program compiled with debug.allowOutOfMemory may need more than a
/// tile has; a model grants that, hardware cannot.
void Engine::Impl::requireMemory(const Device::Impl &device) const {
  const std::uint64_t needed = program().images.front().geometry.memoryBytes;
  const std::uint64_t there = copse::types::describe(executable_->target).tile.bytesPerTile;
  if (needed > there && device.target().getTargetType() == TargetType::IPU)
    throw graph_memory_allocation_error(
        "Engine::load: the program was compiled with debug.allowOutOfMemory and needs " +
        std::to_string(needed) + " bytes on a tile, but the device has " + std::to_string(there) +
        "; run it on an IPUModel, or map the variables over more tiles");
}

void Engine::Impl::deploy() {
  if (!prepared_ || !prepared_->attached())
    throw poplar_error("Engine::deploy: no attached device is prepared; call Engine::prepare()");
  const Device::Impl::Turn turn(prepared_, Device::Impl::Turn::Kind::Alone, "Engine::load");
  loadOn(*prepared_);
  device_ = prepared_;
}

void Engine::Impl::stop() {
  if (isLoaded()) {
    const Device::Impl::Turn turn(device_, Device::Impl::Turn::Kind::Alone, "Engine::stop");
    dropPrefetchedRows();
  }
  device_.reset();
}

void Engine::Impl::requireDevice() const {
  if (!device_)
    throw poplar_error("the engine is not loaded; call Engine::load() first");
  if (!device_->attached())
    throw poplar_error(
        "the device that the engine was loaded on is not attached any more; attach and load again");
}

Engine::Impl::LoadedMachine Engine::Impl::loadedMachine(const char *who) {
  requireDevice();
  LoadedMachine loaded(device_, Device::Impl::Turn::Kind::Alone, who);
  if (!isLoaded())
    loadOn(*device_);
  return loaded;
}

Engine::Impl::LoadedMachine Engine::Impl::loadedRows(const char *who) {
  const std::lock_guard lock(*loadingForRows_); // the first thread loads for all
  requireDevice();
  if (!isLoaded())
    (void)loadedMachine(who);
  return {device_, Device::Impl::Turn::Kind::Rows, who};
}

/// Returns for each stream whether it prefetches. The first replica's callback decides for all.
std::vector<bool> Engine::Impl::prefetchedStreams() const {
  const std::vector<bool> rearranged = copse::compiler::streamsRearranged(program());
  std::vector<bool> prefetched;
  for (std::uint32_t stream = 0; stream < program().streams.size(); ++stream)
    prefetched.push_back(
        options_.mayPrefetch(rearranged[stream]) &&
        streams_.mayWait(copse::session::StreamHandler::Call::Prefetch, stream, 0));
  return prefetched;
}

void Engine::Impl::run(unsigned index, const std::string &name) {
  const std::size_t programs = program().images.front().programs.size();
  if (index >= programs)
    throw poplar_error("Engine::run: there is no program " + std::to_string(index) +
                       "; the engine has " + std::to_string(programs));
  const LoadedMachine machine = loadedMachine("Engine::run");
  streams_.requireConnected(copse::compiler::streamsUsed(program(), index));
  copse::engine::DeviceCall call;
  if (hostTransfers_) {
    call.take(hostTransfers_->run());
    streams_.setRun({call.time(), deviceTime_, hostTransfers_->clockHz()});
  }
  copse::types::Trace *const trace = copse::types::trace();
  const double wallFrom = trace ? trace->now() : 0;
  copse::types::ProgressLine line("running program " + std::to_string(index) +
                                  (name.empty() ? "" : " '" + name + "'") + ", run " +
                                  std::to_string(++runs_));
  copse::session::ProgressHandlers progress;
  if (line.isShown())
    progress.ran = [&line](const auto &ran) { line.say(placeOf(ran)); };
  const auto report = [&] {
    try {
      return machine->run(index, streams_, progress);
    } catch (const std::exception &error) { // rethrown unchanged, after logging its origin
      logOf(LogModule::Engine)
          .error("program {}, {}: the callback threw: {}", index, machine->placeOfException(),
                 error.what());
      throw;
    }
  }();
  if (!report)
    raise(report.status());
  if (hostTransfers_)
    call.takeUntil(streams_.timeAt(std::max(report->end(), report->endOfAll)));
  deviceTime_ = report->end();
  const double wallTo = trace ? trace->now() : 0;
  const bool isRecorded = recorder_.keepsNextRun();
  if (!trace && !isRecorded)
    return;
  copse::profile::RunObservations observed;
  observed.prefetched = prefetchedStreams();
  if (recorder_.needsMeasuredCycles()) {
    auto cycles = machine->vertexCycles();
    raiseIfFailed(cycles.status());
    observed.cycles = std::move(*cycles);
  }
  if (trace) {
    copse::profile::RunRecord record;
    record.program = index;
    record.name = name;
    record.from = report->ipus.front().start.value;
    record.to = report->end().value;
    auto times = machine->stepTimes();
    raiseIfFailed(times.status());
    copse::profile::traceRun(*trace, *executable_, record, observed, {wallFrom, wallTo}, *times);
  }
  recorder_.ran(index, name, report->ipus.front().start, report->end(), std::move(observed));
  if (isRecorded && !options_.reports.page.empty())
    writeReportPage();
}

void Engine::Impl::writeReportPage() const {
  const std::string &path = options_.reports.page;
  const copse::profile::ReportData data = recorder_.report(true);
  const copse::report::NamedProfile profile{std::filesystem::path(path).stem().string(), &data};
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  copse::report::writePage(file, {&profile, 1});
  if (!file.flush())
    throw file_load_error("the report '" + path + "' cannot be written; see copse.report");
}

const copse::compiler::HostAccess *Engine::Impl::findAccess(const std::string &handle,
                                                            bool write) const {
  for (const auto &access : program().hostAccesses)
    if (access.handle == handle && access.write == write)
      return &access;
  return nullptr;
}

const copse::compiler::HostAccess &Engine::Impl::access(const std::string &handle,
                                                        bool write) const {
  if (const auto *found = findAccess(handle, write))
    return *found;
  throw poplar_error(
      std::string("there is no handle '") + handle + "' for host " + (write ? "writes" : "reads") +
      "; call Graph::" + (write ? "createHostWrite()" : "createHostRead()") + " for it");
}

void Engine::Impl::writeTensor(const std::string &handle, const void *begin,
                               std::optional<std::size_t> bytes) {
  const auto &to = access(handle, true);
  const std::uint64_t one = to.rowBytes, all = one * replicas_.number;
  const std::uint64_t given = bytes.value_or(one);
  // A size between the two means that the caller has miscounted the replicas.
  if (given < one || (given > one && given < all))
    throw poplar_error(
        "writeTensor('" + handle + "'): " + std::to_string(given) +
        " bytes were given, but the tensor has " + std::to_string(one) +
        (replicas_.number > 1 ? ", or " + std::to_string(all) + " on all replicas" : ""));
  const LoadedMachine machine = loadedMachine("Engine::writeTensor");
  copse::engine::DeviceCall call;
  raiseIfFailed(
      machine->write(to.view, {static_cast<const std::byte *>(begin), given < all ? one : all}));
  if (hostTransfers_)
    call.take(hostTransfers_->view(to.view, copse::wire::Direction::ToDevice));
}

void Engine::Impl::readTensor(const std::string &handle, void *begin,
                              std::optional<std::size_t> bytes) {
  const auto &from = access(handle, false);
  const std::uint64_t all = from.rowBytes * replicas_.number;
  if (bytes && *bytes < all)
    throw poplar_error("readTensor('" + handle + "'): there is room for " + std::to_string(*bytes) +
                       " bytes, but the tensor has " + std::to_string(all) + " on all replicas");
  const LoadedMachine machine = loadedMachine("Engine::readTensor");
  copse::engine::DeviceCall call;
  raiseIfFailed(machine->read(from.view, {static_cast<std::byte *>(begin), all}));
  if (hostTransfers_)
    call.take(hostTransfers_->view(from.view, copse::wire::Direction::ToHost));
}

void Engine::Impl::writeMetadata(const std::string &handle, QuarterMetadata metadata) {
  (void)access(handle, true);
  const std::string name = copse::graph::metadataHandle(handle, true);
  if (const auto *variable = findAccess(name, true)) {
    const std::vector<std::uint8_t> row(variable->rowBytes, metadata.bits());
    return writeTensor(name, row.data(), row.size());
  }
  if (readMetadata(handle, true) != metadata)
    throw tensor_metadata_error("writeTensor('" + handle +
                                "'): the tensor's metadata are a constant, and not those given; "
                                "createVariableMetadataTensor() makes some that can be written");
}

QuarterMetadata Engine::Impl::readMetadata(const std::string &handle, bool ofWrite) {
  (void)access(handle, ofWrite);
  const std::string name = copse::graph::metadataHandle(handle, ofWrite);
  const auto *found = findAccess(name, false);
  if (!found)
    throw tensor_metadata_error((ofWrite ? "writeTensor('" : "readTensor('") + handle +
                                "'): the tensor has no metadata");
  std::vector<std::uint8_t> all(found->rowBytes * replicas_.number);
  readTensor(name, all.data(), all.size());
  return QuarterMetadata::fromBits(all.front());
}

Engine::Impl::ReplicaBuffer Engine::Impl::remoteBuffer(const std::string &handle, std::uint64_t row,
                                                       unsigned replica) const {
  const auto &buffers = program().remoteBuffers;
  const auto isIt = [&](const auto &buffer) { return buffer.definition.handle == handle; };
  const auto first = std::find_if(buffers.begin(), buffers.end(), isIt);
  if (first == buffers.end())
    throw poplar_error("there is no remote buffer '" + handle +
                       "'; call Graph::addRemoteBuffer() for it");
  // A graph that was replicated after it was built has one buffer per replica.
  const auto copies =
      static_cast<std::uint32_t>(std::find_if_not(first, buffers.end(), isIt) - first);
  const std::uint32_t replicas = copies * replicas_.number;
  if (row >= first->definition.repeats || replica >= replicas)
    throw poplar_error("remote buffer '" + handle + "': row " + std::to_string(row) +
                       " of replica " + std::to_string(replica) + " was asked for, but there are " +
                       std::to_string(first->definition.repeats) + " rows on each of " +
                       std::to_string(replicas) + " replicas");
  return {static_cast<std::uint32_t>(first - buffers.begin()) + replica / replicas_.number,
          replica % replicas_.number};
}

void Engine::Impl::requireRowSize(const std::string &handle, std::size_t bytes) const {
  const std::uint64_t row = program().remoteBuffers[remoteBuffer(handle, 0, 0).buffer].rowBytes;
  if (bytes != row)
    throw poplar_error("remote buffer '" + handle + "': " + std::to_string(bytes) +
                       " bytes were given for a row of " + std::to_string(row));
}

void Engine::Impl::copyToRemoteBuffer(const std::string &handle, const void *from,
                                      std::uint64_t row, unsigned replica) {
  const auto [buffer, within] = remoteBuffer(handle, row, replica);
  const std::uint64_t bytes = program().remoteBuffers[buffer].rowBytes;
  const LoadedMachine machine = loadedRows("Engine::copyToRemoteBuffer");
  copse::engine::DeviceCall call;
  raiseIfFailed(
      machine->writeRow(buffer, within, row, {static_cast<const std::byte *>(from), bytes}));
  if (hostTransfers_)
    call.take(hostTransfers_->row(bytes, copse::wire::Direction::ToDevice));
}

void Engine::Impl::copyFromRemoteBuffer(const std::string &handle, void *to, std::uint64_t row,
                                        unsigned replica) {
  const auto [buffer, within] = remoteBuffer(handle, row, replica);
  const std::uint64_t bytes = program().remoteBuffers[buffer].rowBytes;
  const LoadedMachine machine = loadedRows("Engine::copyFromRemoteBuffer");
  copse::engine::DeviceCall call;
  raiseIfFailed(machine->readRow(buffer, within, row, {static_cast<std::byte *>(to), bytes}));
  if (hostTransfers_)
    call.take(hostTransfers_->row(bytes, copse::wire::Direction::ToHost));
}

} // namespace poplar
