// Tests large messages of a session: cut by the sender, put together by the receiver.
#include "ipud/session_message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using wire::Code;

fabric::Payload randomBytes(std::size_t bytes, unsigned seed) {
  fabric::Payload payload(bytes);
  std::mt19937 random(seed);
  std::generate_n(payload.data(), bytes, [&] { return static_cast<std::byte>(random()); });
  return payload;
}

/// Returns a request with raw frames of these sizes.
SessionMessage load(const std::vector<std::size_t> &sizes) {
  SessionMessage message{{7, {}, session::Load{}}, {}};
  for (unsigned i = 0; i < sizes.size(); ++i)
    message.payloads.push_back(randomBytes(sizes[i], i));
  return message;
}

/// Returns the message at the other end of a connection.
SessionMessage carried(SessionMessage message) {
  fabric::Frames frames;
  pack(std::move(message), frames);
  auto arrived = unpack(std::move(frames), 0);
  EXPECT_TRUE(arrived.ok()) << arrived.status().message;
  return arrived ? std::move(*arrived) : SessionMessage{};
}

SessionMessage piece(std::size_t bytes) {
  return {{0, {}, session::Piece{}}, fabric::listOf(fabric::Payload(bytes))};
}

/// Returns the header of a message in pieces with raw frames of these sizes.
SessionMessage header(std::vector<std::uint64_t> sizes) {
  return {{7, std::move(sizes), session::Load{}, true}, {}};
}

Code refusalOf(SessionMessage message) {
  fabric::Frames frames;
  pack(std::move(message), frames);
  return unpack(std::move(frames), 0).status().code;
}

class MessageAssemblyOf : public ::testing::TestWithParam<std::vector<std::size_t>> {};

TEST_P(MessageAssemblyOf, RestoresTheCutMessage) {
  const SessionMessage expected = load(GetParam());
  auto pieces = piecesOf(load(GetParam()));
  MessageAssembly assembly;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    SessionMessage arrived = carried(std::move(pieces[i]));
    if (pieces.size() > 1) {
      for (const fabric::Payload &payload : arrived.payloads)
        EXPECT_LE(payload.size(), kPieceBytes);
    }
    auto whole = assembly.put(std::move(arrived));
    ASSERT_TRUE(whole.ok()) << whole.status().message;
    ASSERT_EQ(whole->has_value(), i + 1 == pieces.size());
    if (!whole->has_value())
      continue;
    EXPECT_EQ((*whole)->header.request, 7U);
    EXPECT_FALSE((*whole)->header.inPieces);
    ASSERT_EQ((*whole)->payloads.size(), expected.payloads.size());
    for (std::size_t frame = 0; frame < expected.payloads.size(); ++frame)
      EXPECT_TRUE(
          std::ranges::equal((*whole)->payloads[frame].bytes(), expected.payloads[frame].bytes()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, MessageAssemblyOf,
    ::testing::Values(std::vector<std::size_t>{}, std::vector<std::size_t>{0, 0},
                      std::vector<std::size_t>{kPieceBytes},
                      std::vector<std::size_t>{kPieceBytes + 1},
                      std::vector<std::size_t>{kPieceBytes, 1},
                      std::vector<std::size_t>{0, 2 * kPieceBytes},
                      std::vector<std::size_t>{2 * kPieceBytes, 0},
                      std::vector<std::size_t>{3 * kPieceBytes - 1, kPieceBytes + 5}),
    [](const auto &sizes) {
      std::string name = "Of";
      for (const std::size_t size : sizes.param)
        name += "_" + std::to_string(size);
      return name;
    });

TEST(MessageAssembly, LetsOtherMessagesPassBetweenPieces) {
  MessageAssembly assembly;
  ASSERT_TRUE(assembly.put(header({3})).ok());
  const auto other = assembly.put({{0, {}, session::Heartbeat{}}, {}});
  ASSERT_TRUE(other.ok() && other->has_value());
  EXPECT_TRUE(std::holds_alternative<session::Heartbeat>((*other)->header.body));
  const auto whole = assembly.put(piece(3));
  EXPECT_TRUE(whole.ok() && whole->has_value());
}

TEST(MessageAssembly, RefusesOrphanedAndTooLongPieces) {
  MessageAssembly assembly;
  EXPECT_EQ(assembly.put(piece(1)).status().code, Code::BadFrame);
  ASSERT_TRUE(assembly.put(header({3, 5})).ok());
  EXPECT_EQ(assembly.put(piece(4)).status().code, Code::BadFrame) << "of two raw frames";
  EXPECT_EQ(assembly.put(piece(1)).status().code, Code::BadFrame) << "the message is forgotten";
  ASSERT_TRUE(assembly.put(header({3})).ok());
  EXPECT_EQ(assembly.put({{0, {}, session::Piece{}}, {}}).status().code, Code::BadFrame);
}

TEST(MessageAssembly, ReplacesAnIncompleteMessageByTheNext) {
  MessageAssembly assembly;
  ASSERT_TRUE(assembly.put(header({100})).ok());
  ASSERT_TRUE(assembly.put(piece(99)).ok());
  ASSERT_TRUE(assembly.put(header({2})).ok());
  const auto whole = assembly.put(piece(2));
  ASSERT_TRUE(whole.ok() && whole->has_value());
  EXPECT_EQ((*whole)->payloads.at(0).size(), 2U);
  assembly.clear();
  EXPECT_EQ(assembly.put(piece(1)).status().code, Code::BadFrame);
}

TEST(SessionMessages, HaveALimitedNumberOfBytesInPieces) {
  EXPECT_EQ(refusalOf(header({})), Code::BadFrame);
  EXPECT_EQ(refusalOf(header({0, 0})), Code::BadFrame);
  EXPECT_EQ(refusalOf(header({kMostRawBytes, 1})), Code::BadFrame);
  EXPECT_EQ(refusalOf(header({1, UINT64_MAX})), Code::BadFrame) << "the sum is 0";
  EXPECT_EQ(refusalOf({{0, {5}, session::Piece{}, true}, {}}), Code::BadFrame);
  SessionMessage both = header({5});
  both.payloads.emplace_back(std::size_t{5});
  EXPECT_EQ(refusalOf(std::move(both)), Code::BadFrame) << "raw frames that are there already";
}

} // namespace
} // namespace copse::ipud
