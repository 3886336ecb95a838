#include "session/hub.hpp"

#include <utility>

namespace copse::session {

Hub::Hub(zmq::context_t &context, std::uint32_t ipus, std::chrono::milliseconds heartbeat,
         RowTraffic rows)
    : context_(context), heartbeat_(heartbeat), rows_(std::move(rows)), links_(ipus),
      reactor_("copse-host") {}

Hub::~Hub() { stop(); }

void Hub::stop() {
  if (std::exchange(stopped_, true))
    return;
  reactor_.call([this] { links_.clear(); });
  reactor_.stop();
}

wire::Status Hub::open(std::uint32_t ipu, const std::string &endpoint, const std::string &who,
                       int pidDescriptor) {
  close(ipu);
  return reactor_.call([&] {
    IpuLink::Handlers handlers{[this, ipu](ipud::SessionMessage message) {
                                 if (!rows_(ipu, message))
                                   put({ipu, std::move(message), {}});
                               },
                               [this, ipu](const wire::Status &why) {
                                 put({ipu, std::nullopt, why});
                               }};
    links_[ipu] = std::make_unique<IpuLink>(reactor_, context_, who, pidDescriptor, heartbeat_,
                                            std::move(handlers));
    return links_[ipu]->connect(endpoint);
  });
}

void Hub::close(std::uint32_t ipu) {
  reactor_.call([this, ipu] { links_[ipu].reset(); });
  forget(ipu);
}

void Hub::send(std::uint32_t ipu, ipud::SessionMessage message) {
  // A shared pointer, for what is posted must be copyable and payloads are not.
  auto shared = std::make_shared<ipud::SessionMessage>(std::move(message));
  reactor_.post([this, ipu, shared] {
    if (ipu < links_.size() && links_[ipu])
      links_[ipu]->send(std::move(*shared));
  });
}

std::optional<Event> Hub::next(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  if (!arrived_.wait_until(lock, deadline, [this] { return !events_.empty(); }))
    return {};
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Hub::put(Event event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  arrived_.notify_all();
}

void Hub::forget(std::uint32_t ipu) {
  const std::lock_guard lock(mutex_);
  std::erase_if(events_, [ipu](const Event &event) { return event.ipu == ipu; });
}

} // namespace copse::session
