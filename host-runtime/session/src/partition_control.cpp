#include "partition_control.hpp"

#include "partition_endpoints.hpp"
#include "program_loading.hpp"
#include "random_token.hpp"
#include "silent_node.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <unistd.h>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;
using Clock = std::chrono::steady_clock;

// A node that is released answers at once, whatever its IPU is doing.
constexpr std::chrono::seconds kLeaveTimeout{1};

/// Returns how many sockets ZeroMQ must allow, whose default is the need of 120 IPUs: the daemons
/// of an IPUModel's IPUs use the sockets of this process.
int socketsFor(std::uint32_t ipus) {
  constexpr std::uint32_t kSocketsOfIpu = 16, kMost = 65'535; // ZeroMQ's own limit
  return static_cast<int>(
      std::clamp<std::uint32_t>(ipus * kSocketsOfIpu, ZMQ_MAX_SOCKETS_DFLT, kMost));
}

std::string nameOfThisHost() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    name[0] = '?';
  return std::string(::program_invocation_short_name) + " (pid " + std::to_string(::getpid()) +
         " on " + name.data() + ")";
}

std::vector<std::uint32_t> numbersTo(std::uint32_t ipus) {
  std::vector<std::uint32_t> all(ipus);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

std::chrono::milliseconds timeoutOf(const Program &program, const MachineOptions &options) {
  return std::min(program.syncTimeout.value_or(options.syncTimeout),
                  std::chrono::milliseconds(UINT32_MAX));
}

} // namespace

PartitionControl::PartitionControl(const MachineOptions &options)
    : options_(options), context_(1, socketsFor(options.ipus)), token_(newToken()) {}

Status PartitionControl::start(Hub::RowTraffic rows) {
  auto daemons = Daemons::start(options_, context_);
  if (!daemons)
    return daemons.status();
  daemons_ = std::move(*daemons);
  hub_.emplace(context_, options_.ipus, options_.heartbeatTimeout, std::move(rows));
  requests_.emplace(*hub_);
  if (!options_.nodes.empty()) {
    share_.emplace(context_, options_, *requests_, [this] { hub_->nudge(); });
    return joinNodes();
  }
  for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
    if (Status status = open(ipu); !status.ok())
      return status;
  return greet(numbersTo(options_.ipus));
}

void PartitionControl::close() {
  if (!hub_)
    return;
  leaveNodes();
  hub_->stop();
}

Status PartitionControl::open(std::uint32_t ipu) {
  Hub::Peer peer{daemons_->endpoints(ipu).control, daemons_->who(ipu), daemons_->pidDescriptor(ipu),
                 options_.keys.get()};
  if (!options_.nodes.empty())
    peer.nameAmongKeys = options_.nodes[ipu].identity;
  return hub_->open(ipu, peer);
}

Status PartitionControl::greet(const std::vector<std::uint32_t> &ipus) {
  const message::Hello hello{static_cast<std::uint32_t>(options_.heartbeatTimeout.count()),
                             nameOfThisHost(), token_};
  std::vector<Order> orders;
  orders.reserve(ipus.size());
  for (const std::uint32_t ipu : ipus)
    orders.push_back({ipu, hello, {}});
  return requests_->ask(std::move(orders));
}

/// Joins one node after another, the lowest first: if two programs want overlapping sets of nodes,
/// one of them gets the lowest common node, and the other gives up.
Status PartitionControl::joinNodes() {
  for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu) {
    if (Status status = open(ipu); !status.ok())
      return status;
    if (Status status = greet({ipu}); !status.ok())
      return withReason(std::move(status), {ipu});
    joined_.insert(ipu);
  }
  return Status::success();
}

/// Adds the reason why a node is silent: a node that was never there is as silent as a node that
/// requires keys.
Status PartitionControl::withReason(Status status,
                                    const std::vector<std::uint32_t> &greeted) const {
  const auto silent = std::ranges::find_if(
      greeted, [this](std::uint32_t ipu) { return requests_->lost().contains(ipu); });
  if (status.code == Code::Disconnected && !options_.nodes.empty() && silent != greeted.end())
    status.message +=
        ": " + whySilent(daemons_->endpoints(*silent).control, options_.keys != nullptr);
  return status;
}

/// Releases the nodes at once, so that the next host need not wait until they notice our silence.
void PartitionControl::leaveNodes() {
  std::vector<Order> orders;
  for (const std::uint32_t ipu : joined_)
    if (!requests_->lost().contains(ipu))
      orders.push_back({ipu, message::Detach{}, {}});
  // Nodes that do not answer will notice our silence.
  if (!orders.empty())
    (void)requests_->ask(std::move(orders), kLeaveTimeout);
}

Status PartitionControl::replaceLost() {
  // Process the events since the last call.
  while (requests_->step(Clock::now())) {
  }
  std::vector<std::uint32_t> replaced;
  const auto lost = requests_->lost();
  for (const auto &[ipu, why] : lost) {
    hub_->close(ipu); // it watches the old process
    if (Status status = daemons_->restart(ipu); !status.ok())
      return status;
    if (Status status = open(ipu); !status.ok())
      return status;
    requests_->found(ipu);
    replaced.push_back(ipu);
  }
  return withReason(greet(replaced), replaced);
}

Status PartitionControl::load(const Program &program, const message::RowStore &rows,
                              const TellLoaded &tellLoaded) {
  auto loading = ProgramLoading::of(program, options_, *requests_);
  if (!loading)
    return loading.status();
  Status status = Status::success();
  if (!program.isShared())
    status = loadAll(*loading, rows, tellLoaded);
  else if (share_)
    status = loadShare(program, *loading, rows, tellLoaded);
  else
    return {Code::InvalidOption,
            "this host program runs " + std::to_string(program.replicas) + " of " +
                std::to_string(program.allReplicas) +
                " replicas, so its IPUs must be of a cluster; set COPSE_CLUSTER to its file"};
  if (!status.ok())
    return program.isShared() ? share_->fail(std::move(status)) : status;
  groups_ = loading->groups();
  return status;
}

Status PartitionControl::loadAll(ProgramLoading &loading, const message::RowStore &rows,
                                 const TellLoaded &tellLoaded) {
  if (share_)
    share_->leave();
  requests_->nameFrom(0);
  ++epoch_;
  if (Status status = loading.configure(rows, endpointsOf(*daemons_, options_), epoch_);
      !status.ok())
    return status;
  return loading.send(tellLoaded);
}

/// Loads a program whose other replicas are run by other host programs.
Status PartitionControl::loadShare(const Program &program, ProgramLoading &loading,
                                   const message::RowStore &rows, const TellLoaded &tellLoaded) {
  const auto deadline = Clock::now() + timeoutOf(program, options_);
  auto endpoints =
      share_->join(program, loading.hashes(), endpointsOf(*daemons_, options_), deadline);
  if (!endpoints)
    return endpoints.status();
  requests_->nameFrom(program.firstReplica * static_cast<std::uint32_t>(program.images.size()));
  epoch_ = share_->epoch();
  if (Status status = loading.configure(rows, std::move(*endpoints), epoch_); !status.ok())
    return status;
  if (Status status = share_->ready(deadline); !status.ok())
    return status;
  return loading.send(tellLoaded);
}

Status PartitionControl::ask(std::vector<Order> orders) {
  Status status = requests_->ask(std::move(orders));
  if (status.ok() || !isShared() || requests_->lost().empty())
    return status;
  return share_->fail(std::move(status));
}

Status PartitionControl::failed(bool meets, Status fault) {
  if (!isShared())
    return fault;
  return meets ? share_->failBy(std::move(fault)) : share_->fail(std::move(fault));
}

} // namespace copse::session
