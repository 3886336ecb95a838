#include "devices.hpp"

#include <future>
#include <thread>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Streams : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, Streams, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(Streams, CarryRowsInAndOut) {
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

TEST_P(Streams, ContinueACircularBufferInTheNextRun) {
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

TEST_P(Streams, GiveADuplicateElementItsLastValue) {
  const Tensor t = hostVariable(INT, {3}, "t");
  const DataStream plain = graph_.addHostToDeviceFIFO("plain", INT, 6);
  const RemoteBuffer buffer = graph_.addRemoteBuffer("rows", INT, 6);
  Engine engine(graph_, {Copy(plain, concat(t, t)), Copy(buffer, concat(t, t.reverse(0)))});
  engine.load(device_);
  std::vector<int> row{1, 2, 3, 4, 5, 6};
  engine.connectStream("plain", row.data(), row.data() + row.size());
  engine.run(0);
  EXPECT_THAT(read<int>(engine, "t", 3), ElementsAre(4, 5, 6));
  engine.copyToRemoteBuffer(row.data(), "rows", 0);
  engine.run(1);
  EXPECT_THAT(read<int>(engine, "t", 3), ElementsAre(6, 5, 4));
}

TEST_P(Streams, RefuseABufferWithAPartOfATransfer) {
  const Tensor x = variable(INT, {2}, "x");
  Engine engine = load(Copy(graph_.addHostToDeviceFIFO("in", INT, 2), x));
  std::vector<int> source(3);
  EXPECT_THROW(engine.connectStream("in", source.data(), source.data() + 3),
               stream_connection_error);
}

TEST_P(Streams, AreListedForAnUnknownHandle) {
  const Tensor x = variable(INT, {2}, "x");
  Engine engine = load(Copy(graph_.addHostToDeviceFIFO("images", INT, 2), x));
  std::vector<int> source(2);
  const auto messageOf = [&](const char *handle) -> std::string {
    try {
      engine.connectStream(handle, source.data());
    } catch (const stream_connection_error &error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_THAT(messageOf("image"),
              HasSubstr("no stream 'image' in this program; did you mean 'images'?"));
  EXPECT_THAT(messageOf("weights"),
              HasSubstr("no stream 'weights' in this program; there is only 'images'"));
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
  void invalidatePrefetched() override { calls_ += 'i'; }

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

TEST_P(Streams, AreRearrangedByTheHostToSaveMemory) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 6);
  const DataStream out = graph_.addDeviceToHostFIFO("out", INT, 6);
  const Tensor x = graph_.addVariable(INT, {3, 2}, "x");
  graph_.setTileMapping(x, 0);
  Engine engine = load(Sequence({Copy(in, x.transpose(), true), Copy(x.reverse(0), out, true)}));
  std::vector<int> source{1, 2, 3, 4, 5, 6}, sink(6);
  engine.connectStream("in", source.data());
  engine.connectStream("out", sink.data());
  engine.run();
  EXPECT_THAT(sink, ElementsAre(3, 6, 2, 5, 1, 4));
}

/// Runs two streams with callbacks, the second one rearranged by the host, and returns the calls of
/// each.
std::pair<std::string, std::string> callsWithOverlap(Graph &graph, const Device &device,
                                                     const char *overlap) {
  const DataStream plain = graph.addHostToDeviceFIFO("plain", INT, 4);
  const DataStream rearranged = graph.addHostToDeviceFIFO("rearranged", INT, 4);
  const Tensor x = graph.addVariable(INT, {2, 2}, "x");
  graph.setTileMapping(x, 0);
  Engine engine(graph, Sequence({Copy(plain, x), Copy(rearranged, x.transpose(), true)}),
                {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", overlap}});
  engine.load(device);
  std::string calls[2];
  engine.connectStreamToCallback("plain", std::make_unique<Counting>(calls[0], 100));
  engine.connectStreamToCallback("rearranged", std::make_unique<Counting>(calls[1], 100));
  engine.run();
  return {calls[0], calls[1]};
}

TEST_P(Streams, PrefetchAsFarAsTheirOverlapAllows) {
  using Calls = std::pair<std::string, std::string>;
  EXPECT_EQ(callsWithOverlap(graph_, device_, "any"), Calls("fc", "fc"));
  Graph second(device_), third(device_);
  EXPECT_EQ(callsWithOverlap(second, device_, "hostRearrangeOnly"), Calls("pcp", "fc"));
  EXPECT_EQ(callsWithOverlap(third, device_, "none"), Calls("pcp", "pcp"));
}

TEST_P(Streams, CarryEveryTypeOfElement) {
  for (const Type &type : {BOOL, CHAR, UNSIGNED_CHAR, SIGNED_CHAR, SHORT, UNSIGNED_SHORT, INT,
                           UNSIGNED_INT, LONGLONG, UNSIGNED_LONGLONG, HALF, FLOAT}) {
    Graph graph(device_);
    const Tensor x = graph.addVariable(type, {5}, VariableMappingMethod::LINEAR, "x");
    const DataStream in = graph.addHostToDeviceFIFO("in", type, 5);
    const DataStream out = graph.addDeviceToHostFIFO("out", type, 5);
    Engine engine(graph, Sequence({Copy(in, x), Copy(x, out)}));
    engine.load(device_);
    std::vector<char> source(5 * graph.getTarget().getTypeSize(type)), sink(source.size());
    for (std::size_t i = 0; i < source.size(); ++i)
      source[i] = static_cast<char>(type == BOOL ? i % 2 : i + 1);
    engine.connectStream("in", source.data(), source.data() + source.size());
    engine.connectStream("out", sink.data(), sink.data() + sink.size());
    engine.run();
    EXPECT_EQ(sink, source) << type;
  }
}

TEST_P(Streams, InvalidatePrefetchedRowsOfAReplacedCallback) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  const DataStream out = graph_.addDeviceToHostFIFO("out", INT, 1);
  const Tensor x = variable(INT, {1}, "x");
  Engine engine =
      load(Sequence({Copy(in, x), Copy(x, out)}),
           {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", "none"}});
  std::string first, second;
  int value = 0;
  engine.connectStream("out", &value);
  engine.connectStreamToCallback("in", std::make_unique<Counting>(first, 100));
  engine.run();
  EXPECT_EQ(first, "pcp");
  engine.connectStreamToCallback("in", std::make_unique<Counting>(second, 100));
  EXPECT_EQ(first, "pcpi");
  engine.run();
  EXPECT_EQ(second, "pcp");
  EXPECT_EQ(value, 0) << "the second one's first row";
  engine.load(device_);
  EXPECT_EQ(second, "pcpi");
}

TEST_P(Streams, PassOnExceptionsOfCallbacks) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  Engine engine = load(Copy(in, variable(INT, {1}, "x")));
  engine.connectStreamToCallback("in", [](void *) { throw std::domain_error("no more data"); });
  EXPECT_THROW(engine.run(), std::domain_error);
}

TEST_P(Streams, AreStoppedByACallbackThatDoesNotReturn) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  const DataStream out = graph_.addDeviceToHostFIFO("out", INT, 1);
  const Tensor x = variable(INT, {1}, "x");
  Engine engine =
      load(Sequence({Copy(in, x, false, "feed"), Copy(x, out)}), {{"target.hostSyncTimeout", "1"}});
  std::promise<void> letGo, left;
  engine.connectStreamToCallback("in", [&](void *) {
    letGo.get_future().wait();
    left.set_value();
  });
  int value = 0;
  engine.connectStream("out", &value);
  try {
    engine.run();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const application_runtime_error &error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("stream 'in', replica 0 of 1"), HasSubstr("feed"),
                                    HasSubstr("hostSyncTimeout")));
  }
  engine.load(device_);
  EXPECT_THROW(engine.run(), stream_connection_error) << "it has not returned yet";
  engine.connectStreamToCallback("in", [](void *p) { *static_cast<int *>(p) = 7; });
  engine.run();
  EXPECT_EQ(value, 7);
  letGo.set_value();
  left.get_future().wait();
}

TEST_P(Streams, RefuseCallsOfTheEngineInsideACallback) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  const Tensor x = hostVariable(INT, {1}, "x");
  Engine engine = load(Copy(in, x));
  std::string said;
  engine.connectStreamToCallback("in", [&](void *p) {
    try {
      engine.readTensor("x", p);
    } catch (const poplar_error &error) {
      said = error.what();
    }
  });
  engine.run();
  EXPECT_THAT(said, ::testing::AllOf(HasSubstr("readTensor"), HasSubstr("in use")));
}

TEST_P(Streams, AreRefusedToTwoEnginesOnOneDeviceAtOnce) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  const Copy copy(in, variable(INT, {1}, "x"));
  Engine first = load(copy), second = load(copy);
  int value = 0;
  second.connectStream("in", &value);
  std::promise<void> running, letGo;
  first.connectStreamToCallback("in", [&](void *) {
    running.set_value();
    letGo.get_future().wait();
  });
  std::thread other([&] { first.run(); });
  running.get_future().wait();
  EXPECT_THROW(second.run(), poplar_error);
  EXPECT_THROW(second.load(device_), poplar_error);
  letGo.set_value();
  other.join();
  second.run();
}

TEST_P(Streams, MustBeConnectedWhenAProgramUsesThem) {
  const Tensor x = variable(INT, {1}, "x");
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  Engine engine(graph_, {Copy(in, x, false, "feed"), Sequence()});
  engine.load(device_);
  EXPECT_NO_THROW(engine.run(1));
  try {
    engine.run(0);
    FAIL() << "the stream is not connected";
  } catch (const stream_connection_error &e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("stream 'in', replica 0 of 1"), HasSubstr("step "),
                                HasSubstr("host exchange 'feed'"),
                                HasSubstr("call Engine::connectStream('in', ...)")));
  }
}

TEST_P(Streams, NameTheHostExchangesOfCopiesWithoutNames) {
  const Tensor x = variable(INT, {1}, "x");
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 1);
  Engine engine(graph_, Copy(in, x));
  engine.load(device_);
  try {
    engine.run();
    FAIL() << "the stream is not connected";
  } catch (const stream_connection_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("host exchange 'in'"));
  }
}

TEST_P(Streams, MustBeConnectedOnEveryReplica) {
  const unsigned replicas = GetParam().ipus;
  Graph graph(device_, replication_factor(replicas));
  const Tensor x = graph.addVariable(INT, {1}, VariableMappingMethod::LINEAR, "x");
  const DataStream in = graph.addHostToDeviceFIFO("in", INT, 1);
  Engine engine(graph, Copy(in, x, false, "feed"));
  engine.load(device_);
  for (unsigned replica = 0; replica + 1 < replicas; ++replica)
    engine.connectStreamToCallback("in", replica, [](void *) {});
  try {
    engine.run();
    FAIL() << "the last replica has nothing";
  } catch (const stream_connection_error &e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("replica " + std::to_string(replicas - 1) + " of " +
                                          std::to_string(replicas)),
                                HasSubstr("host exchange 'feed'")));
  }
}

TEST_P(Streams, AreRefusedForAnUnknownHandle) {
  Engine engine = load(Sequence());
  int x = 0;
  EXPECT_THROW(engine.connectStream("in", &x), stream_connection_error);
}

} // namespace
} // namespace copse::test
