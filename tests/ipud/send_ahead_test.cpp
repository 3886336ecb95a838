// In which order one IPU calls its environment around a sync point.
#include "image_builder.hpp"
#include "memory_environment.hpp"

#include <gmock/gmock.h>

namespace copse::ipud {
namespace {

using test::ImageBuilder;
using test::kBase;
using test::machine;
using test::MemoryEnvironment;
using test::moduleAt;
using test::Partition;
using test::step;
using ::testing::ElementsAre;
using wire::Op;

/// IPU 0 of two; the other one has sent, and has arrived.
class Recorder : public MemoryEnvironment {
public:
  Recorder(Partition &partition, std::uint32_t bytes)
      : MemoryEnvironment(partition, 0), bytes_(bytes) {}

  wire::Result<wire::Cycles> sync(wire::SyncGroup, std::uint32_t, wire::Cycles now,
                                  std::uint64_t) override {
    calls.emplace_back("sync");
    return now;
  }
  wire::Status send(wire::IpuId, std::uint32_t, fabric::Payload) override {
    calls.emplace_back("send");
    return wire::Status::success();
  }
  wire::Result<fabric::Payload> receive(wire::IpuId, std::uint32_t) override {
    calls.emplace_back("receive");
    return fabric::Payload(bytes_);
  }

  std::vector<std::string> calls;

private:
  std::uint32_t bytes_;
};

struct Case {
  std::uint32_t bytes = 64;
  std::uint32_t messages = 1;
  std::vector<wire::Step> steps = {step(Op::Sync, 1), step(Op::Exchange)};
  bool timed = false; ///< somebody asks when steps run
};

/// The calls of one run in which IPU 0 sends \p of.messages to IPU 1 and receives one.
std::vector<std::string> calls(const Case &of) {
  ImageBuilder b(1, 0, 2);
  wire::Exchange exchange;
  exchange.sends.assign(of.messages, {1, {{0, kBase, of.bytes, 1, 0}}, of.bytes});
  exchange.receives = {{1, {{0, kBase + of.bytes, of.bytes, 1, 0}}, of.bytes}};
  exchange.flows = {{0, 1, std::uint64_t{of.bytes} * of.messages}, {1, 0, of.bytes}};
  b.image.exchanges = {exchange};
  b.program(of.steps);
  const clock::TimingModel timing(machine(), wire::Topology::Mesh, 2);
  Partition partition(1, 2, timing);
  Recorder environment(partition, of.bytes);
  Ipu ipu(timing, {});
  const auto loaded =
      ipu.load(b.image, {{0}, {0}, 1, 2, wire::Topology::Mesh}, moduleAt(TEST_CODELETS));
  EXPECT_TRUE(loaded.ok()) << loaded.message;
  const auto run = ipu.run(0, environment, {}, of.timed);
  EXPECT_TRUE(run.ok()) << run.status().message;
  return environment.calls;
}

TEST(SendAhead, SmallMessagesGoBeforeTheSyncPoint) {
  EXPECT_THAT(calls({}), ElementsAre("send", "sync", "receive"));
}

TEST(SendAhead, TheNextExchangeSendsAgain) {
  wire::Step repeat = step(Op::Repeat);
  repeat.count = 2;
  repeat.body = 3;
  const wire::Step exchange = step(Op::Exchange);
  EXPECT_THAT(calls({.steps = {repeat, step(Op::Sync, 1), exchange, exchange}}),
              ElementsAre("send", "sync", "receive", "send", "receive", //
                          "send", "sync", "receive", "send", "receive"));
}

TEST(SendAhead, ManyBytesWaitForTheirReceiver) {
  EXPECT_THAT(calls({.bytes = 128 << 10}), ElementsAre("sync", "send", "receive"));
}

TEST(SendAhead, ManyMessagesWaitForTheirReceiver) {
  const auto order = calls({.bytes = 4, .messages = 100});
  EXPECT_EQ(order.front(), "sync");
  EXPECT_EQ(order.size(), 102U);
}

TEST(SendAhead, NothingGoesAheadOfASyncPointThatEndsALoop) {
  wire::Step repeat = step(Op::Repeat);
  repeat.count = 2;
  repeat.body = 1;
  EXPECT_THAT(calls({.steps = {repeat, step(Op::Sync, 1), step(Op::Exchange)}}),
              ElementsAre("sync", "sync", "send", "receive"));
}

TEST(SendAhead, StepsThatAreTimedRunInTheirOrder) {
  EXPECT_THAT(calls({.timed = true}), ElementsAre("sync", "send", "receive"));
}

} // namespace
} // namespace copse::ipud
