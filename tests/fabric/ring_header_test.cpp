#include "envelopes.hpp"

#include "wire/ring_header.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace copse::wire {
namespace {

std::vector<std::byte> frameOf(const auto &header) {
  const auto bytes = std::as_bytes(std::span(&header, 1));
  return {bytes.begin(), bytes.end()};
}

TEST(RingHeader, SurvivesEncoding) {
  const auto header = ringHeaderIn(frameOf(ringHeader(7, 4, 63, 123)));
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->epoch, 7U);
  EXPECT_EQ(header->from, 4U);
  EXPECT_EQ(header->to, 63U);
  EXPECT_EQ(header->tag, 123U);
}

TEST(RingHeader, RefusesHeadersOfNetworkLinks) {
  const Envelope packet = with(Packet{{4}, {63}, 123, 1});
  EXPECT_FALSE(ringHeaderIn(encode(packet)));
  EXPECT_FALSE(ringHeaderIn({}));
}

TEST(RingHeader, RefusesAnotherSizeOrMark) {
  const auto frame = frameOf(ringHeader(7, 4, 63, 123));
  for (const std::ptrdiff_t change : {-1, 1}) {
    auto other = frame;
    other.resize(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(frame.size()) + change));
    EXPECT_FALSE(ringHeaderIn(other)) << change;
  }
  auto other = frame;
  other[0] ^= std::byte{1};
  EXPECT_FALSE(ringHeaderIn(other));
}

} // namespace
} // namespace copse::wire
