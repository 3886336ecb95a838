#include "exchange/peers.hpp"

#include <algorithm>
#include <set>

namespace copse::ipud {

std::uint32_t targetReplica(const wire::Exchange &exchange, std::uint32_t own) {
  return exchange.replicaMap.empty() ? own : exchange.replicaMap[own];
}

std::uint32_t sourceReplica(const wire::Exchange &exchange, std::uint32_t own) {
  const auto &map = exchange.replicaMap;
  return map.empty() ? own : static_cast<std::uint32_t>(std::ranges::find(map, own) - map.begin());
}

std::vector<wire::IpuId> peersOf(const wire::Image &image, const PlaceInPartition &place) {
  std::set<wire::IpuId> peers;
  for (const wire::Exchange &exchange : image.exchanges) {
    const std::uint32_t target = targetReplica(exchange, place.replica.value),
                        source = sourceReplica(exchange, place.replica.value);
    for (const auto &message : exchange.sends)
      peers.insert(ipuOf(place, target, message.peer));
    for (const auto &message : exchange.receives)
      peers.insert(ipuOf(place, source, message.peer));
  }
  peers.erase(place.self);
  return {peers.begin(), peers.end()};
}

} // namespace copse::ipud
