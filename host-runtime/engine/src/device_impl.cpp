#include "device_impl.hpp"

#include "modelled_machine.hpp"

#include "engine/cluster_nodes.hpp"
#include "engine/ipu_inventory.hpp"
#include "fabric/endpoint.hpp"
#include "machine/machine_models.hpp"
#include "poplar/exceptions.hpp"
#include "types/debugged_run.hpp"
#include "types/environment.hpp"
#include "types/environment_warnings.hpp"
#include "types/log.hpp"
#include "types/raise.hpp"
#include "types/simulator_options.hpp"
#include "types/target_description.hpp"
#include "types/trace.hpp"

#include <utility>

namespace poplar {

Device::Impl::Impl(unsigned id, Target target, std::vector<unsigned> ipus,
                   copse::session::MachineOptions options, copse::types::Execution execution)
    : id_(id), target_(std::move(target)), ipus_(std::move(ipus)), options_(std::move(options)),
      execution_(execution) {}

Device::Impl::~Impl() { detach(); }

Device::Impl::Turn::Turn(const std::shared_ptr<Impl> &device, Kind kind, const char *who)
    : partition_(device->partition_), kind_(kind) {
  std::atomic<int> &users = partition_->users;
  int before = 0;
  if (kind == Kind::Alone)
    users.compare_exchange_strong(before, Partition::kAlone);
  else
    for (before = users.load(); before >= 0 && !users.compare_exchange_weak(before, before + 1);)
      ;
  if (kind == Kind::Alone ? before != 0 : before == Partition::kAlone)
    throw poplar_error(std::string(who) +
                       ": the device is in use; another thread is in a call of an engine that is "
                       "loaded on it, or this is a callback of such a call; wait for that call");
}

Device::Impl::Turn::~Turn() {
  if (!partition_) // moved from
    return;
  if (kind_ == Kind::Alone)
    partition_->users = 0;
  else
    --partition_->users;
}

bool Device::Impl::attach() {
  if (attached())
    return true;
  hold_ = copse::engine::IpuHold::take(ipus_);
  if (hold_ && inCluster() && !join())
    hold_.reset();
  return attached();
}

bool Device::Impl::join() {
  auto joined = copse::session::Machine::start(options_);
  if (joined) {
    partition_->machine = std::move(*joined);
    injectErrors();
    return true;
  }
  const std::string device = "device " + std::to_string(id_);
  // After these errors, a program with a choice tries the next device.
  switch (joined.status().code) {
  case copse::wire::Code::Held:
    copse::types::logOf(copse::types::LogModule::Engine)
        .warn("{} is not free: {}", device, joined.status().message);
    return false;
  case copse::wire::Code::Disconnected:
  case copse::wire::Code::Timeout: // an unexpected failure: the node needs attention
    copse::types::warnOnce(device + " cannot be attached: " + joined.status().message);
    return false;
  default: // the file or this process is at fault: other devices would fail too
    hold_.reset();
    copse::types::raise(joined.status());
  }
}

void Device::Impl::reset() {
  if (!inCluster())
    return stop();
  ++loadNumber();
  if (hold_)
    copse::types::raiseIfFailed(machine().unload());
}

std::shared_ptr<Device::Impl> Device::Impl::withTiles(unsigned tilesPerIpu) const {
  const Target target = target_.createVirtualTarget(target_.getNumIPUs(), tilesPerIpu);
  auto device = std::make_shared<Impl>(id_, target, ipus_, options_, execution_);
  device->hold_ = hold_;
  if (inCluster() && hold_)
    device->partition_ = partition_; // the nodes know one session per process
  return device;
}

void Device::Impl::stop() {
  partition_->machine.reset();
  ++loadNumber();
}

void Device::Impl::detach() {
  if (!hold_)
    return;
  // A virtual device may keep the old partition.
  partition_ = std::make_shared<Partition>(loadNumber() + 1);
  hold_.reset();
}

copse::wire::Result<std::unique_ptr<copse::session::Machine>> Device::Impl::startMachine() const {
  return execution_ == copse::types::Execution::Full
             ? copse::session::Machine::start(options_)
             : copse::engine::startModelledMachine(options_);
}

copse::session::Machine &Device::Impl::machine() {
  if (!started()) {
    auto machine = startMachine();
    copse::types::raiseIfFailed(machine.status());
    partition_->machine = std::move(*machine);
    injectErrors();
  }
  return *partition_->machine;
}

/// Injects errors once: a reset repairs the memory, which must not become faulty again at once.
void Device::Impl::injectErrors() {
  const bool isIpu = target_.getTargetType() != TargetType::CPU;
  if (!isIpu || std::exchange(hasInjectedErrors_, true))
    return;
  const auto &tile = copse::types::describe(target_).tile;
  std::vector<copse::session::InjectedError> errors;
  for (const auto &error : copse::types::simulatorOptions().parityErrors) {
    const bool isPopulated =
        error.address >= tile.memoryBase && error.address - tile.memoryBase < tile.bytesPerTile;
    if (error.ipu >= target_.getNumIPUs() || error.tile >= target_.getTilesPerIPU() || !isPopulated)
      throw invalid_option("POPLAR_SIMULATOR_OPTIONS: 'parityErrors': the device has no tile " +
                           std::to_string(error.tile) + " of ipu " + std::to_string(error.ipu) +
                           " with memory at " + std::to_string(error.address) + "; it has " +
                           std::to_string(target_.getTilesPerIPU()) + " tiles on each of " +
                           std::to_string(target_.getNumIPUs()) + " IPUs");
    errors.push_back({error.ipu, {error.tile, error.address}});
  }
  copse::types::raiseIfFailed(partition_->machine->injectErrors(errors));
}

} // namespace poplar

namespace copse::engine {

namespace {

constexpr unsigned kMostThreads = 256;

/// Returns the number of threads that run the codelets of one IPU: $COPSE_THREADS, else 0, which
/// means as many as this machine has for each IPU.
unsigned threadsPerIpu() {
  return static_cast<unsigned>(
      types::requireEnvironment(wire::numberOfEnvironment("COPSE_THREADS", 1, kMostThreads, 0)));
}

session::MachineOptions optionsFor(const poplar::Target &target) {
  for (const std::string &warning : types::environmentWarnings())
    types::warnOnce(warning);
  const types::TargetDescription &description = types::describe(target);
  session::MachineOptions options;
  options.ipus = description.numIPUs;
  options.topology = description.links.topology == poplar::IpuLinkTopology::Torus
                         ? wire::Topology::Torus
                         : wire::Topology::Mesh;
  options.machineModel = machine::machineModelOf(description);
  options.threadsPerIpu = threadsPerIpu();
  options.warn = types::warnOnce;
  options.timesSteps = types::trace() != nullptr;
  // An IPU in a debugger sends no heartbeats.
  if (types::isDebuggedRun())
    options.heartbeatTimeout = std::chrono::hours(24 * 365);
  return options;
}

/// Returns the transport of the links between processes on this machine: shared memory, or what
/// $COPSE_TRANSPORT selects (ipc, or tcp on loopback).
session::Transport transportOfProcesses() {
  return *fabric::transportNamed(types::requireEnvironment(
      wire::wordOfEnvironment("COPSE_TRANSPORT", {"shm", "ipc", "tcp"}, "shm")));
}

} // namespace

std::shared_ptr<poplar::Device::Impl> makeLocalDevice(unsigned id, const poplar::Target &target,
                                                      types::Execution execution) {
  session::MachineOptions options = optionsFor(target);
  options.transport = session::Transport::Inproc;
  return std::make_shared<poplar::Device::Impl>(id, target, std::vector<unsigned>{},
                                                std::move(options), execution);
}

std::shared_ptr<poplar::Device::Impl> makeIpuDevice(unsigned id, const poplar::Target &target,
                                                    std::vector<unsigned> ipus,
                                                    const ClusterPart *part) {
  const types::Execution execution = types::executionOfEnvironment();
  session::MachineOptions options = optionsFor(target);
  if (execution == types::Execution::Modelled)
    options.transport = session::Transport::Inproc; // there are no processes
  else if (part)
    types::raiseIfFailed(useNodes(*part, ipus, options));
  else
    options.transport = transportOfProcesses();
  return std::make_shared<poplar::Device::Impl>(id, target, std::move(ipus), std::move(options),
                                                execution);
}

} // namespace copse::engine
