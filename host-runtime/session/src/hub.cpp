#include "hub.hpp"

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
  reactor_.call([this] {
    for (std::uint32_t ipu = 0; ipu < links_.size(); ++ipu)
      put(ipu, nullptr);
  });
  reactor_.stop();
}

wire::Status Hub::open(std::uint32_t ipu, const Peer &peer) {
  close(ipu);
  return reactor_.call([&] {
    IpuLink::Handlers handlers{[this, ipu](ipud::SessionMessage message) {
                                 if (!rows_(ipu, message))
                                   put({ipu, std::move(message), {}});
                               },
                               [this, ipu](const wire::Status &why) {
                                 put({ipu, std::nullopt, why});
                               }};
    auto link = std::make_unique<IpuLink>(reactor_, context_, peer.who, peer.pidDescriptor,
                                          heartbeat_, std::move(handlers));
    wire::Status status = link->connect(peer.endpoint, peer.keys, peer.nameAmongKeys);
    put(ipu, std::move(link));
    return status;
  });
}

void Hub::close(std::uint32_t ipu) {
  reactor_.call([this, ipu] { put(ipu, nullptr); });
  forget(ipu);
}

void Hub::put(std::uint32_t ipu, std::unique_ptr<IpuLink> link) {
  const locks::Lock lock(links_[ipu].mutex);
  links_[ipu].link = std::move(link);
}

void Hub::send(std::uint32_t ipu, ipud::SessionMessage message) {
  if (ipu >= links_.size())
    return;
  const locks::Lock lock(links_[ipu].mutex);
  if (links_[ipu].link)
    links_[ipu].link->send(std::move(message));
}

fabric::Payload Hub::payload(std::uint32_t ipu, std::size_t bytes) {
  const locks::Lock lock(links_[ipu].mutex);
  return links_[ipu].link ? links_[ipu].link->payload(bytes) : fabric::Payload(bytes);
}

std::optional<Event> Hub::next(std::chrono::steady_clock::time_point deadline, bool heedsNudges) {
  const auto arrived = [&] {
    const locks::Lock lock(mutex_);
    return !events_.empty() || (heedsNudges && nudged_);
  };
  if (!reactor_.workUntil(deadline, arrived))
    return {};
  const locks::Lock lock(mutex_);
  if (heedsNudges && nudged_.exchange(false))
    return {};
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Hub::nudge() {
  nudged_ = true;
  reactor_.wake();
}

void Hub::put(Event event) {
  const locks::Lock lock(mutex_);
  events_.push_back(std::move(event));
}

void Hub::forget(std::uint32_t ipu) {
  const locks::Lock lock(mutex_);
  std::erase_if(events_, [ipu](const Event &event) { return event.ipu == ipu; });
}

} // namespace copse::session
