#include "devices.hpp"

#include <mutex>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;

class Streams : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, Streams, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(Streams, BringRowsInAndOut) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 3);
  const DataStream out = graph_.addDeviceToHostFIFO("out", INT, 3);
  const Tensor x = variable(INT, {3}, "x");
  Engine engine = load(Sequence({Copy(in, x), Copy(x, out)}));
  std::vector<int> source{1, 2, 3}, sink(3);
  engine.connectStream("in", source.data());
  engine.connectStream("out", sink.data());
  engine.run();
  EXPECT_THAT(sink, ElementsAre(1, 2, 3));
}

TEST_P(Streams, GoRoundACircularBufferAndOnInTheNextRun) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 2);
  const DataStream out = graph_.addDeviceToHostFIFO("out", INT, 2);
  const Tensor x = variable(INT, {2}, "x");
  Engine engine = load(Repeat(2, Sequence({Copy(in, x), Copy(x, out)})));
  std::vector<int> source{1, 2, 3, 4, 5, 6}, sink(8);
  engine.connectStream("in", source.data(), source.data() + source.size());
  engine.connectStream("out", sink.data(), sink.data() + sink.size());
  engine.run();
  engine.run();
  EXPECT_THAT(sink, ElementsAre(1, 2, 3, 4, 5, 6, 1, 2));
}

TEST_P(Streams, RefuseABufferThatHoldsNoWholeNumberOfTransfers) {
  const Tensor x = variable(INT, {2}, "x");
  Engine engine = load(Copy(graph_.addHostToDeviceFIFO("in", INT, 2), x));
  std::vector<int> source(3);
  EXPECT_THROW(engine.connectStream("in", source.data(), source.data() + 3),
               stream_connection_error);
}

TEST_P(Streams, CallBackWithTheRow) {
  const DataStream out = graph_.addDeviceToHostFIFO("out", FLOAT, 2);
  const Tensor x = variable(FLOAT, {2}, "x");
  graph_.setInitialValue(x, 2.5f);
  Engine engine = load(Repeat(3, Copy(x, out)));
  std::vector<float> rows;
  engine.connectStreamToCallback("out", [&](void *p) {
    rows.insert(rows.end(), static_cast<float *>(p), static_cast<float *>(p) + 2);
  });
  engine.run();
  EXPECT_THAT(rows, ElementsAre(2.5f, 2.5f, 2.5f, 2.5f, 2.5f, 2.5f));
}

/// Counts up; writes down in which order it was called.
class Counting : public StreamCallback {
public:
  Counting(std::string &calls, int available) : calls_(calls), available_(available) {}
  Result prefetch(void *p) override {
    if (filled_ >= available_) {
      calls_ += 'n';
      return NotAvailable;
    }
    fill(p);
    calls_ += 'p';
    return Success;
  }
  void fetch(void *p) override {
    fill(p);
    calls_ += 'f';
  }
  void complete() override { calls_ += 'c'; }

private:
  void fill(void *p) { *static_cast<int *>(p) = filled_++; }
  std::string &calls_;
  int available_, filled_ = 0;
};

TEST_P(Streams, FetchAndCompleteEachRowWithoutPrefetch) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  Engine engine = load(Repeat(3, Copy(in, variable(INT, {1}, "x"))));
  std::string calls;
  engine.connectStreamToCallback("in", std::make_unique<Counting>(calls, 100));
  engine.run();
  EXPECT_EQ(calls, "fcfcfc");
}

TEST_P(Streams, PrefetchRowsAndDeliverThemInOrder) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  const DataStream out = graph_.addDeviceToHostFIFO("out", INT, 1);
  const Tensor x = variable(INT, {1}, "x");
  Engine engine =
      load(Repeat(4, Sequence({Copy(in, x), Copy(x, out)})),
           {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", "none"}});
  std::string calls;
  std::vector<int> sink(4);
  engine.connectStreamToCallback("in", std::make_unique<Counting>(calls, 3));
  engine.connectStream("out", sink.data(), sink.data() + 4);
  engine.run();
  EXPECT_THAT(sink, ElementsAre(0, 1, 2, 3)) << "the last one is fetched: prefetch had nothing";
  EXPECT_EQ(std::count(calls.begin(), calls.end(), 'c'), 4);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), 'f'), 1);
}

TEST_P(Streams, PassOnWhatACallbackThrows) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  Engine engine = load(Copy(in, variable(INT, {1}, "x")));
  engine.connectStreamToCallback("in", [](void *) { throw std::domain_error("no more data"); });
  EXPECT_THROW(engine.run(), std::domain_error);
}

TEST_P(Streams, MustBeConnectedWhenAProgramUsesThem) {
  const Tensor x = variable(INT, {1}, "x");
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  Engine engine(graph_, {Copy(in, x), Sequence()});
  engine.load(device_);
  EXPECT_NO_THROW(engine.run(1));
  try {
    engine.run(0);
    FAIL() << "the stream is not connected";
  } catch (const stream_connection_error &e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("'in'"));
  }
}

TEST_P(Streams, AreRefusedByAnUnknownHandle) {
  Engine engine = load(Sequence());
  int x = 0;
  EXPECT_THROW(engine.connectStream("in", &x), stream_connection_error);
}

} // namespace
} // namespace copse::test
