#pragma once

#include <chrono>
#include <string>

namespace copse::engine {

/// A request to a V-IPU server: GET /v1/partitions/NAME/config?gcd=N, over HTTP/1.0.
struct PartitionRequest {
  std::string host, port, partition, gcd;
  std::string user, key; ///< empty: the server has no user accounts
  std::chrono::milliseconds timeout{};
  /// Returns the name of the partition and its server, for messages.
  std::string source() const;
};

/// Reads $IPUOF_VIPU_API_{HOST,PORT,PARTITION_ID,GCD_ID,TIMEOUT} (defaults: localhost, 8090, none,
/// 0, 120 s) and the user in $VIPU_CLI_API_{USER_ID,ACCESS_KEY}.
/// \throws poplar::no_environment for an invalid value
PartitionRequest partitionRequestOfEnvironment();

/// Returns the body of the server's reply. Blocks for at most PartitionRequest::timeout.
/// \throws poplar::no_environment if the server does not reply in time, or refuses; the message has
///   its reason
std::string requestPartition(const PartitionRequest &request);

} // namespace copse::engine
