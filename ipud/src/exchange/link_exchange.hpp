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

/// Runs the exchange steps of one IPU: packs and sends what peers expect, does the on-chip moves,
/// and then receives. This order reads every source before any destination is written, and no IPU
/// waits before it has sent.
class LinkExchange {
public:
  /// \param team  shares large sets of on-chip moves
  LinkExchange(const TileMemory &memory, ThreadTeam &team, const PlaceInPartition &placement,
               std::uint32_t ipu)
      : memory_(memory), team_(team), placement_(placement), ipu_(ipu) {}

  /// \param together  exchanges that run as one
  /// \param tag       number of the first of them in the image
  /// \returns the environment's error, or BadFrame if the message of a peer has the wrong size
  wire::Status run(std::span<const wire::Exchange> together, std::uint32_t tag,
                   Environment &environment);

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
  /// Messages of cross-replica copies from this replica to itself, in the order in which they are
  /// received.
  std::deque<fabric::Payload> toItself_;
};

} // namespace copse::ipud
