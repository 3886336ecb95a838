#include "engine/device_impl.hpp"

#include "engine/ipu_inventory.hpp"
#include "engine/machine_models.hpp"
#include "engine/raise.hpp"
#include "values/target_description.hpp"

#include "poplar/exceptions.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace poplar {

Device::Impl::Impl(unsigned id, Target target, std::vector<unsigned> ipus,
                   copse::session::MachineOptions options)
    : id_(id), target_(std::move(target)), ipus_(std::move(ipus)), options_(std::move(options)) {}

Device::Impl::~Impl() { detach(); }

Device::Impl::Turn::Turn(std::shared_ptr<Impl> device, const char *who)
    : device_(std::move(device)) {
  if (device_->inUse_.exchange(true))
    throw poplar_error(std::string(who) +
                       ": the device is in use; another thread is in a call of an engine that is "
                       "loaded on it, or this is a callback of such a call; wait for that call");
}

Device::Impl::Turn::~Turn() { device_->inUse_ = false; }

bool Device::Impl::attach() {
  if (!attached())
    attached_ = copse::engine::takeIpus(ipus_);
  return attached();
}

void Device::Impl::stop() {
  machine_.reset();
  ++loadNumber;
}

void Device::Impl::detach() {
  if (!attached_)
    return;
  stop();
  copse::engine::returnIpus(ipus_);
  attached_ = false;
}

copse::session::Machine &Device::Impl::machine() {
  if (!machine_) {
    auto started = copse::session::Machine::start(options_);
    copse::engine::raiseIfFailed(started.status());
    machine_ = std::move(*started);
  }
  return *machine_;
}

} // namespace poplar

namespace copse::engine {

namespace {

/// Threads that run the codelets of one IPU: $COPSE_THREADS, else as many as this machine can
/// spare.
unsigned threadsPerIpu() {
  const char *const text = std::getenv("COPSE_THREADS");
  if (!text)
    return 0;
  unsigned threads = 0;
  const char *const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, threads);
  if (error != std::errc() || rest != end || threads < 1 || threads > 256)
    throw poplar::no_environment("COPSE_THREADS is '" + std::string(text) +
                                 "'; set it to a number from 1 to 256");
  return threads;
}

session::MachineOptions optionsFor(const poplar::Target &target) {
  const values::TargetDescription &description = values::describe(target);
  session::MachineOptions options;
  options.ipus = description.numIPUs;
  options.topology = description.links.topology == poplar::IpuLinkTopology::Torus
                         ? wire::Topology::Torus
                         : wire::Topology::Mesh;
  options.machineModel = machineModelOf(description);
  options.threadsPerIpu = threadsPerIpu();
  return options;
}

/// Links of processes on this machine go over ipc, or over tcp on loopback if $COPSE_TRANSPORT says
/// so.
session::Transport transportOfProcesses() {
  const char *const name = std::getenv("COPSE_TRANSPORT");
  if (!name || std::strcmp(name, "ipc") == 0)
    return session::Transport::Ipc;
  if (std::strcmp(name, "tcp") == 0)
    return session::Transport::Tcp;
  throw poplar::no_environment("COPSE_TRANSPORT is '" + std::string(name) +
                               "'; set it to ipc or tcp");
}

} // namespace

std::shared_ptr<poplar::Device::Impl> makeLocalDevice(unsigned id, const poplar::Target &target) {
  session::MachineOptions options = optionsFor(target);
  options.transport = session::Transport::Inproc;
  return std::make_shared<poplar::Device::Impl>(id, target, std::vector<unsigned>{},
                                                std::move(options));
}

std::shared_ptr<poplar::Device::Impl> makeIpuDevice(unsigned id, const poplar::Target &target,
                                                    std::vector<unsigned> ipus) {
  session::MachineOptions options = optionsFor(target);
  options.transport = transportOfProcesses();
  return std::make_shared<poplar::Device::Impl>(id, target, std::move(ipus), std::move(options));
}

} // namespace copse::engine
