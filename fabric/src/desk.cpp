#include "desk.hpp"

#include <string>

namespace copse::fabric {

wire::Status Desk::post(wire::IpuId neighbour, Parcel parcel) {
  std::unique_lock lock(mutex_);
  Outgoing &queue = outgoing_[neighbour];
  const std::size_t size = parcel.payload.size();
  const auto room = [&] {
    return queue.parcels.empty() || (queue.parcels.size() < options_.windowPackets &&
                                     queue.bytes + size <= options_.windowBytes);
  };
  ++waiting_;
  while (failure_.ok() && !room()) {
    resume();
    changed_.wait(lock);
  }
  --waiting_;
  if (!failure_.ok())
    return failure_;
  queue.bytes += size;
  queue.parcels.push_back(std::move(parcel));
  return wire::Status::success();
}

wire::Result<Payload> Desk::take(wire::IpuId from, std::uint32_t tag, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  Incoming &queue = incoming_[from];
  ++waiting_;
  bool late = false;
  while (failure_.ok() && queue.parcels.empty() && !late) {
    resume();
    late = changed_.wait_until(lock, deadline) == std::cv_status::timeout;
  }
  --waiting_;
  if (!failure_.ok())
    return failure_;
  if (queue.parcels.empty())
    return wire::Status{wire::Code::Timeout, "nothing came from ipu " + std::to_string(from.value) +
                                                 " for exchange " + std::to_string(tag) +
                                                 " until the deadline"};
  return takeFront(from, tag, queue);
}

wire::Result<Payload> Desk::takeFront(wire::IpuId from, std::uint32_t tag, Incoming &queue) {
  const std::uint32_t actual = queue.parcels.front().header.tag;
  if (actual != tag)
    return wire::Status{wire::Code::Internal,
                        "the control programs have diverged: ipu " + std::to_string(from.value) +
                            " sent exchange " + std::to_string(actual) + " where exchange " +
                            std::to_string(tag) +
                            " was expected; a predicate or an image differs between the two"};
  Payload payload = std::move(queue.parcels.front().payload);
  queue.parcels.pop_front();
  queue.bytes -= payload.size();
  resume();
  return payload;
}

Desk::Given Desk::deliver(Parcel &parcel) {
  const std::lock_guard lock(mutex_);
  Incoming &queue = incoming_[parcel.header.source];
  if (!queue.parcels.empty() && waiting_ == 0 &&
      queue.bytes + parcel.payload.size() > options_.inboxBytes) {
    stalled_ = true;
    return Given::Full;
  }
  queue.bytes += parcel.payload.size();
  queue.parcels.push_back(std::move(parcel));
  changed_.notify_all();
  return Given::Taken;
}

void Desk::resume() {
  if (std::exchange(stalled_, false))
    wake_();
}

bool Desk::fail(wire::Status status) {
  const std::lock_guard lock(mutex_);
  if (!failure_.ok())
    return false;
  failure_ = std::move(status);
  changed_.notify_all();
  return true;
}

void Desk::reset() {
  const std::lock_guard lock(mutex_);
  incoming_.clear();
  outgoing_.clear();
  failure_ = wire::Status::success();
  stalled_ = false;
}

} // namespace copse::fabric
