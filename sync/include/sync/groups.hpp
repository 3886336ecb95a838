#pragma once

#include "wire/ids.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace copse::sync {

/// The options, besides the members, that decide which group a sync point uses.
struct Scheme {
  wire::SyncConfiguration configuration = wire::SyncConfiguration::IntraReplicaAndAll;
  bool replicasIndependently = false; ///< engine option target.syncReplicasIndependently
  bool software = false;              ///< engine option opt.enableSwSyncs
};

/// The reason for a sync point.
enum class Purpose : std::uint8_t {
  WithinReplica,   ///< IPUs of a replica are about to exchange data
  BetweenReplicas, ///< IPUs of different replicas are about to exchange data
  RemoteBuffer,
  Host, ///< streams and prints
};

/// Returns the entry of the table in docs/sync-groups.md, which completes the table of the guide,
/// 2.7.2.
/// \returns nothing if there is no sync point: with software sync, each IPU synchronises with the
///   host alone (guide, 2.7.3)
std::optional<wire::SyncGroup> groupFor(Purpose purpose, const Scheme &scheme);

/// How a partition is divided: its IPUs are numbered replica by replica.
struct Replication {
  std::uint32_t replicas = 1, ipusPerReplica = 1;
};

/// Returns the members of the group \p group that contains \p self, in ascending order.
std::vector<wire::IpuId> membersOf(wire::SyncGroup group, wire::SyncConfiguration configuration,
                                   const Replication &replication, wire::IpuId self);

/// Returns the groups that every IPU is in.
std::vector<wire::SyncGroup> groupsOf(wire::SyncConfiguration configuration);

} // namespace copse::sync
