#pragma once

#include "cluster/cluster.hpp"

#include "types/target_description.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::engine {

/// The IPUs of a cluster that this host program may use.
struct ClusterPart {
  cluster::Cluster cluster;
  std::vector<unsigned> ipus; ///< numbers in the cluster, in the order of the devices
  /// The IPUs of all host programs of the job, including this one, by number in the cluster.
  std::vector<unsigned> partition;
  /// True: devices are each IPU alone and groups of 2, 4, 8, ... IPUs. False: all IPUs form one
  /// device.
  bool reconfigurable = true;
  std::string name;            ///< name of the partition; empty: the cluster file is used instead
  std::optional<unsigned> gcd; ///< number of the graph compilation domain in the partition
};

/// Returns the IPUs that the environment names: the file $IPUOF_CONFIG_PATH, else the partition
/// $IPUOF_VIPU_API_PARTITION_ID of the V-IPU server at $IPUOF_VIPU_API_HOST, else the IPUs
/// $COPSE_CLUSTER_IPUS of the cluster $COPSE_CLUSTER.
/// \returns nothing if the environment names no cluster
/// \throws poplar::no_environment if the file, the server's reply or the list is invalid, or if the
///   server does not reply in time
std::optional<ClusterPart> clusterPartOfThisMachine();

/// Puts a target into the pod that the cluster file of \p part names, if there are both.
types::TargetDescription inPodOf(const std::optional<ClusterPart> &part,
                                 types::TargetDescription target);

/// Parses a V-IPU server's description of a partition (launch/README.md has an example), which may
/// be arbitrary text.
/// \param source  origin of the text, for messages
/// \throws poplar::no_environment
ClusterPart parsePartition(const std::string &text, const std::string &source);

/// Parses a list of IPUs such as "0,4-7".
/// \param count  number of IPUs of the cluster
/// \throws poplar::no_environment if the list is malformed, or names an IPU twice or one that does
///   not exist
std::vector<unsigned> parseIpuList(std::string_view text, unsigned count);

} // namespace copse::engine
