#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace copse::compiler {

/// Combines copies of bytes into one Exchange for each IPU of a replica. A copy within an IPU
/// becomes on-chip moves; between two IPUs, one message per pair of IPUs, packed in the order of
/// add().
class ExchangeBuilder {
public:
  /// \param replicaMap  empty: within the replica; else a cross-replica copy, in which all traffic
  ///   is messages
  ExchangeBuilder(std::uint32_t ipus, std::uint32_t tilesPerIpu,
                  std::vector<std::uint32_t> replicaMap = {});

  /// Copies \p from to \p to, which must have equal numbers of bytes in total. Region::tile is a
  /// GlobalTile.
  void add(std::span<const wire::Region> from, std::span<const wire::Region> to);

  bool empty() const { return empty_; }
  /// Returns true if bytes leave their IPU, so that the IPUs must sync first.
  bool external() const { return external_; }

  /// \returns shape [ipus]; tiles are numbered within their IPU
  std::vector<wire::Exchange> finish(const std::string &name) &&;

private:
  void addBlocks(wire::Move move);

  std::uint32_t ipus_, tilesPerIpu_;
  std::vector<std::uint32_t> replicaMap_;
  bool empty_ = true, external_ = false;
  std::vector<std::vector<wire::Move>> moves_;  ///< shape [ipus]
  std::vector<wire::Message> sends_, receives_; ///< shape [ipus * ipus]: from * ipus + to
};

} // namespace copse::compiler
