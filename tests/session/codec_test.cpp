#include "wire/session.hpp"

#include <gtest/gtest.h>

#include <random>

namespace copse::wire::session {
namespace {

Header decoded(const Header &header) {
  const auto bytes = encode(header);
  auto again = decode(bytes);
  EXPECT_TRUE(again.ok()) << again.status().message;
  return again ? std::move(*again) : Header{};
}

template <class Message> Message there(const Message &message) {
  const Header header = decoded({17, {3, 1ULL << 40}, message});
  EXPECT_EQ(header.request, 17U);
  EXPECT_EQ(header.frames, (std::vector<std::uint64_t>{3, 1ULL << 40}));
  EXPECT_TRUE(std::holds_alternative<Message>(header.body));
  return std::get<Message>(header.body);
}

template <class Message> void expectKept(const Message &message) {
  EXPECT_EQ(there(message), message);
}

Configure plan() {
  Configure all;
  all.self = 3;
  all.epoch = 4;
  all.replica = 1;
  all.replicas = 2;
  all.ipusPerReplica = 2;
  all.topology = Topology::Torus;
  all.links = {"a", "b", "c", "d"};
  all.syncs = {"e", "f", "g", "h"};
  all.groups = {{SyncGroup::GS1, {2, 3}}, {SyncGroup::GS2, {0, 1, 2, 3}}};
  all.machineModel = "{}";
  all.threads = 5;
  all.syncTimeoutMs = 6;
  all.workerSeed = 7;
  all.names = {"ipu-0", "ipu-1", "ipu-2", "ipu-3"};
  return all;
}

Share share() {
  Share all;
  all.partition = "lab";
  all.first = 2;
  all.number = 2;
  all.replicas = 4;
  all.ticket = 1ULL << 60;
  all.stage = ShareStage::Failed;
  all.epoch = 7;
  all.tickets = {1, 2, 3};
  all.traits = {{"the executable", "ab"}};
  all.links = {"a", "b"};
  all.syncs = {"c", "d"};
  all.names = {"ipu-0", "ipu-1"};
  all.failure = {Code::VertexFault, "tile 3"};
  return all;
}

TEST(SessionCodec, PreservesEveryMessage) {
  expectKept(Heartbeat{});
  expectKept(Hello{123, "prog", 1ULL << 60});
  expectKept(plan());
  expectKept(ModuleQuery{{"aa", "bb"}});
  expectKept(ModuleBytes{"aa", "name"});
  expectKept(Load{});
  expectKept(session::Run{9, {70'000}, true, true, true, 1ULL << 61});
  expectKept(ViewRead{8});
  expectKept(ViewWrite{7});
  expectKept(StreamRow{1, 2, true, 3});
  expectKept(StreamDrop{3});
  expectKept(TransferTaken{4});
  expectKept(Rows{});
  expectKept(Welcome{});
  expectKept(ModuleNeeds{{"cc"}});
  expectKept(Done{{1}, {2}, 5, 6, 7, {3}});
  expectKept(Began{{1ULL << 40}, 1ULL << 61});
  expectKept(Waiting{SyncGroup::GS1, 7, "step 3"});
  expectKept(View{});
  expectKept(RowsRead{1, {5, 6}});
  expectKept(RowsWrite{2, {7}});
  expectKept(Ok{});
  expectKept(Detach{});
  expectKept(Inspect{});
  expectKept(Reset{});
  expectKept(ResetMemory{});
  expectKept(InjectError{1471, 0x50000});
  expectKept(State{12, "prog", 3, true, {{1, 2, 3, 4, 5, 6, 7, 8, 9}}, 4, 5, 6, 7, 8, 9, share()});
  expectKept(Progress{1, {2}, 3, 4});
  expectKept(Announce{share()});
  expectKept(LinkQuery{});
  expectKept(CyclesQuery{});
  expectKept(VertexCycles{{0, 3, 4000}});
  expectKept(TimesQuery{});
  expectKept(StepTimes{false});
  expectKept(Piece{});
  expectKept(Links{{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {10, 11, 12, 13, 14, 15, 16, 17, 18}}});
}

TEST(SessionCodec, PreservesSeparateTransfers) {
  const Transfer which{1, 2, 3, {4}};
  EXPECT_EQ(there(StreamRequest{which}).number, 1U);
  EXPECT_EQ(there(StreamTaken{which}).exchange, 2U);
  EXPECT_EQ(there(StreamWrite{which}).index, 3U);
  EXPECT_EQ(there(Print{which}).number, 1U);
  EXPECT_EQ(there(StreamRequest{which}).at, Cycles{4});
  EXPECT_EQ(there(StreamWrite{which}).at, Cycles{4});
}

TEST(SessionCodec, PreservesStatuses) {
  for (auto code = static_cast<int>(Code::Ok); code <= static_cast<int>(Code::MemoryError);
       ++code) {
    const Status status{static_cast<Code>(code), "what, where"};
    EXPECT_EQ(there(Fault{status}).status.code, status.code);
    EXPECT_EQ(there(Stop{status}).status.message, status.message);
    EXPECT_EQ(there(Ending{status}).status.code, status.code);
  }
}

TEST(SessionCodec, PreservesWhetherAMessageIsInPieces) {
  EXPECT_TRUE(decoded({1, {5}, Load{}, true}).inPieces);
  EXPECT_FALSE(decoded({1, {5}, Load{}}).inPieces);
}

TEST(SessionCodec, RefusesTooManyFrames) {
  EXPECT_EQ(decode(encode({0, {1, 2, 3}, Ok{}})).status().code, Code::BadFrame);
}

TEST(SessionCodec, RefusesUnknownNumbers) {
  Configure shape = plan(), groups = plan();
  shape.topology = static_cast<Topology>(9);
  groups.groups = {{static_cast<SyncGroup>(9), {0}}};
  const Waiting waiting{static_cast<SyncGroup>(9), 7, "step 3"};
  Announce announce{share()};
  announce.share.stage = static_cast<ShareStage>(9);
  const Body bodies[] = {shape, groups, waiting, announce};
  const char *const why[] = {"unknown topology", "unknown sync group", "unknown sync group",
                             "unknown stage of a share"};
  for (std::size_t i = 0; i < std::size(bodies); ++i) {
    const auto header = decode(encode({1, {}, bodies[i]}));
    EXPECT_EQ(header.status().code, Code::BadFrame);
    EXPECT_EQ(header.status().message, std::string("bad session header: ") + why[i]);
  }
}

TEST(SessionCodec, ReadsFramesThatAreNotAligned) {
  const auto bytes = encode({1, {}, plan()});
  std::vector<std::byte> shifted(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
  EXPECT_TRUE(decode(std::span(shifted).subspan(1)).ok());
}

TEST(SessionCodec, SurvivesAnyBytes) {
  std::mt19937 random(1);
  const auto good = encode({1, {4}, plan()});
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = good;
    for (std::uint32_t flips = random() % 6; flips > 0; --flips)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    bytes.resize(bytes.size() - random() % 3 * 8);
    static_cast<void>(decode(bytes).ok());
  }
  EXPECT_EQ(decode({}).status().code, Code::BadFrame);
}

} // namespace
} // namespace copse::wire::session
