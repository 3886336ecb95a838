#include "engine/cluster_nodes.hpp"

#include "cluster/key_files.hpp"

#include "wire/environment.hpp"

#include <algorithm>
#include <string>

namespace copse::engine {

wire::Status useNodes(const ClusterPart &part, const std::vector<unsigned> &ipus,
                      session::MachineOptions &options) {
  const cluster::Cluster &cluster = part.cluster;
  const auto node = [&](unsigned number) {
    const cluster::ClusterIpu &ipu = cluster.ipus[number];
    return session::Node{"ipu " + std::to_string(number) + " of " + cluster.file,
                         ipu.control.address, ipu.link.address, ipu.sync.address,
                         fabric::nameOfIpu(number)};
  };
  for (const unsigned number : ipus)
    options.nodes.push_back(node(number));
  for (const unsigned number : part.partition)
    if (std::find(ipus.begin(), ipus.end(), number) == ipus.end())
      options.others.push_back(node(number));
  const std::string job = wire::environmentVariable("COPSE_PARTITION");
  options.partition = job.empty() ? part.name : job;
  options.heartbeatTimeout = cluster.lease;
  if (cluster.rbufd) {
    options.rbufd = cluster.rbufd->endpoint.address;
    options.rbufdName = cluster.rbufd->name;
  }
  auto keys = cluster::keysOfHost(cluster);
  if (!keys)
    return keys.status();
  options.keys = std::move(*keys);
  return wire::Status::success();
}

} // namespace copse::engine
