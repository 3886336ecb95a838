#include "ring_asker.hpp"

#include <utility>

namespace copse::remote_buffers {

std::unique_ptr<RingAsker> RingAsker::dial(const std::string &path) {
  std::unique_ptr<RingAsker> asker(new RingAsker);
  asker->reactor_.call([&, self = asker.get()] {
    self->socket_ = fabric::RingSocket::dial(self->reactor_, path);
    if (self->socket_)
      self->socket_->watch({[self](fabric::Frames frames) {
                              const locks::Lock lock(self->mutex_);
                              self->came_.push_back(std::move(frames));
                            },
                            [self] { self->writable_ = true; },
                            [self](const wire::Status &) { self->ended_ = true; }});
  });
  return asker->socket_ ? std::move(asker) : nullptr;
}

RingAsker::~RingAsker() {
  reactor_.call([this] { socket_.reset(); });
}

bool RingAsker::send(fabric::Frames &frames, Clock::time_point deadline) {
  for (;;) {
    writable_ = false;
    switch (socket_->send(frames)) {
    case fabric::Sent::Ok:
      return true;
    case fabric::Sent::Unreachable:
      ended_ = true;
      return false;
    case fabric::Sent::Full:
      break;
    }
    if (!reactor_.workUntil(deadline, [this] { return writable_ || ended_; }))
      return false;
  }
}

std::optional<fabric::Frames> RingAsker::receive(Clock::time_point deadline) {
  std::optional<fabric::Frames> next;
  reactor_.workUntil(deadline, [&] {
    const locks::Lock lock(mutex_);
    if (came_.empty())
      return ended_.load();
    next = std::move(came_.front());
    came_.pop_front();
    return true;
  });
  return next;
}

} // namespace copse::remote_buffers
