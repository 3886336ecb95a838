#include "engine/cluster_nodes.hpp"

#include "cluster/key_files.hpp"

#include <string>

namespace copse::engine {

wire::Status useNodes(const cluster::Cluster &cluster, const std::vector<unsigned> &ipus,
                      session::MachineOptions &options) {
  for (const unsigned number : ipus) {
    const cluster::ClusterIpu &ipu = cluster.ipus[number];
    options.nodes.push_back({"ipu " + std::to_string(number) + " of " + cluster.file,
                             ipu.control.address, ipu.link.address, ipu.sync.address,
                             fabric::nameOfIpu(number)});
  }
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
