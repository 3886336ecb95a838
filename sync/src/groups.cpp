#include "sync/groups.hpp"

namespace copse::sync {

using wire::SyncConfiguration;
using wire::SyncGroup;

namespace {

/// Returns the group in which IPUs of several replicas meet.
SyncGroup allIpus(SyncConfiguration configuration) {
  return configuration == SyncConfiguration::IntraReplicaAndLadder ? SyncGroup::All
                                                                   : SyncGroup::GS2;
}

bool together(SyncGroup group, SyncConfiguration configuration, std::uint32_t ipusPerReplica,
              wire::IpuId a, wire::IpuId b) {
  switch (group) {
  case SyncGroup::GS1:
    return configuration == SyncConfiguration::IpuAndAll
               ? a == b
               : a.value / ipusPerReplica == b.value / ipusPerReplica;
  case SyncGroup::GS2: // each rung of the ladder is a pair of even and odd
    return configuration != SyncConfiguration::IntraReplicaAndLadder || a.value % 2 == b.value % 2;
  case SyncGroup::All:
  case SyncGroup::Hosts:
    break;
  }
  return true;
}

} // namespace

std::optional<SyncGroup> groupFor(Purpose purpose, const Scheme &scheme) {
  switch (purpose) {
  case Purpose::WithinReplica:
    return scheme.configuration == SyncConfiguration::IpuAndAll ? SyncGroup::GS2 : SyncGroup::GS1;
  case Purpose::BetweenReplicas:
    return allIpus(scheme.configuration);
  case Purpose::RemoteBuffer:
    return SyncGroup::GS1;
  case Purpose::Host:
    break;
  }
  if (scheme.software)
    return std::nullopt;
  return scheme.replicasIndependently ? SyncGroup::GS1 : SyncGroup::GS2;
}

std::vector<wire::IpuId> membersOf(SyncGroup group, SyncConfiguration configuration,
                                   const Replication &replication, wire::IpuId self) {
  std::vector<wire::IpuId> members;
  for (wire::IpuId other{0}; other.value < replication.replicas * replication.ipusPerReplica;
       ++other.value)
    if (together(group, configuration, replication.ipusPerReplica, self, other))
      members.push_back(other);
  return members;
}

std::vector<SyncGroup> groupsOf(SyncConfiguration configuration) {
  if (configuration == SyncConfiguration::IntraReplicaAndLadder)
    return {SyncGroup::GS1, SyncGroup::GS2, SyncGroup::All};
  return {SyncGroup::GS1, SyncGroup::GS2};
}

} // namespace copse::sync
