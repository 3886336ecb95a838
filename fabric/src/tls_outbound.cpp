#include "tls_outbound.hpp"

#include "tcp_options.hpp"

#include "fabric/dial.hpp"

#include <asio/connect.hpp>
#include <asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace copse::fabric {

using asio::ip::tcp;
namespace {
using Step = TlsHandshake::Step;
}

TlsOutbound::TlsOutbound(asio::io_context &io, std::shared_ptr<const TlsContext> context,
                         const TlsOptions &options, Endpoint to, std::string name,
                         Handlers handlers)
    : io_(io), context_(std::move(context)), options_(options), to_(std::move(to)),
      name_(std::move(name)), handlers_(std::move(handlers)), resolver_(io), socket_(io),
      timer_(io), pause_(options.firstPause) {}

/// Calls \p work with \p self's mutex held. The mutex is named as the mutex of work's own
/// parameter, because the analysis does not take it for the caller's.
template <class Work, class... Arguments>
static void callLocked(const Work &work, TlsOutbound &self,
                       const Arguments &...arguments) COPSE_NOT_ANALYSED {
  work(self, arguments...);
}

template <class Work> auto TlsOutbound::later(Work work) {
  return [self = shared_from_this(), attempt = attempt_, work](const auto &...arguments) {
    bool tell = false;
    std::string bad;
    {
      const locks::Lock lock(self->mutex_);
      if (self->stage_ == Stage::Closed || self->attempt_ != attempt)
        return;
      callLocked(work, *self, arguments...);
      tell = self->stage_ == Stage::Open && !self->writer_->busy() &&
             std::exchange(self->wanted_, false);
      bad = std::exchange(self->bad_, {});
    }
    if (tell)
      self->handlers_.onRoom();
    if (!bad.empty())
      self->handlers_.onBad(bad);
  };
}

/// Runs on the reactor's thread, as this may be another.
template <class Work> void TlsOutbound::replaceSoon(Work work) {
  stage_ = Stage::Resting;
  asio::post(io_, later(work));
}

void TlsOutbound::start() {
  const locks::Lock lock(mutex_);
  dial();
}

void TlsOutbound::close() {
  const locks::Lock lock(mutex_);
  stage_ = Stage::Closed;
  asio::error_code ignored;
  resolver_.cancel();
  timer_.cancel();
  socket_.close(ignored);
}

Sent TlsOutbound::send(Frames &frames) {
  const locks::Lock lock(mutex_);
  if (stage_ == Stage::Closed)
    return Sent::Unreachable;
  if (stage_ != Stage::Open || writer_->busy()) {
    wanted_ = true;
    return Sent::Full;
  }
  writer_->put(std::move(frames));
  flush();
  return Sent::Ok;
}

/// Connects. Looks the host's name up for each attempt, like dial() of ZeroMQ's sockets.
void TlsOutbound::dial() {
  ++attempt_;
  stage_ = Stage::Dialling;
  timer_.expires_after(std::chrono::milliseconds(kDialMs));
  timer_.async_wait(
      later([](TlsOutbound &self, const asio::error_code &error) COPSE_REQUIRES(self.mutex_) {
        if (!error && self.stage_ == Stage::Dialling)
          self.retry();
      }));
  const auto connected = later([](TlsOutbound &self, const asio::error_code &error,
                                  const tcp::endpoint &) COPSE_REQUIRES(self.mutex_) {
    if (error)
      return self.retry();
    self.timer_.cancel();
    self.shakeHands();
  });
  resolver_.async_resolve(
      to_.bareHost(), std::to_string(to_.port()),
      later([connected](TlsOutbound &self, const asio::error_code &error,
                        const tcp::resolver::results_type &found) COPSE_REQUIRES(self.mutex_) {
        if (error)
          return self.retry();
        asio::async_connect(self.socket_, found, connected);
      }));
}

void TlsOutbound::shakeHands() {
  stage_ = Stage::Shaking;
  noticeVanishedPeers(socket_.native_handle());
  handshake_.emplace(TlsHandshake::client(*context_, socket_.native_handle(), name_));
  timer_.expires_after(options_.handshake);
  timer_.async_wait(
      later([](TlsOutbound &self, const asio::error_code &error) COPSE_REQUIRES(self.mutex_) {
        if (!error && self.stage_ == Stage::Shaking)
          self.retry();
      }));
  stepHandshake();
}

void TlsOutbound::stepHandshake() {
  const auto goOn = later([](TlsOutbound &self, const asio::error_code &)
                              COPSE_REQUIRES(self.mutex_) { self.stepHandshake(); });
  switch (handshake_->step()) {
  case Step::Done:
    return opened();
  case Step::WantRead:
    return socket_.async_wait(tcp::socket::wait_read, goOn);
  case Step::WantWrite:
    return socket_.async_wait(tcp::socket::wait_write, goOn);
  case Step::Refused:
    bad_ = name_ + " at " + to_.text() + " does not accept the key of " + context_->keys().self();
    return retry();
  case Step::Broken:
    bad_ = "the node at " + to_.text() + " is not " + name_;
    return retry();
  case Step::Ended:
    return retry();
  }
}

void TlsOutbound::opened() {
  stage_ = Stage::Open;
  timer_.cancel();
  pause_ = options_.firstPause;
  bytesOfKey_ = 0;
  writer_.emplace(handshake_->key());
  handshake_.reset();
  awaitEnd();
}

void TlsOutbound::retry() {
  disconnect();
  timer_.expires_after(std::exchange(pause_, std::min(2 * pause_, options_.longestPause)));
  timer_.async_wait(
      later([](TlsOutbound &self, const asio::error_code &error) COPSE_REQUIRES(self.mutex_) {
        if (!error)
          self.dial();
      }));
}

void TlsOutbound::disconnect() {
  ++attempt_; // cancels handlers that still wait for this connection
  stage_ = Stage::Resting;
  resolver_.cancel();
  handshake_.reset();
  writer_.reset();
  waiting_ = false;
  asio::error_code ignored;
  socket_.close(ignored);
}

void TlsOutbound::flush() {
  while (!waiting_ && stage_ == Stage::Open) {
    const auto bytes = writer_->pending();
    if (bytes.empty())
      break;
    const ssize_t sent =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      writer_->took(static_cast<std::size_t>(sent));
      bytesOfKey_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return awaitRoom();
    } else if (errno != EINTR) {
      return replaceSoon([](TlsOutbound &self) COPSE_REQUIRES(self.mutex_) { self.retry(); });
    }
  }
  if (stage_ == Stage::Open && bytesOfKey_ >= options_.bytesPerKey)
    replaceSoon([](TlsOutbound &self) COPSE_REQUIRES(self.mutex_) {
      self.disconnect();
      self.dial();
    });
}

void TlsOutbound::awaitRoom() {
  waiting_ = true;
  socket_.async_wait(tcp::socket::wait_write, later([](TlsOutbound &self, const asio::error_code &)
                                                        COPSE_REQUIRES(self.mutex_) {
                                                          self.waiting_ = false;
                                                          self.flush();
                                                        }));
}

/// Waits for the end of the connection: the other end sends nothing, so a readable socket is
/// closed.
void TlsOutbound::awaitEnd() {
  socket_.async_wait(tcp::socket::wait_read,
                     later([](TlsOutbound &self, const asio::error_code &)
                               COPSE_REQUIRES(self.mutex_) { self.retry(); }));
}

} // namespace copse::fabric
