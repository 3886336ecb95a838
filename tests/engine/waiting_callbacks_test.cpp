// Tests callbacks that wait: for each other, or for later actions of the host program.
#include "devices.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kLong{20};

/// An event that one thread waits for, for no longer than a test may take.
class Event {
public:
  void set() {
    const std::lock_guard lock(mutex_);
    isSet_ = true;
    changed_.notify_all();
  }
  bool await(std::chrono::milliseconds longest = kLong) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, longest, [this] { return isSet_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool isSet_ = false;
};

/// A callback made of functions.
struct Functions : StreamCallback {
  std::function<Result(int &)> onPrefetch = [](int &) { return NotAvailable; };
  std::function<void(int &)> onFetch = [](int &) {};
  std::function<void()> onComplete = [] {};
  Result prefetch(void *p) override { return onPrefetch(*static_cast<int *>(p)); }
  void fetch(void *p) override { onFetch(*static_cast<int *>(p)); }
  void complete() override { onComplete(); }
};

OptionFlags prefetching(OptionFlags options = {}) {
  options.set("exchange.enablePrefetch", "true");
  options.set("exchange.streamBufferOverlap", "none");
  return options;
}

class WaitingCallbacks : public OnEveryDevice {
protected:
  WaitingCallbacks()
      : x_(variable(INT, {1}, "x")), y_(variable(INT, {1}, "y", 1)),
        a_(graph_.addHostToDeviceFIFO("a", INT, 1)), b_(graph_.addHostToDeviceFIFO("b", INT, 1)),
        out_(graph_.addDeviceToHostFIFO("out", INT, 1)),
        other_(graph_.addDeviceToHostFIFO("other", INT, 1)) {}

  void connect(Engine &engine, const char *handle, Functions functions) {
    engine.connectStreamToCallback(handle, std::make_unique<Functions>(std::move(functions)));
  }

  Tensor x_, y_;
  DataStream a_, b_, out_, other_;
};
INSTANTIATE_TEST_SUITE_P(Devices, WaitingCallbacks, ::testing::ValuesIn(kModelAndTwoIpus),
                         deviceName);

/// Rows of `a` that arrive at once; the host program makes such calls where it costs least.
constexpr int kQuickRows = 30;

TEST_P(WaitingCallbacks, DelayNoOtherStreamWhenAPrefetchWaits) {
  for (const char *mode : {"singleThread", "collaborative", "dedicated"})
    for (const int quickRows : {0, kQuickRows}) {
      const int rows = quickRows + 3;
      Engine engine = load(Repeat(rows, Sequence({Copy(a_, x_), Copy(x_, out_)})),
                           prefetching({{"streamCallbacks.multiThreadMode", mode},
                                        {"streamCallbacks.numWorkerThreads", "2"}}));
      std::mutex mutex;
      std::condition_variable changed;
      int given = 0, got = 0;
      Functions in;
      in.onPrefetch = [&](int &value) {
        std::unique_lock lock(mutex);
        if (given >= quickRows)
          changed.wait_for(lock, kLong, [&] { return got == given; });
        value = ++given;
        return StreamCallback::Success;
      };
      connect(engine, "a", in);
      engine.connectStreamToCallback("out", [&](void *p) {
        const std::lock_guard lock(mutex);
        got = *static_cast<int *>(p);
        changed.notify_all();
      });
      const auto start = std::chrono::steady_clock::now();
      engine.run();
      EXPECT_LT(std::chrono::steady_clock::now() - start, kLong) << mode;
      EXPECT_EQ(got, rows) << mode;
    }
}

/// Fills its row with how often it was asked, once \p ready.
struct InPieces : ResumableStreamCallback {
  explicit InPieces(std::atomic<bool> &when) : ready(when) {}
  Result resume(void *p) override {
    *static_cast<int *>(p) = ++asked;
    return ready ? Success : NotAvailable;
  }
  std::atomic<bool> &ready;
  int asked = 0;
};

TEST_P(WaitingCallbacks, AResumedCallDelaysNoOther) {
  std::atomic<bool> ready = false;
  Engine engine = load(Sequence({Copy(a_, x_), Copy(b_, y_), Copy(x_, out_)}));
  engine.connectStreamToCallback("a", std::make_unique<InPieces>(ready));
  engine.connectStreamToCallback("b", [&](void *) { ready = true; });
  int asked = 0;
  engine.connectStream("out", &asked);
  engine.run();
  EXPECT_GT(asked, 0);
}

TEST(ResumableCallbacks, ReportThatTheyWaitAndAreResumed) {
  std::atomic<bool> ready = false;
  InPieces callback(ready);
  EXPECT_FALSE(callback.isAwaiting());
  int row = 0;
  std::thread fetching([&] { callback.fetch(&row); });
  const auto deadline = std::chrono::steady_clock::now() + kLong;
  bool hasWaited = false;
  while (!hasWaited && std::chrono::steady_clock::now() < deadline)
    hasWaited = callback.isAwaiting();
  ready = true;
  callback.notify();
  fetching.join();
  EXPECT_TRUE(hasWaited);
  EXPECT_GT(row, 1);
  EXPECT_FALSE(callback.isAwaiting());
}

TEST_P(WaitingCallbacks, AResumedCallTakesRowsInPieces) {
  std::atomic<bool> ready = true;
  Engine engine = load(Repeat(3, Copy(x_, out_)));
  engine.connectStreamToCallback("out", std::make_unique<InPieces>(ready));
  engine.run();
  std::atomic<bool> never = false;
  struct Faulty : InPieces {
    using InPieces::InPieces;
    Result resume(void *p) override {
      if (InPieces::resume(p); asked > 3)
        throw std::runtime_error("the file ended");
      return NotAvailable;
    }
  };
  engine.connectStreamToCallback("out", std::make_unique<Faulty>(never));
  EXPECT_THROW(engine.run(), std::runtime_error);
}

TEST_P(WaitingCallbacks, RunSideBySideForTwoStreamsToTheDevice) {
  for (const char *mode : {"collaborative", "dedicated"}) {
    Engine engine =
        load(Sequence({Copy(a_, x_), Copy(b_, y_)}), {{"streamCallbacks.multiThreadMode", mode},
                                                      {"streamCallbacks.numWorkerThreads", "2"}});
    Event ofA, ofB;
    bool met[2] = {};
    engine.connectStreamToCallback("a", [&](void *) { ofA.set(), met[0] = ofB.await(); });
    engine.connectStreamToCallback("b", [&](void *) { ofB.set(), met[1] = ofA.await(); });
    engine.run();
    EXPECT_THAT(met, ElementsAre(true, true)) << mode;
  }
}

TEST_P(WaitingCallbacks, RunSideBySideForTwoStreamsFromTheDevice) {
  Engine engine = load(Repeat(5, Sequence({Copy(x_, out_), Copy(y_, other_)})),
                       {{"streamCallbacks.multiThreadMode", "dedicated"}});
  Event first;
  std::atomic<int> calls{0}, inside{0};
  bool overlapped = false;
  engine.connectStreamToCallback("out", [&](void *) {
    overlapped |= ++inside > 1;
    if (++calls == 1) {
      EXPECT_TRUE(first.await());
    }
    --inside;
  });
  engine.connectStreamToCallback("other", [&](void *) { first.set(); });
  engine.run();
  EXPECT_EQ(calls, 5);
  EXPECT_FALSE(overlapped) << "calls of one stream never overlap";
}

TEST_P(WaitingCallbacks, DelayNoOtherEvenWithoutEnoughThreads) {
  Engine engine = load(Sequence({Copy(x_, out_), Copy(y_, other_)}),
                       {{"streamCallbacks.multiThreadMode", "dedicated"},
                        {"streamCallbacks.numWorkerThreads", "1"}});
  Event called;
  bool came = false;
  engine.connectStreamToCallback("out", [&](void *) { came = called.await(); });
  engine.connectStreamToCallback("other", [&](void *) { called.set(); });
  engine.run();
  EXPECT_TRUE(came);
}

TEST_P(WaitingCallbacks, TakeTurnsWithOneThread) {
  Engine engine =
      load(Repeat(20, Sequence({Copy(a_, x_), Copy(b_, y_), Copy(x_, out_)})), prefetching());
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  const auto work = [&] {
    overlapped = overlapped || ++inside > 1;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    --inside;
  };
  for (const char *handle : {"a", "b"}) {
    Functions in;
    in.onPrefetch = [&](int &) { return work(), StreamCallback::Success; };
    in.onComplete = work;
    connect(engine, handle, in);
  }
  engine.connectStreamToCallback("out", [&](void *) { work(); });
  engine.run();
  EXPECT_FALSE(overlapped);
}

TEST_P(WaitingCallbacks, APrefetchThatOutlastsTheRunServesTheNext) {
  Engine engine = load(Sequence({Copy(a_, x_), Copy(x_, out_)}), prefetching());
  Event more;
  int given = 0, got = 0, fetches = 0;
  Functions in;
  in.onPrefetch = [&](int &value) {
    if (given > 0 && !more.await())
      return StreamCallback::NotAvailable;
    value = ++given;
    return StreamCallback::Success;
  };
  in.onFetch = [&](int &) { ++fetches; };
  connect(engine, "a", in);
  engine.connectStream("out", &got);
  engine.run();
  EXPECT_EQ(got, 1);
  more.set(); // only now, after the run
  engine.run();
  EXPECT_EQ(got, 2);
  EXPECT_EQ(fetches, 0);
}

TEST_P(WaitingCallbacks, APrefetchThatNeverReturnsIsStoppedWhenItsRowIsNeeded) {
  for (const int quickRows : {0, kQuickRows}) {
    Engine engine =
        load(Repeat(quickRows + 1, Sequence({Copy(a_, x_, false, "feed"), Copy(x_, out_)})),
             prefetching({{"target.hostSyncTimeout", "1"}}));
    Event letGo, left;
    Functions in;
    in.onPrefetch = [&, given = 0](int &) mutable {
      if (given++ < quickRows)
        return StreamCallback::Success;
      letGo.await();
      left.set();
      return StreamCallback::NotAvailable;
    };
    connect(engine, "a", in);
    int value = 0;
    engine.connectStream("out", &value);
    try {
      engine.run();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const application_runtime_error &error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("stream 'a', replica 0 of 1"), HasSubstr("feed"),
                                      HasSubstr("prefetch()"), HasSubstr("hostSyncTimeout")));
    }
    engine.load(device_);
    EXPECT_THROW(engine.run(), stream_connection_error) << "it has not returned yet";
    engine.connectStreamToCallback("a", [](void *p) { *static_cast<int *>(p) = 7; });
    engine.run();
    EXPECT_EQ(value, 7);
    letGo.set();
    EXPECT_TRUE(left.await());
  }
}

TEST_P(WaitingCallbacks, PassExceptionsOfAPrefetchToTheRun) {
  Engine engine = load(Copy(a_, x_), prefetching());
  Functions in;
  in.onPrefetch = [](int &) -> StreamCallback::Result { throw std::domain_error("no data"); };
  connect(engine, "a", in);
  EXPECT_THROW(engine.run(), std::domain_error);
  engine.load(device_);
  connect(engine, "a", {});
  EXPECT_NO_THROW(engine.run()) << "a load makes the engine usable again";
}

TEST_P(WaitingCallbacks, AreNotCalledForUnusedStreams) {
  Engine engine(graph_, {Copy(a_, x_), Copy(b_, y_)}, prefetching());
  engine.load(device_);
  std::string calls;
  for (const char *handle : {"a", "b"}) {
    Functions in;
    in.onPrefetch = [&, handle](int &) { return calls += handle, StreamCallback::Success; };
    connect(engine, handle, in);
  }
  engine.run(1);
  EXPECT_EQ(calls, "bb");
}

TEST_P(WaitingCallbacks, AreReleasedWithTheirEngine) {
  Event letGo;
  int given = 0;
  {
    Engine engine = load(Copy(a_, x_), prefetching());
    Functions in;
    in.onPrefetch = [&](int &) {
      if (given++ > 0)
        letGo.await(std::chrono::milliseconds(1500));
      return StreamCallback::NotAvailable;
    };
    connect(engine, "a", in);
    engine.run();
    std::thread([&] { letGo.set(); }).join();
  }
  EXPECT_EQ(given, 2);
}

} // namespace
} // namespace copse::test
