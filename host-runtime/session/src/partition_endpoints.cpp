#include "partition_endpoints.hpp"

namespace copse::session {
namespace {

void append(std::vector<std::string> &all, const std::vector<std::string> &more) {
  all.insert(all.end(), more.begin(), more.end());
}

} // namespace

PartitionEndpoints endpointsOf(const Daemons &daemons, const MachineOptions &options) {
  PartitionEndpoints own;
  for (std::uint32_t ipu = 0; ipu < options.ipus; ++ipu) {
    own.links.push_back(daemons.endpoints(ipu).link);
    own.syncs.push_back(daemons.endpoints(ipu).sync);
    if (options.keys)
      own.names.push_back(options.nodes[ipu].identity);
  }
  return own;
}

PartitionEndpoints endpointsOf(const std::vector<wire::session::Share> &shares) {
  PartitionEndpoints all;
  for (const auto &share : shares) {
    append(all.links, share.links);
    append(all.syncs, share.syncs);
    append(all.names, share.names);
  }
  return all;
}

} // namespace copse::session
