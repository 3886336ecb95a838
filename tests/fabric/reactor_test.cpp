#include "long_enough.hpp"

#include "fabric/reactor.hpp"

#include <asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;

Frames framesOf(std::initializer_list<std::string> texts) {
  Frames frames;
  for (const std::string &text : texts)
    frames.emplace_back(text.data(), text.size());
  return frames;
}

TEST(Reactor, CallReturnsTheResultFromTheThread) {
  Reactor reactor("test");
  EXPECT_FALSE(reactor.onThread());
  EXPECT_TRUE(reactor.call([&] { return reactor.onThread(); }));
}

TEST(Reactor, CallRethrowsTheException) {
  Reactor reactor("test");
  EXPECT_THROW(reactor.call([] { throw std::runtime_error("inside"); }), std::runtime_error);
}

TEST(Reactor, CallWithinTheThreadDoesNotWaitForItself) {
  Reactor reactor("test");
  EXPECT_EQ(reactor.call([&] { return reactor.call([] { return 7; }); }), 7);
}

// Tests of threads that wait and do the reactor's work:

using Id = std::thread::id;

/// Returns a condition like \p done, which also reports when it is asked for the second time: then
/// its thread has the loop.
template <class Done> auto whenInside(std::promise<void> &inside, Done done) {
  return [&inside, done, asked = 0]() mutable {
    if (++asked == 2)
      inside.set_value();
    return done();
  };
}

TEST(ReactorWaiter, RunsPostedWorkOnItsOwnThread) {
  Reactor reactor("test");
  std::promise<void> inside;
  std::atomic<Id> ranOn{};
  std::thread other([&] {
    inside.get_future().wait();
    reactor.post([&] { ranOn = std::this_thread::get_id(); });
  });
  EXPECT_TRUE(
      reactor.workUntil(longEnough(), whenInside(inside, [&] { return ranOn.load() != Id(); })));
  other.join();
  EXPECT_EQ(ranOn.load(), std::this_thread::get_id());
}

TEST(ReactorWaiter, IsTheReactorsThreadInHandlersOnly) {
  Reactor reactor("test");
  std::promise<void> inside;
  std::atomic<bool> called{false};
  std::thread other([&] {
    inside.get_future().wait();
    EXPECT_TRUE(reactor.call([&] { return reactor.onThread(); }));
    EXPECT_FALSE(reactor.onThread());
    called = true;
    reactor.wake();
  });
  EXPECT_TRUE(reactor.workUntil(longEnough(), whenInside(inside, [&] { return called.load(); })));
  other.join();
  EXPECT_FALSE(reactor.onThread());
}

TEST(ReactorWaiter, LeavesAtItsDeadline) {
  Reactor reactor("test");
  const auto begin = Reactor::Clock::now();
  EXPECT_FALSE(reactor.workUntil(begin + 20ms, [] { return false; }));
  EXPECT_GE(Reactor::Clock::now() - begin, 20ms);
  EXPECT_LT(Reactor::Clock::now() - begin, kLongEnough);
}

TEST(ReactorWaiter, LeavesTheLoopToTheReactorsOwnThread) {
  Reactor reactor("test");
  EXPECT_FALSE(reactor.workUntil(Reactor::Clock::now() + 5ms, [] { return false; }));
  std::promise<Id> ranOn;
  reactor.post([&] { ranOn.set_value(std::this_thread::get_id()); }); // and does not come back
  auto got = ranOn.get_future();
  ASSERT_EQ(got.wait_for(kLongEnough), std::future_status::ready);
  EXPECT_NE(got.get(), std::this_thread::get_id());
}

TEST(ReactorWaiter, LeavesTheLoopAfterALongStay) {
  Reactor reactor("test");
  EXPECT_FALSE(reactor.workUntil(Reactor::Clock::now() + 20 * LoopPoller::kTakeOverTimeout,
                                 [] { return false; }));
  asio::steady_timer timer(reactor.io());
  std::promise<void> ticked;
  reactor.post([&] {
    timer.expires_after(1ms);
    timer.async_wait([&](const asio::error_code &) { ticked.set_value(); });
  });
  EXPECT_EQ(ticked.get_future().wait_for(kLongEnough), std::future_status::ready);
}

TEST(ReactorWaiter, IsReleasedByTheReactorsEnd) {
  Reactor reactor("test");
  std::promise<void> inside;
  std::thread other([&] {
    inside.get_future().wait();
    reactor.stop();
  });
  EXPECT_FALSE(reactor.workUntil(longEnough(), whenInside(inside, [] { return false; })));
  other.join();
  EXPECT_FALSE(reactor.workUntil(longEnough(), [] { return false; })) << "after the end";
}

TEST(ReactorWaiter, TakesTurnsWithTheOwnThreadAndLosesNothing) {
  Reactor reactor("test");
  constexpr int kEach = 2000;
  int ran = 0; // the reactor's
  std::atomic<int> seen{0};
  const auto count = [&] { seen = ++ran; };
  std::thread other([&] {
    for (int i = 0; i < kEach; ++i) {
      reactor.post(count);
      if (i % 64 == 0)
        reactor.call([] {});
    }
  });
  for (int i = 0; i < kEach; ++i) {
    const int before = seen;
    reactor.post(count);
    EXPECT_TRUE(reactor.workUntil(longEnough(), [&] { return seen > before; }));
    if (i % 100 == 0)
      std::this_thread::sleep_for(2 * LoopPoller::kTakeOverTimeout); // the own thread's turn
  }
  other.join();
  EXPECT_EQ(reactor.call([&] { return ran; }), 2 * kEach);
}

// Tests of memory that a reactor polls:

/// A mailbox. Senders wake the loop only if it has announced that it sleeps.
class Mail : public Watched {
public:
  explicit Mail(Reactor &reactor) : reactor_(reactor) {}
  void attend() override { asleep_ = false; }
  void announceSleep() override { asleep_ = true; }
  bool hasSomething() const override { return put_ > handled; }
  void work() override {
    ++handled;
    handledOn = std::this_thread::get_id();
    onWork();
  }
  void put() {
    ++put_;
    if (asleep_.exchange(false))
      reactor_.wake();
  }

  std::atomic<int> handled{0};
  std::atomic<Id> handledOn{};
  std::function<void()> onWork = [] {};

private:
  Reactor &reactor_;
  std::atomic<int> put_{0};
  std::atomic<bool> asleep_{false};
};

class WatchedMail : public ::testing::Test {
protected:
  WatchedMail() {
    reactor.call([this] { reactor.watch(mail); });
  }
  ~WatchedMail() override {
    reactor.call([this] { reactor.unwatch(*mail); });
  }

  Reactor reactor{"test"};
  std::shared_ptr<Mail> mail = std::make_shared<Mail>(reactor);
};

TEST_F(WatchedMail, IsHandledByAWaiter) {
  std::promise<void> inside;
  std::thread other([&] {
    inside.get_future().wait();
    mail->put();
  });
  EXPECT_TRUE(
      reactor.workUntil(longEnough(), whenInside(inside, [&] { return mail->handled > 0; })));
  other.join();
  EXPECT_EQ(mail->handledOn.load(), std::this_thread::get_id());
}

TEST_F(WatchedMail, IsHandledByTheOwnThreadWhenAWaiterHasLeft) {
  mail->put();
  EXPECT_TRUE(reactor.workUntil(longEnough(), [&] { return mail->handled == 1; }));
  std::promise<Id> second;
  reactor.call([&] { mail->onWork = [&] { second.set_value(std::this_thread::get_id()); }; });
  mail->put();
  auto got = second.get_future();
  ASSERT_EQ(got.wait_for(kLongEnough), std::future_status::ready);
  EXPECT_NE(got.get(), std::this_thread::get_id());
}

TEST_F(WatchedMail, IsAlwaysHandled) {
  constexpr int kMessages = 2'000;
  std::thread other([&] {
    for (int i = 0; i < kMessages; ++i) {
      mail->put();
      if (i % 50 == 0) // so that the waiter sleeps
        std::this_thread::sleep_for(1ms);
    }
  });
  for (int next = 1; next <= kMessages; next += 10) {
    EXPECT_TRUE(reactor.workUntil(longEnough(), [&] { return mail->handled >= next; }));
    if (next % 300 == 1)
      std::this_thread::sleep_for(2 * LoopPoller::kTakeOverTimeout); // the own thread's turn
  }
  EXPECT_TRUE(reactor.workUntil(longEnough(), [&] { return mail->handled == kMessages; }));
  other.join();
}

TEST_F(WatchedMail, IsHandledByAThreadThatRests) {
  constexpr int kMessages = 100;
  const Id here = std::this_thread::get_id();
  std::atomic<int> handledHere{0};
  reactor.call(
      [&] { mail->onWork = [&] { handledHere += std::this_thread::get_id() == here ? 1 : 0; }; });
  std::promise<void> inside;
  std::thread other([&] {
    inside.get_future().wait();
    for (int i = 0; i < kMessages; ++i) {
      mail->put();
      std::this_thread::sleep_for(i % 10 == 0 ? 2 * LoopPoller::kTakeOverTimeout : 0ms);
    }
  });
  EXPECT_TRUE(reactor.restUntil(longEnough(),
                                whenInside(inside, [&] { return mail->handled == kMessages; })));
  other.join();
  EXPECT_EQ(handledHere, kMessages);
}

TEST_F(WatchedMail, DoesNotStarvePostedWork) {
  std::atomic<bool> posted{false};
  reactor.call([&] { mail->onWork = [&] { mail->put(); }; }); // for ever
  mail->put();
  std::thread other([&] { reactor.post([&] { posted = true; }); });
  EXPECT_TRUE(reactor.workUntil(longEnough(), [&] { return posted.load(); }));
  other.join();
  reactor.call([&] { mail->onWork = [] {}; });
}

TEST_F(WatchedMail, DoesNotStarveTimers) {
  std::atomic<bool> rang{false};
  asio::steady_timer timer(reactor.io());
  reactor.call([&] {
    mail->onWork = [&] { mail->put(); }; // for ever
    timer.expires_after(1ms);
    timer.async_wait([&](const asio::error_code &) { rang = true; });
  });
  mail->put();
  EXPECT_TRUE(reactor.workUntil(longEnough(), [&] { return rang.load(); }));
  reactor.call([&] { mail->onWork = [] {}; });
}

TEST_F(WatchedMail, MayEndItself) {
  reactor.call([&] { mail->onWork = [&] { reactor.unwatch(*mail); }; });
  mail->put();
  mail->put();
  EXPECT_TRUE(reactor.workUntil(longEnough(), [&] { return mail->handled == 1; }));
  EXPECT_FALSE(reactor.workUntil(Reactor::Clock::now() + 5ms, [] { return false; }));
  EXPECT_EQ(mail->handled, 1);
}

// A bound and a connected socket on one reactor.
class Sockets : public ::testing::Test {
protected:
  void open(zmq::socket_type bound, zmq::socket_type connected, int highWater = 1000) {
    reactor.call([&] {
      first.emplace(reactor, context, bound);
      second.emplace(reactor, context, connected);
      for (auto *socket : {&*first, &*second}) {
        socket->socket().set(zmq::sockopt::rcvhwm, highWater);
        socket->socket().set(zmq::sockopt::sndhwm, highWater);
      }
      const auto endpoint = first->bind("inproc://test");
      ASSERT_TRUE(endpoint.ok()) << endpoint.status().message;
      const wire::Status status = second->connect(*endpoint);
      ASSERT_TRUE(status.ok()) << status.message;
    });
  }
  void TearDown() override {
    reactor.call([&] {
      second.reset();
      first.reset();
    });
  }
  template <class T> T within(std::future<T> &&future) {
    if (future.wait_for(10s) != std::future_status::ready)
      throw std::runtime_error("nothing came");
    return future.get();
  }

  zmq::context_t context;
  Reactor reactor{"test"};
  std::optional<WatchedSocket> first, second;
};

TEST_F(Sockets, HandlerGetsAllFramesOfAMessage) {
  open(zmq::socket_type::pull, zmq::socket_type::push);
  std::promise<Frames> came;
  reactor.call([&] {
    first->watch([&](Frames frames) { came.set_value(std::move(frames)); });
    auto frames = framesOf({"head", "", "tail"});
    EXPECT_EQ(second->send(frames), Sent::Ok);
  });
  const Frames got = within(came.get_future());
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].to_string_view(), "head");
  EXPECT_EQ(got[1].size(), 0u);
  EXPECT_EQ(got[2].to_string_view(), "tail");
}

TEST_F(Sockets, PingPongNeverStalls) {
  // Each answer is sent from within a handler: the edges that sending consumes must not be missed.
  open(zmq::socket_type::pair, zmq::socket_type::pair);
  std::promise<void> done;
  int rounds = 0;
  reactor.call([&] {
    first->watch([&](Frames frames) {
      if (++rounds == 20'000)
        done.set_value();
      else
        EXPECT_EQ(first->send(frames), Sent::Ok);
    });
    second->watch([&](Frames frames) { EXPECT_EQ(second->send(frames), Sent::Ok); });
    auto frames = framesOf({"ball"});
    EXPECT_EQ(second->send(frames), Sent::Ok);
  });
  within(done.get_future());
}

TEST_F(Sockets, ArrivalWhoseEdgeASendConsumedIsHandled) {
  open(zmq::socket_type::pair, zmq::socket_type::pair);
  std::promise<void> came;
  reactor.call([&] { first->watch([&](Frames) { came.set_value(); }); });
  reactor.call([] {}); // behind the first look at the socket
  reactor.call([&] {
    auto arriving = framesOf({"a"}), leaving = framesOf({"b"});
    EXPECT_EQ(second->send(arriving), Sent::Ok);
    std::this_thread::sleep_for(
        20ms); // a send looks at its commands no more often than every millisecond
    EXPECT_EQ(first->send(leaving), Sent::Ok);
  });
  within(came.get_future());
}

TEST_F(Sockets, RefusedMessageIsUnchangedAndWritableIsReportedLater) {
  open(zmq::socket_type::pull, zmq::socket_type::push, 4);
  std::promise<void> writable;
  reactor.call([&] {
    second->watch([](Frames) {}, [&] { writable.set_value(); });
    auto refused = framesOf({"first frame", "second frame"});
    Sent sent = Sent::Ok;
    for (int i = 0; i < 1000 && sent == Sent::Ok; ++i) {
      auto frames = framesOf({"first frame", "second frame"});
      sent = second->send(frames);
      if (sent != Sent::Ok)
        refused = std::move(frames);
    }
    EXPECT_EQ(sent, Sent::Full);
    EXPECT_EQ(refused[0].to_string_view(), "first frame");
    EXPECT_EQ(refused[1].to_string_view(), "second frame");
    first->watch([](Frames) {}); // begins to read
  });
  within(writable.get_future());
}

TEST_F(Sockets, RouterDoesNotReachAnUnknownPeer) {
  open(zmq::socket_type::router, zmq::socket_type::dealer);
  reactor.call([&] {
    first->socket().set(zmq::sockopt::router_mandatory, true);
    first->watch([](Frames) {});
    auto frames = framesOf({"nobody", "hello"});
    EXPECT_EQ(first->send(frames), Sent::Unreachable);
    EXPECT_EQ(frames[0].to_string_view(), "nobody");
  });
}

TEST_F(Sockets, FloodDoesNotStarveTimers) {
  open(zmq::socket_type::pair, zmq::socket_type::pair);
  std::promise<void> ticked;
  reactor.call([&] {
    const auto echo = [](WatchedSocket &socket) {
      return [&socket](Frames frames) { (void)socket.send(frames); };
    };
    first->watch(echo(*first));
    second->watch(echo(*second));
    for (int i = 0; i < 500; ++i) { // for ever to and fro
      auto frames = framesOf({"x"});
      (void)second->send(frames);
    }
  });
  asio::steady_timer timer(reactor.io());
  reactor.call([&] {
    timer.expires_after(20ms);
    timer.async_wait([&](const asio::error_code &) { ticked.set_value(); });
  });
  within(ticked.get_future());
}

TEST_F(Sockets, HandlerMayDestroyItsSocket) {
  open(zmq::socket_type::pull, zmq::socket_type::push);
  std::promise<void> gone;
  reactor.call([&] {
    first->watch([&](Frames) {
      first.reset();
      gone.set_value();
    });
    for (int i = 0; i < 3; ++i) {
      auto frames = framesOf({"x"});
      (void)second->send(frames);
    }
  });
  within(gone.get_future());
}

TEST_F(Sockets, WaiterReceivesAMessageItself) {
  open(zmq::socket_type::pull, zmq::socket_type::push);
  std::atomic<Id> handledOn{};
  reactor.call([&] { first->watch([&](Frames) { handledOn = std::this_thread::get_id(); }); });
  std::promise<void> inside;
  std::thread other([&] {
    inside.get_future().wait();
    auto frames = framesOf({"x"});
    EXPECT_EQ(second->send(frames), Sent::Ok);
  });
  EXPECT_TRUE(reactor.workUntil(longEnough(),
                                whenInside(inside, [&] { return handledOn.load() != Id(); })));
  other.join();
  EXPECT_EQ(handledOn.load(), std::this_thread::get_id());
}

TEST_F(Sockets, NonsenseEndpointIsRefused) {
  open(zmq::socket_type::pull, zmq::socket_type::push);
  reactor.call([&] {
    EXPECT_EQ(first->bind("nonsense").status().code, wire::Code::InvalidOption);
    EXPECT_EQ(second->connect("tcp://").code, wire::Code::InvalidOption);
  });
}

} // namespace
} // namespace copse::fabric
