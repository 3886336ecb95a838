#include "inbox.hpp"

#include <string>
#include <utility>

namespace copse::fabric {

wire::Result<Payload> Inbox::take(wire::IpuId from, std::uint32_t tag, Clock::time_point deadline) {
  locks::Lock lock(mutex_);
  Source &source = sources_[from];
  ++waiting_;
  bool late = false;
  while (failure_.ok() && source.packets.empty() && !late) {
    resume();
    late = changed_.wait_until(lock, deadline) == std::cv_status::timeout;
  }
  --waiting_;
  if (!failure_.ok())
    return failure_;
  if (source.packets.empty())
    return Inbox::late(from, tag);
  return takeFront(from, tag, source);
}

std::optional<wire::Result<Payload>> Inbox::takeNow(wire::IpuId from, std::uint32_t tag) {
  if (sound() && isEmpty())
    return {};
  const locks::Lock lock(mutex_);
  if (!failure_.ok())
    return failure_;
  Source &source = sources_[from];
  if (source.packets.empty())
    return {};
  return takeFront(from, tag, source);
}

wire::Status Inbox::late(wire::IpuId from, std::uint32_t tag) {
  return {wire::Code::Timeout, "no message arrived from ipu " + std::to_string(from.value) +
                                   " for exchange " + std::to_string(tag) + " before the deadline"};
}

wire::Result<Payload> Inbox::takeFront(wire::IpuId from, std::uint32_t tag, Source &source) {
  const std::uint32_t actual = source.packets.front().tag;
  if (actual != tag)
    return wire::Status{wire::Code::Internal,
                        "the control programs have diverged: ipu " + std::to_string(from.value) +
                            " sent exchange " + std::to_string(actual) + " where exchange " +
                            std::to_string(tag) +
                            " was expected; a predicate or an image differs between the two"};
  Payload payload = std::move(source.packets.front().payload);
  source.packets.pop_front();
  packets_.store(packets_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  source.bytes -= payload.size();
  resume();
  return payload;
}

bool Inbox::deliver(wire::IpuId from, std::uint32_t tag, Payload &payload, Room room) {
  const locks::Lock lock(mutex_);
  Source &source = sources_[from];
  if (room == Room::Needed && !source.packets.empty() && waiting_ == 0 &&
      source.bytes + payload.size() > options_.inboxBytes) {
    stalled_ = true;
    // Checked again after stalled_ is set, so that a thread that begins to wait sees it.
    if (waiting_ == 0)
      return false;
    stalled_ = false;
  }
  source.bytes += payload.size();
  source.packets.push_back({tag, std::move(payload)});
  packets_.store(packets_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  changed_.notify_all();
  return true;
}

void Inbox::beginWaiting() {
  ++waiting_;
  resume();
}

void Inbox::resume() {
  if (stalled_.load() && stalled_.exchange(false))
    wake_();
}

bool Inbox::fail(wire::Status status) {
  const locks::Lock lock(mutex_);
  if (!failure_.ok())
    return false;
  failure_ = std::move(status);
  sound_ = false;
  changed_.notify_all();
  return true;
}

wire::Status Inbox::failure() const {
  const locks::Lock lock(mutex_);
  return failure_;
}

void Inbox::reset() {
  const locks::Lock lock(mutex_);
  sources_.clear();
  failure_ = wire::Status::success();
  sound_ = true;
  packets_ = 0;
  stalled_ = false;
}

} // namespace copse::fabric
