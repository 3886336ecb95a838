#pragma once

#include "fabric/frames.hpp"
#include "fabric/loop_leadership.hpp"
#include "fabric/spinning.hpp"
#include "wire/result.hpp"

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <zmq.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse::fabric {

/// Something in memory that a reactor looks at itself, besides what the system tells it: rings. Its
/// peers wake the loop only while it sleeps.
///
/// Thread: the reactor's.
class Watched {
public:
  virtual ~Watched() = default;
  /// The loop looks at this, or soon will: nobody needs to wake it.
  virtual void attend() = 0;
  /// From now on whoever brings something wakes the loop.
  virtual void announceSleep() = 0;
  virtual bool hasSomething() const = 0;
  /// Handles some of it. Handlers may end any Watched.
  virtual void work() = 0;
};

/// An Asio event loop that owns whatever is made on it: sockets, timers, signals. One thread at a
/// time runs it, "the reactor's thread": a thread of its own, or one that waits for something that
/// the loop brings and does the loop's work meanwhile (workUntil()). Such a follower takes a
/// message off its socket itself; a hand-over from thread to thread costs more than a small
/// message.
///
/// Life: construct (the thread starts), post() and call() from anywhere, destroy (joins; work that
/// was posted but has not run yet is dropped). Rule: an object that lives on a reactor is made,
/// used and destroyed by call() or from a handler; or destroyed between stop() and the end of the
/// Reactor, when the thread is gone and anybody may take its objects apart.
///
/// Thread: any, but stop() and the destructor not on the reactor's own thread.
class Reactor {
public:
  using Clock = LoopLeadership::Clock;

  /// \param name  of the thread, as seen in debuggers; at most 15 characters are kept
  explicit Reactor(const std::string &name);
  ~Reactor();
  Reactor(const Reactor &) = delete;
  Reactor &operator=(const Reactor &) = delete;

  /// For timers, signals and processes.
  asio::io_context &io() { return io_; }

  bool onThread() const { return leadership_.leads(); }

  /// Runs \p work on the thread, soon, in the order of posting. It must not throw.
  template <class F> void post(F &&work) {
    asio::post(io_, std::forward<F>(work));
    posted_ = true;
    if (!leadership_.isFollower()) // a follower comes back, or its time is up
      leadership_.call();
  }

  /// Runs \p work on the thread and waits for its result; exceptions come out here. On the
  /// reactor's own thread it runs at once. Not after stop().
  template <class F> auto call(F &&work) -> std::invoke_result_t<F> {
    if (onThread())
      return work();
    std::packaged_task<std::invoke_result_t<F>()> task(std::forward<F>(work));
    auto done = task.get_future();
    asio::post(io_, [&task] { task(); });
    posted_ = true;
    leadership_.call();
    return done.get();
  }

  /// Runs the loop on the calling thread until \p done holds, which is asked before each piece of
  /// work and at the end, and never again once it holds; who makes it hold elsewhere than on the
  /// reactor says so by wake(). One follower at a time; not from a handler.
  /// \param deadline  if it is over: does what there is to do, unless the own thread is at it, and
  /// waits for nothing
  /// \returns whether \p done holds; if not, it was the deadline or stop()
  bool workUntil(Clock::time_point deadline, const std::function<bool()> &done);
  /// The same for one that may wait for long: it sleeps at once, and what it has learned of short waits stays.
  bool restUntil(Clock::time_point deadline, const std::function<bool()> &done);
  /// Lets the follower, if there is one, ask again.
  void wake() {
    asio::post(io_, [] {});
    posted_ = true;
  }

  /// From now on the loop looks at \p watched, until unwatch(). A follower spins for a moment before
  /// it sleeps, where a core is free. Reactor's thread; or, for unwatch(), when that is gone.
  void watch(std::shared_ptr<Watched> watched);
  void unwatch(const Watched &watched);

  /// Ends the loop and joins the thread; a second call does nothing.
  void stop();

private:
  enum class Wait : std::uint8_t { Spinning, Asleep };
  bool follow(Clock::time_point deadline, const std::function<bool()> &done, Wait wait);
  bool workOnce(Clock::time_point deadline, Wait wait);
  bool workWatching(Clock::time_point deadline, Wait wait);
  bool somethingComesSoon(Clock::time_point deadline);
  void runOwn();
  bool workNow();
  bool workOfAsio();
  bool workOfWatched();
  bool watchedHaveSomething() const;
  bool mayNotSleep();

  asio::io_context io_{1};
  std::vector<std::shared_ptr<Watched>> watched_; ///< the reactor's thread
  /// Turns in a row after which Asio has one: to ask the system costs as much as a small message.
  static constexpr unsigned kTurnsOfWatched = 8;
  unsigned turnsOfWatched_ = 0;     ///< since then
  Spinning spinning_;               ///< the follower's
  std::atomic<bool> posted_{false}; ///< Asio may have work that was posted
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  LoopLeadership leadership_;
  std::thread thread_;
};

/// A ZeroMQ socket that lives on a reactor: calls a handler for every whole message, and sends
/// without blocking. The edge-triggered ZMQ_FD is dealt with here.
///
/// Life: construct, set options and bind or connect through socket(), watch(), send(), destroy; all
/// on the reactor's thread, but for send(), which any thread may call while the socket lives: what
/// goes out takes no turn through the reactor. Linger is 0 and both high-water marks are
/// kDefaultHighWater until you say otherwise. Handlers may destroy the socket they belong to.
class WatchedSocket {
public:
  static constexpr int kDefaultHighWater = 1000; ///< [messages]

  /// Takes one message, of one frame or more.
  using OnMessage = std::function<void(Frames)>;
  /// Called when a socket that refused a message (Sent::Full) takes messages again.
  using OnWritable = std::function<void()>;

  WatchedSocket(Reactor &reactor, zmq::context_t &context, zmq::socket_type type);
  ~WatchedSocket();
  WatchedSocket(const WatchedSocket &) = delete;
  WatchedSocket &operator=(const WatchedSocket &) = delete;

  /// For options, bind() and connect(). Throws zmq::error_t, as cppzmq does. Do not send or receive
  /// through it.
  zmq::socket_t &socket();

  /// Binds.
  /// \returns the real endpoint, with the port that the OS picked for "tcp://127.0.0.1:*"; or
  ///   - Code::InvalidOption  the address is taken or makes no sense
  wire::Result<std::string> bind(const std::string &endpoint);
  /// Connects; the peer need not be there yet, except for inproc.
  wire::Status connect(const std::string &endpoint);

  /// How long the socket's end may wait for what is still to be sent.
  void linger(std::chrono::milliseconds time);

  /// Starts to call the handlers.
  void watch(OnMessage onMessage, OnWritable onWritable = {});

  /// Sends all frames as one message, or none. When the message was not Sent::Ok, \p frames is as
  /// it was. Thread: any.
  Sent send(Frames &frames);

private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

} // namespace copse::fabric
