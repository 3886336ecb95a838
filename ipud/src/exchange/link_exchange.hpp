#pragma once

#include "tile/thread_team.hpp"
#include "tile/tile_memory.hpp"

#include "ipud/environment.hpp"
#include "wire/image.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace copse::ipud {

/// Runs exchange steps of one IPU: packs and sends what peers expect, does the on-chip moves, then
/// receives. So every source is read before any destination is written, and all IPUs send before
/// one waits.
class LinkExchange {
public:
  /// \param team  shares on-chip moves of many bytes
  LinkExchange(const TileMemory &memory, ThreadTeam &team, const PlaceInPartition &placement,
               std::uint32_t ipu)
      : memory_(memory), team_(team), placement_(placement), ipu_(ipu) {}

  /// send(), then finish().
  ///
  /// \param together  exchanges that run as one
  /// \param tag       number of the first in the image
  wire::Status run(std::span<const wire::Exchange> together, std::uint32_t tag,
                   Environment &environment);
  /// The first part. May run before the sync point of an exchange.
  ///
  /// \returns what the environment returned
  wire::Status send(std::span<const wire::Exchange> together, std::uint32_t tag,
                    Environment &environment);
  /// The other parts.
  ///
  /// \returns what the environment returned, or BadFrame if a peer's message has another size
  wire::Status finish(std::span<const wire::Exchange> together, std::uint32_t tag,
                      Environment &environment);
  /// Whether peers have room for all that send() sends while they are not at the exchange yet.
  static bool fitsAhead(std::span<const wire::Exchange> together);

private:
  wire::Status sendAll(const wire::Exchange &exchange, std::uint32_t tag, Environment &environment);
  wire::Status receiveAll(const wire::Exchange &exchange, std::uint32_t tag,
                          Environment &environment);
  void moveAll(const wire::Exchange &exchange);

  const TileMemory &memory_;
  ThreadTeam &team_;
  const PlaceInPartition &placement_;
  std::uint32_t ipu_; ///< number within the replica
  std::vector<std::byte> staging_;
  /// Of cross-replica copies that leave this replica where it is, in the order in which they are
  /// received.
  std::deque<fabric::Payload> toItself_;
};

} // namespace copse::ipud
