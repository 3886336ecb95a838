#pragma once

#include "wire/ids.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace copse::sync {

/// Which group a sync point uses depends on more than its members.
struct Scheme {
  wire::SyncConfiguration configuration = wire::SyncConfiguration::IntraReplicaAndAll;
  bool replicasIndependently = false; ///< engine option target.syncReplicasIndependently
  bool software = false;              ///< engine option opt.enableSwSyncs
};

/// The reason for a sync point.
enum class Purpose : std::uint8_t {
  WithinReplica,   ///< IPUs of a replica are about to exchange data
  BetweenReplicas, ///< IPUs of several replicas are
  RemoteBuffer,
  Host, ///< streams and prints
};

/// The cell of the table in docs/sync-groups.md, which completes the one of the guide, 2.7.2.
/// \returns nothing where there is no sync point: with software sync each IPU deals with the host
/// on its own (guide, 2.7.3)
std::optional<wire::SyncGroup> groupFor(Purpose purpose, const Scheme &scheme);

/// The partition as sync groups see it: replicas of equally many IPUs, numbered one after another.
struct Replication {
  std::uint32_t replicas = 1, ipusPerReplica = 1;
};

/// Members of \p self's \p group, ascending; \p self is one of them.
std::vector<wire::IpuId> membersOf(wire::SyncGroup group, wire::SyncConfiguration configuration,
                                   const Replication &replication, wire::IpuId self);

/// The groups that an IPU is in.
std::vector<wire::SyncGroup> groupsOf(wire::SyncConfiguration configuration);

} // namespace copse::sync
