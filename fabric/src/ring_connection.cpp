#include "ring_connection.hpp"

#include "messages_per_turn.hpp"
#include "ring_handshake.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace copse::fabric {
namespace {

using wire::Code;
using wire::Status;

constexpr std::byte kLastPart{0}, kMoreParts{1};

} // namespace

RingSocket::Impl::Impl(Reactor &reactor, Descriptor connection, Doorbell own, SharedMemory out,
                       SharedMemory in, std::shared_ptr<Doorbell> doorbell, std::uint64_t mostBytes)
    : reactor_(reactor), socket_(reactor.io(), connection.release()), own_(std::move(own)),
      event_(reactor.io(), own_.event()), out_(RingWriter::make(std::move(out))),
      in_(RingReader::make(
          std::move(in), [peer = doorbell_] { peer->wake(); }, mostBytes)) {
  if (doorbell)
    doorbell_->set(std::move(doorbell));
}

RingSocket::Impl::~Impl() {
  if (event_.is_open())
    event_.release();
}

void RingSocket::Impl::watch(Handlers handlers) {
  handlers_ = std::move(handlers);
  awaitDoorbell();
  listen();
  reactor_.watch(shared_from_this());
  reactor_.wake(); // the loop polls anyway
}

void RingSocket::Impl::close() {
  if (std::exchange(closed_, true))
    return;
  reactor_.unwatch(*this);
  event_.release();
  asio::error_code ignored;
  socket_.close(ignored);
  const locks::Lock lock(mutex_);
  over_ = true;
}

void RingSocket::Impl::listen() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [weak = weak_from_this()](const asio::error_code &error) {
                       const auto self = weak.lock();
                       if (!error && self && !self->closed_)
                         self->receive();
                     });
}

void RingSocket::Impl::receive() {
  local::Message message;
  switch (local::receive(socket_.native_handle(), message)) {
  case local::Received::Nothing:
    return listen();
  case local::Received::Ended:
    while (drain(kMessagesPerTurn)) { // messages that it sent before it ended still count
    }
    return end({Code::Disconnected, "it has closed the connection"});
  case local::Received::Message:
    break;
  }
  auto doorbell = doorbell_->known() ? wire::Result<std::shared_ptr<Doorbell>>(
                                           Status{Code::BadFrame, "it says more than was asked"})
                                     : ring::readWelcome(std::move(message));
  if (!doorbell)
    return end(doorbell.status());
  doorbell_->set(std::move(*doorbell));
  doorbell_->wake(); // for messages that were sent before the doorbell was known
  listen();
}

void RingSocket::Impl::awaitDoorbell() {
  event_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [weak = weak_from_this()](const asio::error_code &error) {
                      const auto self = weak.lock();
                      if (error || !self || self->closed_)
                        return;
                      self->own_.silence();
                      self->awaitDoorbell(); // the reactor polls the rings next
                    });
}

/// Handles a limited number of messages, so that other sockets and timers run, too.
void RingSocket::Impl::work() { (void)drain(kMessagesPerTurn); }

bool RingSocket::Impl::drain(int most) {
  if (closed_)
    return false;
  resume();
  for (int handled = 0; handled < most && !closed_; ++handled) {
    Frames part;
    const auto next = in_->next(part);
    if (next == RingReader::Next::Nothing)
      return false;
    if (next == RingReader::Next::Corrupt || !takePart(std::move(part))) {
      end({Code::BadFrame, "the memory that it shares is corrupt"});
      return false;
    }
  }
  return !closed_;
}

void RingSocket::Impl::resume() {
  const auto resumed = out_->resume();
  if (resumed == RingWriter::Resumed::Nothing)
    return;
  bool writable = false;
  if (resumed == RingWriter::Resumed::All) {
    const locks::Lock lock(mutex_);
    writable = sendRest();
  }
  doorbell_->wake();
  if (writable)
    handlers_.onWritable();
}

bool RingSocket::Impl::takePart(Frames part) {
  if (part.size() < 2 || part.back().size() != 1 || incoming_.size() + part.size() > kMostFrames)
    return false;
  const auto flag = *static_cast<const std::byte *>(part.back().data());
  if (flag != kLastPart && flag != kMoreParts)
    return false;
  std::move(part.begin(), part.end() - 1, std::back_inserter(incoming_));
  if (flag == kLastPart)
    handlers_.onMessage(std::exchange(incoming_, {}));
  return true;
}

void RingSocket::Impl::end(const Status &why) {
  if (closed_)
    return;
  close();
  handlers_.onEnd(why);
}

Sent RingSocket::Impl::send(Frames &frames) {
  Sent sent = Sent::Full;
  {
    const locks::Lock lock(mutex_);
    if (over_)
      return Sent::Unreachable;
    if (!sendRest())
      return out_->broken() ? Sent::Unreachable : Sent::Full;
    std::size_t at = 0;
    sent = put(frames, at);
    if (sent == Sent::Full && at > 0) { // its first part is in the ring, so all will be sent
      rest_ = std::exchange(frames, {});
      restAt_ = at;
      sent = Sent::Ok;
    }
  }
  if (sent == Sent::Ok)
    doorbell_->wake();
  return sent;
}

bool RingSocket::Impl::sendRest() {
  if (rest_.empty())
    return true;
  if (put(rest_, restAt_) != Sent::Ok)
    return false;
  rest_.clear();
  return true;
}

Sent RingSocket::Impl::put(Frames &frames, std::size_t &at) {
  while (at < frames.size()) {
    const std::size_t count = std::min(kFramesPerPart, frames.size() - at);
    const std::byte flag = at + count < frames.size() ? kMoreParts : kLastPart;
    const auto first = frames.begin() + static_cast<std::ptrdiff_t>(at);
    Frames part(std::make_move_iterator(first),
                std::make_move_iterator(first + static_cast<std::ptrdiff_t>(count)));
    part.emplace_back(&flag, 1);
    if (const Sent sent = out_->send(part); sent != Sent::Ok) {
      std::move(part.begin(), part.end() - 1, first);
      return sent;
    }
    at += count;
  }
  frames.clear();
  return Sent::Ok;
}

} // namespace copse::fabric
