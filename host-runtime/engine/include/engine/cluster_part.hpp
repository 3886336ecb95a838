#pragma once

#include "cluster/cluster.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::engine {

/// The IPUs of a cluster that this host program may use.
struct ClusterPart {
  cluster::Cluster cluster;
  std::vector<unsigned> ipus; ///< numbers in the cluster, in the order of the devices
  /// Numbers of the IPUs that host programs of the same job hold, those of this one included.
  std::vector<unsigned> partition;
  /// Each IPU alone, then groups of 2, 4, 8, ... are devices; otherwise all IPUs together are one.
  bool reconfigurable = true;
  std::string name; ///< of the partition; empty: the cluster's file stands for it
};

/// The IPUs that the environment names: the file $IPUOF_CONFIG_PATH, else the partition
/// $IPUOF_VIPU_API_PARTITION_ID of the V-IPU server at $IPUOF_VIPU_API_HOST, else the IPUs
/// $COPSE_CLUSTER_IPUS of the cluster $COPSE_CLUSTER.
/// \returns none if the environment names no cluster
/// \throws poplar::no_environment if the file, the server's reply or the list makes no sense, or if
///   the server does not reply in time
std::optional<ClusterPart> clusterPartOfThisMachine();

/// Reads what a V-IPU server says of a partition (launch/README.md has an example). Any text is
/// safe.
/// \param source  where the text comes from, for messages
/// \throws poplar::no_environment
ClusterPart parsePartition(const std::string &text, const std::string &source);

/// Reads a list of IPUs such as "0,4-7".
/// \param count  number of IPUs of the cluster
/// \throws poplar::no_environment if the list is none, repeats an IPU or names one that is not there
std::vector<unsigned> parseIpuList(std::string_view text, unsigned count);

} // namespace copse::engine
