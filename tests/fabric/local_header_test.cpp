#include "envelopes.hpp"

#include "wire/local_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace copse::wire {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> bytesOf(const LocalHeader &header) {
  std::vector<std::byte> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::vector<std::byte> localFrame(const Envelope &envelope) {
  const auto header = localHeaderOf(envelope);
  EXPECT_TRUE(header.has_value());
  return bytesOf(header.value_or(LocalHeader{}));
}

TEST(LocalHeader, SaysWhatTheOtherFormSays) {
  for (const Envelope &envelope : {with(Packet{{4}, {63}, 123, 1}), with(Ack{})}) {
    const auto local = decodeLocalEnvelope(localFrame(envelope));
    ASSERT_TRUE(local.ok()) << local.status().message;
    EXPECT_EQ(encode(*local), encode(envelope));
  }
}

TEST(LocalHeader, OtherMessagesHaveNone) {
  EXPECT_FALSE(localHeaderOf(with(Probe{{1, 2}})));
  EXPECT_FALSE(localHeaderOf(with(Fault{Code::InvalidOption, "not today"})));
}

TEST(LocalHeader, HeadersOfTheOtherFormAreRead) {
  const Envelope envelope = with(Probe{{1, 2}});
  const auto decoded = decodeLocalEnvelope(encode(envelope));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message;
  EXPECT_EQ(encode(*decoded), encode(envelope));
}

TEST(LocalHeader, OtherVersionIsForeignAndSaysWhoSpeaks) {
  Envelope envelope = with(Packet{{4}, {5}, 1, 0});
  envelope.version = kProtocolVersion + 1;
  const auto after = decodeLocalEnvelope(localFrame(envelope));
  ASSERT_TRUE(after.ok());
  EXPECT_TRUE(std::holds_alternative<Foreign>(after->body));
  EXPECT_EQ(after->version, kProtocolVersion + 1);
  EXPECT_EQ(after->from, IpuId{4});
}

TEST(LocalHeader, UnknownChannelIsRefused) {
  const auto decoded = decodeLocalEnvelope(localFrame(with(Packet{{4}, {5}, 1, kChannels})));
  EXPECT_EQ(decoded.status().code, Code::BadFrame);
  EXPECT_THAT(decoded.status().message, HasSubstr("channel 2"));
}

TEST(LocalHeader, AnyBytesAreRefusedOrReadButNeverMore) {
  std::mt19937_64 random(1);
  const auto frame = localFrame(with(Packet{{4}, {5}, 1, 0}));
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = frame;
    for (auto damage = random() % 8; damage > 0; --damage)
      bytes[random() % bytes.size()] = std::byte(random() % 256);
    bytes.resize(random() % 4 == 0 ? random() % (2 * bytes.size()) : bytes.size());
    const auto decoded = decodeLocalEnvelope(bytes);
    EXPECT_TRUE(decoded.ok() || decoded.status().code == Code::BadFrame);
    if (decoded.ok() && std::holds_alternative<Packet>(decoded->body)) {
      EXPECT_LT(std::get<Packet>(decoded->body).channel, kChannels);
    }
  }
}

} // namespace
} // namespace copse::wire
