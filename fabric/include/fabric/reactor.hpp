#pragma once

#include "fabric/frames.hpp"
#include "fabric/loop_poller.hpp"
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

/// Memory that a reactor polls, such as a ring, besides the events of the system. Peers that write
/// into the memory wake the loop only while the loop sleeps.
///
/// Thread: the reactor's.
class Watched {
public:
  virtual ~Watched() = default;
  /// Announces that the loop polls this, or soon will: no peer needs to wake it.
  virtual void attend() = 0;
  /// Announces that the loop sleeps: from now on a peer with new data wakes it.
  virtual void announceSleep() = 0;
  virtual bool hasSomething() const = 0;
  /// Handles some of the data. Handlers may destroy any Watched.
  virtual void work() = 0;
};

/// An Asio event loop that owns the objects made on it: sockets, timers, signals. One thread at a
/// time runs it, "the reactor's thread": a thread of its own, or a waiter. A waiter is a thread
/// that waits for an event of the loop and runs the loop meanwhile (workUntil()). The waiter thus
/// reads its socket itself: passing a message from one thread to another takes longer than a small
/// message takes from one process to another.
///
/// Life: construct (the thread starts), post() and call() from anywhere, destroy (joins; work that
/// was posted but has not run yet is dropped). Rule: an object that lives on a reactor is made,
/// used and destroyed by call() or from a handler; or destroyed between stop() and the end of the
/// Reactor, when the thread is gone and any thread may destroy its objects.
///
/// Thread: any; stop() and the destructor must not be called on the reactor's own thread.
class Reactor {
public:
  using Clock = LoopPoller::Clock;

  /// \param name  the thread's name in debuggers; at most 15 characters are kept
  explicit Reactor(const std::string &name);
  ~Reactor();
  Reactor(const Reactor &) = delete;
  Reactor &operator=(const Reactor &) = delete;

  /// Returns the context for timers, signals and processes.
  asio::io_context &io() { return io_; }

  bool onThread() const { return poller_.isPoller(); }

  /// Runs \p work on the thread, soon, in the order of posting; \p work must not throw.
  template <class F> void post(F &&work) {
    asio::post(io_, std::forward<F>(work));
    posted_ = true;
    if (!poller_.isWaiter()) // a waiter comes back, or the own thread takes over
      poller_.call();
  }

  /// Runs \p work on the thread and waits for its result; exceptions are passed on. On the
  /// reactor's own thread, runs it at once. Not after stop().
  template <class F> auto call(F &&work) -> std::invoke_result_t<F> {
    if (onThread())
      return work();
    std::packaged_task<std::invoke_result_t<F>()> task(std::forward<F>(work));
    auto done = task.get_future();
    asio::post(io_, [&task] { task(); });
    posted_ = true;
    poller_.call();
    return done.get();
  }

  /// Runs the loop on the calling thread until \p done returns true. \p done is called before each
  /// piece of work and at the end, and never again once it has returned true. Code that changes its
  /// result elsewhere than on the reactor must call wake(). One waiter at a time; not from a
  /// handler.
  /// \param deadline  if it has passed, the function does the pending work, unless the own thread
  ///   is doing it, and does not wait
  /// \returns the result of \p done; if false, the deadline is over or stop() was called
  bool workUntil(Clock::time_point deadline, const std::function<bool()> &done);
  /// Waits as workUntil() does, for a thread that may wait for long: the thread sleeps at once, and
  /// Spinning's record of short waits does not change.
  bool restUntil(Clock::time_point deadline, const std::function<bool()> &done);
  /// Makes the waiter, if there is one, call its condition again.
  void wake() {
    asio::post(io_, [] {});
    posted_ = true;
  }

  /// Polls \p watched from now on, until unwatch(). A waiter spins for a moment before it sleeps,
  /// if a core is free. Reactor's thread; unwatch() also after that thread has ended.
  void watch(std::shared_ptr<Watched> watched);
  void unwatch(const Watched &watched);

  /// Ends the loop and joins the thread; a second call does nothing.
  void stop();

private:
  enum class Wait : std::uint8_t { Spinning, Asleep };
  bool workAsWaiter(Clock::time_point deadline, const std::function<bool()> &done, Wait wait);
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
  /// After this many turns of the watched memory, Asio gets a turn. Asio does not get every turn,
  /// because its system call costs as much as a small message.
  static constexpr unsigned kTurnsOfWatched = 8;
  unsigned turnsOfWatched_ = 0;     ///< since Asio's last turn
  Spinning spinning_;               ///< the waiter's
  std::atomic<bool> posted_{false}; ///< Asio may have work that was posted
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  LoopPoller poller_;
  std::thread thread_;
};

/// A ZeroMQ socket that lives on a reactor: calls a handler for every whole message, and sends
/// without blocking. Handles the edge-triggered ZMQ_FD.
///
/// Life: construct, set options and bind or connect through socket(), watch(), send(), destroy; all
/// on the reactor's thread, except for send(), which any thread may call while the socket lives,
/// and which sends without the reactor. Linger is 0 and both high-water marks are kDefaultHighWater
/// unless set otherwise. Handlers may destroy their socket.
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

  /// Returns the socket for options, bind() and connect(). Throws zmq::error_t, like cppzmq. Do not
  /// send or receive through it.
  zmq::socket_t &socket();

  /// Binds.
  /// \returns the real endpoint, with the port that the OS chose for "tcp://127.0.0.1:*"; or
  ///   - Code::InvalidOption  the address is taken or not valid
  wire::Result<std::string> bind(const std::string &endpoint);
  /// Connects; the peer need not listen yet, except for inproc.
  wire::Status connect(const std::string &endpoint);

  /// Sets how long the destruction of the socket may wait for unsent messages.
  void linger(std::chrono::milliseconds time);

  /// Starts to call the handlers.
  void watch(OnMessage onMessage, OnWritable onWritable = {});

  /// Sends all frames as one message, or none. If the result is not Sent::Ok, \p frames is
  /// unchanged. Thread: any.
  Sent send(Frames &frames);

private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

} // namespace copse::fabric
