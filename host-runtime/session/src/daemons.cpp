#include "daemons.hpp"

#include "fabric/file_limit.hpp"
#include "fabric/transport.hpp"
#include "ipud/open_files.hpp"

#include <system_error>
#include <utility>

namespace copse::session {
namespace {

using wire::Code;
using wire::Status;
using Clock = std::chrono::steady_clock;

/// Returns OutOfMemory if resources were exhausted, else the code for another reason.
Code codeOf(const std::error_code &error) {
  for (const std::errc scarce :
       {std::errc::not_enough_memory, std::errc::no_space_on_device, std::errc::too_many_files_open,
        std::errc::too_many_files_open_in_system, std::errc::resource_unavailable_try_again})
    if (error == scarce)
      return Code::OutOfMemory;
  return Code::NotFound;
}

// The files that are open in this process: for the machine itself, per IPU, and per IPU whose
// daemon is in this process.
constexpr std::size_t kFilesOfMachine = 24, kFilesOfIpu = 10, kFilesOfIpuHere = 18;

// An ipud that was asked to end takes up to a second; after this time it is killed.
constexpr std::chrono::milliseconds kEndTimeout{2'000};

} // namespace

wire::Result<std::unique_ptr<Daemons>> Daemons::start(const MachineOptions &options,
                                                      zmq::context_t &context) {
  std::unique_ptr<Daemons> daemons(new Daemons(options, context));
  try {
    if (Status status = daemons->startAll(); !status.ok())
      return status;
  } catch (const std::system_error &error) {
    return Status{codeOf(error.code()), error.what()};
  }
  return daemons;
}

Daemons::Daemons(const MachineOptions &options, zmq::context_t &context)
    : options_(options), context_(context), endpoints_(options.ipus), here_(options.ipus),
      processes_(options.ipus) {}

Daemons::~Daemons() {
  if (lifeLine_)
    lifeLine_->cut();
  for (const auto &process : processes_)
    if (process)
      process->askToEnd();
  const auto deadline = Clock::now() + kEndTimeout;
  for (auto &process : processes_)
    if (process)
      process->finish(deadline);
}

/// Checks limits in advance. Without the check, this process or a child that may open too few files
/// would fail without a clear reason.
Status Daemons::checkResources() const {
  const std::size_t ipus = options_.ipus;
  const std::string program =
      "a program with " + std::to_string(ipus) + (ipus == 1 ? " IPU" : " IPUs");
  const bool isHere = options_.transport == Transport::Inproc && options_.nodes.empty();
  const std::size_t files = kFilesOfMachine + ipus * (isHere ? kFilesOfIpuHere : kFilesOfIpu);
  Status status = fabric::checkFileLimit(files, program);
  if (isHere && !status.ok()) {
    fabric::raiseFileLimit(); // an ipud does so, too
    status = fabric::checkFileLimit(files, program);
  }
  if (!status.ok())
    return status;
  if (isHere || !options_.nodes.empty())
    return Status::success();
  if (status = fabric::checkProc(); !status.ok())
    return status;
  return fabric::checkFileLimitOfChild(ipud::kFilesOfDaemon + (ipus - 1) * ipud::kFilesOfPeer,
                                       "each ipud of " + program);
}

Status Daemons::startAll() {
  if (Status status = checkResources(); !status.ok())
    return status;
  for (std::uint32_t ipu = 0; ipu < options_.nodes.size(); ++ipu)
    endpoints_[ipu] = {options_.nodes[ipu].control, options_.nodes[ipu].link,
                       options_.nodes[ipu].sync};
  if (!options_.nodes.empty())
    return Status::success();
  if (options_.transport == Transport::Inproc) {
    for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
      if (Status status = startHere(ipu); !status.ok())
        return status;
    return Status::success();
  }
  auto program = findIpud(options_.ipudPath);
  if (!program)
    return program.status();
  program_ = std::move(*program);
  directory_.emplace();
  lifeLine_.emplace();
  for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
    if (Status status = spawn(ipu); !status.ok())
      return status;
  const auto deadline = Clock::now() + options_.startTimeout;
  for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
    if (Status status = awaitReady(ipu, deadline); !status.ok())
      return status;
  return Status::success();
}

Status Daemons::restart(std::uint32_t ipu) {
  if (!options_.nodes.empty())
    return Status::success();
  ++generation_;
  if (options_.transport == Transport::Inproc) {
    here_[ipu].reset();
    return startHere(ipu);
  }
  processes_[ipu].reset();
  if (Status status = spawn(ipu); !status.ok())
    return status;
  return awaitReady(ipu, Clock::now() + options_.startTimeout);
}

std::string Daemons::who(std::uint32_t ipu) const {
  std::string text = "ipu " + std::to_string(ipu);
  if (processes_[ipu])
    text += " (pid " + std::to_string(processes_[ipu]->pid()) + ")";
  if (!options_.nodes.empty())
    text += " (" + options_.nodes[ipu].name + ", " + options_.nodes[ipu].control + ")";
  return text;
}

int Daemons::pidDescriptor(std::uint32_t ipu) const {
  return processes_[ipu] ? processes_[ipu]->pidDescriptor() : -1;
}

std::vector<int> Daemons::processes() const {
  std::vector<int> all;
  for (const auto &process : processes_)
    if (process)
      all.push_back(process->pid());
  return all;
}

ipud::Endpoints Daemons::where(std::uint32_t ipu) {
  const auto endpoint = [&](const char *use, Transport transport) {
    const std::string name = std::to_string(ipu) + use + std::to_string(generation_);
    switch (transport) {
    case Transport::Inproc:
      // The context belongs to this machine.
      return fabric::Endpoint::inproc("copse-" + name).text();
    case Transport::Ipc:
      return fabric::Endpoint::ipc((directory_->path() / name).string()).text();
    case Transport::Shm:
      return fabric::Endpoint::shm((directory_->path() / name).string()).text();
    case Transport::Tcp:
      break;
    }
    return fabric::Endpoint::tcp("127.0.0.1").text();
  };
  // Every user can reach loopback, so only links use it; control and sync sockets, which take
  // orders, use ipc.
  const Transport others =
      options_.transport == Transport::Inproc ? Transport::Inproc : Transport::Ipc;
  return {endpoint("c", others), endpoint("l", options_.transport), endpoint("s", others)};
}

Status Daemons::startHere(std::uint32_t ipu) {
  auto daemon = ipud::Daemon::start(context_, where(ipu), "ipu " + std::to_string(ipu),
                                    ipud::HostWatch::LifeLine);
  if (!daemon)
    return daemon.status();
  here_[ipu] = std::move(*daemon);
  endpoints_[ipu] = here_[ipu]->endpoints();
  return Status::success();
}

Status Daemons::spawn(std::uint32_t ipu) {
  auto process = IpudProcess::spawn({program_, where(ipu), "ipu " + std::to_string(ipu),
                                     directory_->path().string(), lifeLine_->readEnd()});
  if (!process)
    return process.status();
  processes_[ipu] = std::move(*process);
  return Status::success();
}

Status Daemons::awaitReady(std::uint32_t ipu, Clock::time_point deadline) {
  auto endpoints = processes_[ipu]->awaitReady(deadline);
  if (!endpoints)
    return {endpoints.status().code,
            "ipu " + std::to_string(ipu) + ": " + endpoints.status().message};
  endpoints_[ipu] = std::move(*endpoints);
  return Status::success();
}

} // namespace copse::session
