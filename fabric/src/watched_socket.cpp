#include "locks/mutex.hpp"
#include "messages_per_turn.hpp"

#include "fabric/dial.hpp"
#include "fabric/reactor.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <atomic>
#include <cassert>
#include <utility>

namespace copse::fabric {
namespace {

// Longest frame that is accepted: images of CPU devices are the largest frames. Without a limit,
// ZeroMQ would allocate whatever size a peer declares.
constexpr std::int64_t kMaxFrameBytes = std::int64_t{4} << 30;

} // namespace

// Shared with the handlers that wait in the loop. Handlers have weak pointers to it, so a socket
// may be destroyed while a handler is pending.
class WatchedSocket::Impl : public std::enable_shared_from_this<Impl> {
public:
  Impl(Reactor &reactor, zmq::context_t &context, zmq::socket_type type)
      : reactor_(reactor), socket_(context, type),
        descriptor_(reactor.io(), socket_.get(zmq::sockopt::fd)) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::maxmsgsize, kMaxFrameBytes);
    socket_.set(zmq::sockopt::sndhwm, kDefaultHighWater);
    socket_.set(zmq::sockopt::rcvhwm, kDefaultHighWater);
  }

  void close() {
    const locks::Lock lock(mutex_);
    closed_ = true;
    descriptor_.release(); // ZeroMQ owns the descriptor and closes it
    socket_.close();
  }

  void watch(OnMessage onMessage, OnWritable onWritable) {
    onMessage_ = std::move(onMessage);
    onWritable_ = std::move(onWritable);
    await();
    drainSoon();
  }

  void linger(std::chrono::milliseconds time) {
    const locks::Lock lock(mutex_);
    socket_.set(zmq::sockopt::linger, static_cast<int>(time.count()));
  }

  Sent send(Frames &frames) {
    const locks::Lock lock(mutex_);
    assert(!closed_ && !frames.empty());
    const Sent result = sendFrames(frames);
    if (result == Sent::Full)
      wantsWritable_ = true;
    // Sending may have consumed the edge that reported a message, or room.
    if (onMessage_ && (socket_.get(zmq::sockopt::events) & wantedEvents()) != 0)
      drainSoon();
    return result;
  }

  zmq::socket_t &socket() { return socket_; }
  Reactor &reactor() { return reactor_; }

private:
  Sent sendFrames(Frames &frames) COPSE_REQUIRES(mutex_) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto flags = i + 1 < frames.size()
                             ? zmq::send_flags::sndmore | zmq::send_flags::dontwait
                             : zmq::send_flags::dontwait;
      // Only the first frame can be refused for lack of room. A later frame fails if the peer's
      // pipe broke in between; ZeroMQ has then dropped the frames before it.
      try {
        if (!socket_.send(frames[i], flags))
          return i == 0 ? Sent::Full : Sent::Unreachable;
      } catch (const zmq::error_t &) {
        return Sent::Unreachable;
      }
    }
    return Sent::Ok;
  }

  int wantedEvents() const COPSE_REQUIRES(mutex_) {
    return ZMQ_POLLIN | (wantsWritable_ ? ZMQ_POLLOUT : 0);
  }

  void await() {
    descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                           [weak = weak_from_this()](const asio::error_code &error) {
                             auto self = weak.lock();
                             if (error || !self || self->closed_)
                               return;
                             self->drain();
                             if (!self->closed_)
                               self->await();
                           });
  }

  void drainSoon() {
    if (drainPosted_.exchange(true))
      return;
    reactor_.post([weak = weak_from_this()] {
      auto self = weak.lock();
      if (!self || self->closed_)
        return;
      self->drainPosted_ = false;
      self->drain();
    });
  }

  // Handles events until ZMQ_EVENTS is clear, as only then the next event makes a new edge.
  void drain() {
    for (int handled = 0; handled < kMessagesPerTurn; ++handled) {
      Frames frames;
      const int events = takeNext(frames);
      if (events == 0)
        return;
      if ((events & ZMQ_POLLOUT) != 0 && onWritable_)
        onWritable_();
      if (closed_)
        return;
      if (!frames.empty())
        onMessage_(std::move(frames));
      if (closed_)
        return;
    }
    drainSoon();
  }

  // Returns the pending events, and the next message if one has come. Handlers are called without
  // the mutex, because they send.
  int takeNext(Frames &frames) {
    const locks::Lock lock(mutex_);
    const int events = socket_.get(zmq::sockopt::events) & wantedEvents();
    if ((events & ZMQ_POLLOUT) != 0)
      wantsWritable_ = false;
    if ((events & ZMQ_POLLIN) != 0)
      receiveOne(frames);
    return events;
  }

  void receiveOne(Frames &frames) COPSE_REQUIRES(mutex_) {
    do {
      frames.emplace_back();
      if (!socket_.recv(frames.back(), zmq::recv_flags::dontwait)) {
        frames.clear(); // whole messages arrive at once, so this happens before the first frame
        return;
      }
    } while (frames.back().more());
  }

  Reactor &reactor_;
  locks::Mutex mutex_; // guards the socket, which ZeroMQ lets only one thread use at a time
  zmq::socket_t socket_;
  asio::posix::stream_descriptor descriptor_;
  OnMessage onMessage_;
  OnWritable onWritable_;
  bool wantsWritable_ COPSE_GUARDED_BY(mutex_) = false;
  std::atomic<bool> drainPosted_{false};
  bool closed_ = false; // changed on the reactor's thread, under mutex_
};

WatchedSocket::WatchedSocket(Reactor &reactor, zmq::context_t &context, zmq::socket_type type)
    : impl_(std::make_shared<Impl>(reactor, context, type)) {
  assert(reactor.onThread());
}

WatchedSocket::~WatchedSocket() { impl_->close(); }

zmq::socket_t &WatchedSocket::socket() { return impl_->socket(); }

wire::Result<std::string> WatchedSocket::bind(const std::string &endpoint) {
  try {
    impl_->socket().bind(endpoint);
    return impl_->socket().get(zmq::sockopt::last_endpoint);
  } catch (const zmq::error_t &error) {
    return wire::Status{wire::Code::InvalidOption,
                        "cannot listen at '" + endpoint + "': " + error.what()};
  }
}

wire::Status WatchedSocket::connect(const std::string &endpoint) {
  try {
    dial(impl_->socket(), endpoint);
    return wire::Status::success();
  } catch (const zmq::error_t &error) {
    return {wire::Code::InvalidOption, "cannot connect to '" + endpoint + "': " + error.what()};
  }
}

void WatchedSocket::watch(OnMessage onMessage, OnWritable onWritable) {
  impl_->watch(std::move(onMessage), std::move(onWritable));
}

void WatchedSocket::linger(std::chrono::milliseconds time) { impl_->linger(time); }

Sent WatchedSocket::send(Frames &frames) { return impl_->send(frames); }

} // namespace copse::fabric
