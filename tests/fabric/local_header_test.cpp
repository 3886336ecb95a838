#include "wire/local_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace copse::wire {
namespace {

using ::testing::HasSubstr;

Envelope sample(decltype(Envelope::body) body) {
  Envelope envelope;
  envelope.epoch = 3;
  envelope.from = {4};
  envelope.to = {6};
  envelope.sequence = 1'000'000'000'000;
  envelope.payloadBytes = 1 << 20;
  envelope.payloadCheck = 77;
  envelope.channels = {Received{9, 8, 11}, Received{2, 2, 0}};
  envelope.body = std::move(body);
  return envelope;
}

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
  for (const Envelope &envelope : {sample(Packet{{4}, {63}, 123, 1}), sample(Ack{})}) {
    const auto local = decodeLocalEnvelope(localFrame(envelope));
    ASSERT_TRUE(local.ok()) << local.status().message;
    EXPECT_EQ(encode(*local), encode(envelope));
  }
}

TEST(LocalHeader, OtherMessagesHaveNone) {
  EXPECT_FALSE(localHeaderOf(sample(Probe{{1, 2}})));
  EXPECT_FALSE(localHeaderOf(sample(Fault{Code::InvalidOption, "not today"})));
}

TEST(LocalHeader, HeadersOfTheOtherFormAreRead) {
  const Envelope envelope = sample(Probe{{1, 2}});
  const auto decoded = decodeLocalEnvelope(encode(envelope));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message;
  EXPECT_EQ(encode(*decoded), encode(envelope));
}

TEST(LocalHeader, OtherVersionIsForeignAndSaysWhoSpeaks) {
  Envelope envelope = sample(Packet{{4}, {5}, 1, 0});
  envelope.version = kProtocolVersion + 1;
  const auto after = decodeLocalEnvelope(localFrame(envelope));
  ASSERT_TRUE(after.ok());
  EXPECT_TRUE(std::holds_alternative<Foreign>(after->body));
  EXPECT_EQ(after->version, kProtocolVersion + 1);
  EXPECT_EQ(after->from, IpuId{4});
}

TEST(LocalHeader, UnknownChannelIsRefused) {
  const auto decoded = decodeLocalEnvelope(localFrame(sample(Packet{{4}, {5}, 1, kChannels})));
  EXPECT_EQ(decoded.status().code, Code::BadFrame);
  EXPECT_THAT(decoded.status().message, HasSubstr("channel 2"));
}

TEST(LocalHeader, AnyBytesAreRefusedOrReadButNeverMore) {
  std::mt19937_64 random(1);
  const auto frame = localFrame(sample(Packet{{4}, {5}, 1, 0}));
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
