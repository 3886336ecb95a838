#pragma once

#include <chrono>
#include <string>

namespace copse::engine {

/// What a host program asks its V-IPU server: GET /v1/partitions/NAME/config?gcd=N, over HTTP/1.0.
struct PartitionRequest {
  std::string host, port, partition, gcd;
  std::string user, key; ///< empty: the server knows no users
  std::chrono::milliseconds timeout{};
  /// Names the partition and its server, for messages.
  std::string source() const;
};

/// Reads $IPUOF_VIPU_API_{HOST,PORT,PARTITION_ID,GCD_ID,TIMEOUT} (defaults: localhost, 8090, none,
/// 0, 120 s) and the user of $VIPU_CLI_API_{USER_ID,ACCESS_KEY}.
/// \throws poplar::no_environment for a value that makes no sense
PartitionRequest partitionRequestOfEnvironment();

/// Returns the body of the server's reply. Blocks for at most PartitionRequest::timeout.
/// \throws poplar::no_environment if the server does not reply in time, or refuses: with its reason
std::string requestPartition(const PartitionRequest &request);

} // namespace copse::engine
