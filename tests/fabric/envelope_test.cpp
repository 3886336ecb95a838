#include "envelopes.hpp"

#include "wire/envelope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace copse::wire {
namespace {

using ::testing::HasSubstr;

Envelope roundTrip(const Envelope &envelope) {
  auto decoded = decodeEnvelope(encode(envelope));
  EXPECT_TRUE(decoded.ok()) << decoded.status().message;
  return decoded.ok() ? *decoded : Envelope{};
}

template <class Body> void expectSame(const Body &body) {
  const Envelope before = with(body);
  const Envelope after = roundTrip(before);
  EXPECT_EQ(after.version, kProtocolVersion);
  EXPECT_EQ(after.epoch, before.epoch);
  EXPECT_EQ(after.from, before.from);
  EXPECT_EQ(after.to, before.to);
  EXPECT_EQ(after.sequence, before.sequence);
  EXPECT_EQ(after.payloadBytes, before.payloadBytes);
  EXPECT_EQ(after.payloadCheck, before.payloadCheck);
  EXPECT_EQ(after.channels, before.channels);
  ASSERT_TRUE(std::holds_alternative<Body>(after.body));
  EXPECT_EQ(std::get<Body>(after.body), body);
}

TEST(Envelope, PacketSurvivesEncoding) { expectSame(Packet{{4}, {63}, 123, 1}); }
TEST(Envelope, AckSurvivesEncoding) { expectSame(Ack{}); }
TEST(Envelope, ProbeSurvivesEncoding) { expectSame(Probe{{5, ~std::uint64_t{0}}}); }
TEST(Envelope, FaultSurvivesEncoding) { expectSame(Fault{Code::InvalidOption, "not today"}); }

TEST(Envelope, ArrivalSurvivesEncoding) {
  const auto after = roundTrip(with(SyncArrive{SyncGroup::GS2, {99}, Status::success()}));
  const auto &arrive = std::get<SyncArrive>(after.body);
  EXPECT_EQ(arrive.group, SyncGroup::GS2);
  EXPECT_EQ(arrive.time, Cycles{99});
  EXPECT_TRUE(arrive.failure.ok());
}

TEST(Envelope, StopCarriesItsReason) {
  const auto after = roundTrip(with(SyncLeave{SyncGroup::GS1, {}, {Code::VertexFault, "tile 3"}}));
  const auto &leave = std::get<SyncLeave>(after.body);
  EXPECT_EQ(leave.failure.code, Code::VertexFault);
  EXPECT_EQ(leave.failure.message, "tile 3");
}

TEST(Envelope, LongReasonIsCutToTheLimitOfTheHeader) {
  const auto after =
      roundTrip(with(SyncArrive{SyncGroup::GS1, {}, {Code::Internal, std::string(1 << 20, 'x')}}));
  EXPECT_EQ(std::get<SyncArrive>(after.body).failure.message.size(), kMaxStatusText);
}

TEST(Envelope, OtherVersionIsForeignAndNamesItsSender) {
  Envelope envelope = with(Packet{{4}, {5}, 1, 0});
  envelope.version = kProtocolVersion + 1;
  const Envelope after = roundTrip(envelope);
  EXPECT_TRUE(std::holds_alternative<Foreign>(after.body));
  EXPECT_EQ(after.version, kProtocolVersion + 1);
  EXPECT_EQ(after.from, IpuId{4});
}

TEST(Envelope, UnknownChannelIsRefused) {
  const auto decoded = decodeEnvelope(encode(with(Packet{{4}, {5}, 1, kChannels})));
  EXPECT_EQ(decoded.status().code, Code::BadFrame);
  EXPECT_THAT(decoded.status().message, HasSubstr("channel 2"));
}

TEST(Envelope, UnknownGroupIsRefused) {
  const auto decoded =
      decodeEnvelope(encode(with(SyncArrive{static_cast<SyncGroup>(5), {}, Status::success()})));
  EXPECT_EQ(decoded.status().code, Code::BadFrame);
}

TEST(Envelope, UnalignedFrameIsRead) {
  const auto frame = encode(with(Packet{{4}, {5}, 1, 0}));
  for (std::size_t offset = 0; offset < 8; ++offset) {
    std::vector<std::byte> shifted(offset);
    shifted.insert(shifted.end(), frame.begin(), frame.end());
    EXPECT_TRUE(decodeEnvelope(std::span(shifted).subspan(offset)).ok()) << offset;
  }
}

TEST(Envelope, EveryTruncationIsRefused) {
  const auto frame = encode(with(Packet{{4}, {5}, 1, 0}));
  for (std::size_t size = 0; size < frame.size(); ++size)
    EXPECT_EQ(decodeEnvelope(std::span(frame).first(size)).status().code, Code::BadFrame) << size;
}

TEST(Envelope, EveryFlippedBitIsRefused) {
  const auto frame = encode(with(Packet{{4}, {5}, 1, 0}));
  for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
    auto damaged = frame;
    damaged[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    EXPECT_EQ(decodeEnvelope(damaged).status().code, Code::BadFrame) << bit;
  }
}

TEST(Envelope, HugeFrameIsRefusedUnread) {
  EXPECT_EQ(decodeEnvelope(std::vector<std::byte>(kMaxHeaderBytes + 8)).status().code,
            Code::BadFrame);
}

// Puts the right hash behind any words, so that they get as far as Cap'n Proto.
std::vector<std::byte> sealed(std::vector<std::byte> content) {
  const std::uint64_t check = payloadHash(content);
  const auto *bytes = reinterpret_cast<const std::byte *>(&check);
  content.insert(content.end(), bytes, bytes + sizeof check);
  return content;
}

TEST(Envelope, RandomWordsAreRefusedOrReadSafely) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> content(8 * (1 + random() % 40));
    for (auto &byte : content)
      byte = std::byte(random() % 4 == 0 ? random() % 256 : random() % 3);
    const auto decoded = decodeEnvelope(sealed(std::move(content)));
    EXPECT_TRUE(decoded.ok() || decoded.status().code == Code::BadFrame);
  }
}

TEST(Envelope, DamagedContentWithAValidHashIsRefusedOrReadSafely) {
  std::mt19937_64 random(2);
  const std::vector<std::byte> frames[] = {
      encode(with(Packet{{4}, {5}, 1, 0})), encode(with(Probe{{1, 2}})),
      encode(with(SyncLeave{SyncGroup::GS1, {1}, {Code::Timeout, "late"}}))};
  for (int round = 0; round < 60'000; ++round) {
    const auto &frame = frames[random() % 3];
    std::vector<std::byte> content(frame.begin(), frame.end() - 8);
    for (auto flips = 1 + random() % 4; flips > 0; --flips)
      content[random() % content.size()] ^= std::byte{1} << static_cast<int>(random() % 8);
    const auto decoded = decodeEnvelope(sealed(std::move(content)));
    if (decoded.ok() && std::holds_alternative<Packet>(decoded->body)) {
      EXPECT_LT(std::get<Packet>(decoded->body).channel, kChannels);
    }
    EXPECT_TRUE(decoded.ok() || decoded.status().code == Code::BadFrame);
  }
}

TEST(PayloadHash, DiffersForEveryFlippedBit) {
  std::vector<std::byte> payload(77, std::byte{5});
  const std::uint64_t whole = payloadHash(payload);
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    payload[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    EXPECT_NE(payloadHash(payload), whole) << bit;
    payload[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
  }
}

TEST(PayloadHash, DiffersForZeroesOfEveryLength) {
  std::set<std::uint64_t> seen;
  for (std::size_t size = 0; size < 200; ++size)
    EXPECT_TRUE(seen.insert(payloadHash(std::vector<std::byte>(size))).second) << size;
}

} // namespace
} // namespace copse::wire
