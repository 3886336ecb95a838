#include "own_share.hpp"

#include "random_token.hpp"

#include "wire/envelope.hpp"

#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;

// The limit for announcing a failure: an IPU that is being stopped must not delay the report.
constexpr std::chrono::seconds kLongestFarewell{1};

} // namespace

wire::Result<PartitionEndpoints> OwnShare::join(const Program &program,
                                                const std::vector<std::string> &images,
                                                PartitionEndpoints own,
                                                Clock::time_point deadline) {
  if (!peers_)
    peers_.emplace(context_, options_, onTrouble_);
  share_ = shareOf(program, images, std::move(own));
  auto shares = peers_->find(
      *share_, [this](const auto &share) { return announce(share); }, deadline);
  if (!shares)
    return shares.status();
  return endpointsOf(*shares);
}

Status OwnShare::ready(Clock::time_point deadline) {
  share_->stage = message::ShareStage::Ready;
  if (Status status = announce(*share_); !status.ok())
    return status;
  return peers_->awaitReady(deadline);
}

void OwnShare::leave() {
  if (share_)
    (void)fail({Code::Disconnected, "it has loaded a program that it does not share"});
  share_.reset();
}

Status OwnShare::fail(Status why) {
  share_->stage = message::ShareStage::Failed;
  share_->failure = why;
  // Announce at the first IPU that is left. If no IPU is left, the other host programs notice that
  // the first IPU is gone.
  for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
    if (!requests_.lost().contains(ipu) && announce(*share_, ipu, kLongestFarewell).ok())
      break;
  return why;
}

Status OwnShare::failBy(Status fault) {
  if (!mayBeConsequence(fault))
    return fail(std::move(fault));
  (void)fail({Code::Cancelled, fault.message});
  return peers_->causeOf(std::move(fault));
}

/// Returns true if \p fault may be a consequence of a failure elsewhere. IPUs of other host
/// programs cannot end ours, so a lost IPU is a cause.
bool OwnShare::mayBeConsequence(const Status &fault) const {
  for (const auto &[ipu, why] : requests_.lost())
    if (why.code == Code::Disconnected)
      return false;
  return !peers_->trouble().ok() || fault.code == Code::Cancelled || fault.code == Code::Timeout ||
         fault.code == Code::Disconnected;
}

message::Share OwnShare::shareOf(const Program &program, const std::vector<std::string> &images,
                                 PartitionEndpoints own) const {
  message::Share share;
  share.partition = options_.partition;
  share.first = program.firstReplica;
  share.number = program.replicas;
  share.replicas = program.allReplicas;
  share.ticket = newToken();
  const bool torus = options_.topology == wire::Topology::Torus;
  share.traits = {
      {"the number of replicas", std::to_string(program.allReplicas)},
      {"the number of IPUs of a replica", std::to_string(program.images.size())},
      {"the topology of IPU-Links", torus ? "torus" : "mesh"},
      {"the sync configuration", std::to_string(static_cast<unsigned>(program.syncConfiguration))},
      {"the machine model",
       std::to_string(wire::payloadHash(std::as_bytes(std::span(program.sharedMachineModel))))},
      {"the kind of clock that the program sees", program.hasModelledClock ? "modelled" : "real"}};
  for (const std::string &image : images)
    share.traits.push_back({"the executable", image});
  share.links = std::move(own.links);
  share.syncs = std::move(own.syncs);
  share.names = std::move(own.names);
  return share;
}

Status OwnShare::announce(const message::Share &share, std::uint32_t ipu,
                          std::chrono::milliseconds timeout) {
  std::vector<Order> orders;
  orders.push_back({ipu, message::Announce{share}, {}});
  return requests_.ask(std::move(orders), timeout);
}

} // namespace copse::session
