#include "exchange/peers.hpp"

#include <gmock/gmock.h>

namespace copse::ipud {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

wire::Exchange exchangeWith(std::vector<std::uint32_t> to, std::vector<std::uint32_t> from) {
  wire::Exchange exchange;
  for (const std::uint32_t peer : to)
    exchange.sends.push_back({peer, {}, 4});
  for (const std::uint32_t peer : from)
    exchange.receives.push_back({peer, {}, 4});
  return exchange;
}

std::vector<std::uint32_t> peers(const std::vector<wire::Exchange> &exchanges,
                                 const PlaceInPartition &place) {
  wire::Image image;
  image.exchanges = exchanges;
  std::vector<std::uint32_t> numbers;
  for (const wire::IpuId ipu : peersOf(image, place))
    numbers.push_back(ipu.value);
  return numbers;
}

/// IPU 1 of replica 1, among four replicas of two IPUs.
const PlaceInPartition kPlace{{3}, {1}, 4, 2};

TEST(Peers, AreInTheOwnReplicaWithoutAMapOfReplicas) {
  EXPECT_THAT(peers({exchangeWith({0}, {}), exchangeWith({0}, {0})}, kPlace), ElementsAre(2));
}

TEST(Peers, FollowTheMapInCrossReplicaCopies) {
  wire::Exchange ring = exchangeWith({1}, {0});
  ring.replicaMap = {1, 2, 3, 0};
  EXPECT_THAT(peers({ring}, kPlace), ElementsAre(0, 5)) << "from replica 0, to replica 2";
}

TEST(Peers, DoNotIncludeTheIpuItself) {
  wire::Exchange stays = exchangeWith({1}, {1});
  stays.replicaMap = {0, 1, 2, 3};
  EXPECT_THAT(peers({stays}, kPlace), IsEmpty());
  EXPECT_THAT(peers({}, kPlace), IsEmpty());
}

} // namespace
} // namespace copse::ipud
