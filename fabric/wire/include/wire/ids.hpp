#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace copse::wire {

/// An unsigned number used as an id is easily confused with another one. Ids of two kinds do not
/// mix, and do not convert to integers implicitly.
template <class Tag> struct Id {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(const Id &, const Id &) = default;
};

/// An IPU of a partition: 0 .. n-1, over all replicas. IPUs 2r and 2r+1 make rung r of the ladder.
using IpuId = Id<struct IpuTag>;
/// A tile of one IPU: 0 .. tilesPerIpu-1.
using TileId = Id<struct TileTag>;
/// A replica of a replicated graph: 0 .. R-1.
using ReplicaId = Id<struct ReplicaTag>;

/// A time on, or a duration of, an IPU's modelled clock [modelled cycles of the tile clock]; never
/// wall-clock time.
struct Cycles {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(const Cycles &, const Cycles &) = default;
  constexpr Cycles &operator+=(Cycles other) {
    value += other.value;
    return *this;
  }
  friend constexpr Cycles operator+(Cycles a, Cycles b) { return {a.value + b.value}; }
};

/// A sync group of the IPU.  Source: guide, 2.7.2.
enum class SyncGroup : std::uint8_t {
  GS1 = 1,
  GS2 = 2,
  /// Every IPU of the partition, if GS2 is divided into independent subsets.
  All = 3,
  /// Every IPU of a partition that several host programs share. The IPUs of this group synchronise
  /// at the begin and end of a run; no step of a program uses the group.
  Hosts = 4,
};
constexpr bool isSyncGroup(std::uint32_t number) { return number >= 1 && number <= 4; }
constexpr const char *nameOf(SyncGroup group) {
  switch (group) {
  case SyncGroup::GS1:
    return "GS1";
  case SyncGroup::GS2:
    return "GS2";
  case SyncGroup::All:
    return "GS2 (all)";
  case SyncGroup::Hosts:
    break;
  }
  return "of all host programs";
}

/// The members of the sync groups; the target option `syncConfiguration`.  Source: guide, 2.7.2.
enum class SyncConfiguration : std::uint8_t {
  IntraReplicaAndAll,    ///< GS1: the IPUs of a replica; GS2: all
  IpuAndAll,             ///< GS1: each IPU by itself; GS2: all
  IntraReplicaAndLadder, ///< GS1: the IPUs of a replica; GS2: each side of the ladder separately
};

/// How IPU-Links connect the IPUs of a partition.  Source: guide, 2.7.1.
enum class Topology : std::uint8_t { Mesh = 0, Torus = 1 };

} // namespace copse::wire

template <class Tag> struct std::hash<copse::wire::Id<Tag>> {
  std::size_t operator()(copse::wire::Id<Tag> id) const noexcept { return id.value; }
};
