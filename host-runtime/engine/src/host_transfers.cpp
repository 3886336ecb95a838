#include "host_transfers.hpp"

#include "types/raise.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace copse::engine {
namespace {

clock::MachineModel modelOf(const session::MachineOptions &options,
                            const session::Program &program) {
  auto model = clock::parseMachineModel(program.isShared() ? program.sharedMachineModel
                                                           : options.machineModel);
  types::raiseIfFailed(model.status());
  return std::move(*model);
}

} // namespace

HostTransfers::HostTransfers(const session::MachineOptions &options, session::Program program)
    : timing_(modelOf(options, program), options.topology,
              static_cast<std::uint32_t>(program.images.size()) * program.allReplicas),
      program_(std::move(program)) {}

double HostTransfers::load() const {
  std::vector<std::uint64_t> bytes;
  for (const auto &image : program_.images)
    bytes.push_back(image->data.size());
  return transfer(bytes, wire::Direction::ToDevice);
}

double HostTransfers::view(std::uint32_t view, wire::Direction direction) const {
  std::vector<std::uint64_t> bytes;
  for (const auto &image : program_.images)
    bytes.push_back(image->hostViews[view].bytes);
  return transfer(bytes, direction);
}

/// Returns the time of a transfer by all replicas, whose IPUs all work at once, as in a host
/// exchange.
double HostTransfers::transfer(const std::vector<std::uint64_t> &bytesOfIpus,
                               wire::Direction direction) const {
  const std::uint64_t ofReplica =
      std::accumulate(bytesOfIpus.begin(), bytesOfIpus.end(), std::uint64_t{0});
  wire::Cycles longest;
  for (std::uint32_t number = 0; number < bytesOfIpus.size(); ++number) {
    const clock::IpuPlace place{number, program_.firstReplica, program_.allReplicas,
                                static_cast<std::uint32_t>(bytesOfIpus.size())};
    const clock::HostLoad load = timing_.hostLoad(bytesOfIpus[number], ofReplica, place);
    longest = std::max(longest, timing_.hostTransfer(direction, load, false));
  }
  return timing_.seconds(longest + timing_.hostExchangeLatency());
}

double HostTransfers::row(std::uint64_t bytes, wire::Direction direction) const {
  return timing_.seconds(timing_.hostTransfer(direction, {bytes, bytes, bytes}, false));
}

} // namespace copse::engine
