// Tests stream copies that move more than their split limit on an IPU: several host exchanges, one
// row.
#include "devices.hpp"

#include <numeric>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

class LargeStreams : public OnEveryDevice {
protected:
  static constexpr std::size_t kElements = 1000;

  /// Returns the three rows that come back, and the calls of the callbacks.
  std::vector<int> roundTrip(const OptionFlags &streamOptions, const OptionFlags &options = {}) {
    const Tensor x = graph_.addVariable(INT, {kElements}, VariableMappingMethod::LINEAR, "x");
    const DataStream in = graph_.addHostToDeviceFIFO(
                         "in", INT, kElements, ReplicatedStreamMode::REPLICATE, streamOptions),
                     out = graph_.addDeviceToHostFIFO("out", INT, kElements, streamOptions);
    Engine engine = load(Repeat(3, Sequence({Copy(in, x), Copy(x, out)})), options);
    engine.connectStreamToCallback("in", std::make_unique<Rows>(calls_));
    std::vector<int> back;
    engine.connectStreamToCallback("out", [&](void *p) {
      const int *const row = static_cast<int *>(p);
      back.insert(back.end(), row, row + kElements);
    });
    engine.run();
    return back;
  }

  static std::vector<int> numbers(int first, std::size_t count) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), first);
    return all;
  }

  struct Rows : StreamCallback {
    explicit Rows(std::string &calls) : calls_(calls) {}
    void fill(void *p) {
      std::iota(static_cast<int *>(p), static_cast<int *>(p) + kElements, next_);
      next_ += kElements;
    }
    Result prefetch(void *p) override { return calls_ += 'p', fill(p), Success; }
    void fetch(void *p) override { calls_ += 'f', fill(p); }
    void complete() override { calls_ += 'c'; }
    std::string &calls_;
    int next_ = 0;
  };
  std::string calls_;
};
INSTANTIATE_TEST_SUITE_P(Devices, LargeStreams, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(LargeStreams, ArriveInPartsAndAreOneRowForTheCallback) {
  EXPECT_EQ(roundTrip({{"splitLimit", "600"}}), numbers(0, 3 * kElements));
  EXPECT_EQ(calls_, "fcfcfc");
}

TEST_P(LargeStreams, ArePrefetchedAsWholeRows) {
  EXPECT_EQ(
      roundTrip({{"splitLimit", "600"}, {"bufferingDepth", "2"}},
                {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", "none"}}),
      numbers(0, 3 * kElements));
  EXPECT_EQ(calls_, "ppcpcpcp");
}

TEST_P(LargeStreams, TakeAnElementAtATimeIfTheLimitIsLess) {
  const Tensor x = graph_.addVariable(INT, {5}, VariableMappingMethod::LINEAR, "x");
  const DataStream out = graph_.addDeviceToHostFIFO("out", INT, 5, {{"splitLimit", "1"}});
  graph_.setInitialValue<int>(x, {1, 2, 3, 4, 5});
  Engine engine = load(Copy(x.reverse(0), out));
  std::vector<int> row(5);
  engine.connectStream("out", row.data());
  engine.run();
  EXPECT_EQ(row, (std::vector<int>{5, 4, 3, 2, 1}));
}

TEST_P(LargeStreams, ReachAllReplicas) {
  const unsigned replicas = GetParam().ipus;
  Graph graph(device_, replication_factor(replicas));
  const Tensor x = graph.addVariable(INT, {kElements}, VariableMappingMethod::LINEAR, "x");
  const OptionFlags limit{{"splitLimit", "1000"}};
  const DataStream in = graph.addHostToDeviceFIFO("in", INT, kElements,
                                                  ReplicatedStreamMode::BROADCAST, limit),
                   out = graph.addDeviceToHostFIFO("out", INT, kElements, limit);
  Engine engine(graph, Repeat(2, Sequence({Copy(in, x), Copy(x, out)})));
  engine.load(device_);
  std::vector<int> source = numbers(0, 2 * kElements), sink(2 * kElements * replicas);
  engine.connectStream("in", source.data(), source.data() + source.size());
  engine.connectStream("out", sink.data(), sink.data() + sink.size());
  engine.run();
  for (unsigned transfer = 0; transfer < 2; ++transfer)
    for (unsigned replica = 0; replica < replicas; ++replica)
      EXPECT_TRUE(std::equal(source.begin() + transfer * kElements,
                             source.begin() + (transfer + 1) * kElements,
                             sink.begin() + (transfer * replicas + replica) * kElements))
          << transfer << " of replica " << replica;
}

TEST(LargeStreamsOfOneIpu, MoveMoreThan128MiB) {
  const Device device = attach(TargetType::IPU_MODEL, 1);
  Graph graph(device);
  const std::size_t elements = (130u << 20) / sizeof(int);
  const Tensor x = graph.addVariable(INT, {elements}, VariableMappingMethod::LINEAR, "x");
  Engine engine(graph, Sequence({Copy(graph.addHostToDeviceFIFO("in", INT, elements), x),
                                 Copy(x, graph.addDeviceToHostFIFO("out", INT, elements))}));
  engine.load(device);
  std::vector<int> source(elements), sink(elements);
  std::iota(source.begin(), source.end(), 7);
  engine.connectStream("in", source.data());
  engine.connectStream("out", sink.data());
  engine.run();
  EXPECT_TRUE(sink == source);
}

} // namespace
} // namespace copse::test
