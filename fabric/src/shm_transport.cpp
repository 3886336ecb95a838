#include "shm_transport.hpp"

#include "attendance.hpp"
#include "link_message.hpp"
#include "shm_inbound.hpp"
#include "shm_outbound.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <utility>

namespace copse::fabric {
namespace {

class ShmTransport : public Transport, public DirectReceive {
public:
  explicit ShmTransport(Reactor &reactor) : reactor_(reactor) {}
  ~ShmTransport() override { disconnectAll(); }
  ShmTransport(const ShmTransport &) = delete;
  ShmTransport &operator=(const ShmTransport &) = delete;

  // Transport

  wire::Result<Endpoint> bind(const Endpoint &endpoint) override {
    auto bell = Doorbell::create();
    if (!bell)
      return bell.status();
    bell_.emplace(std::move(*bell));
    inbound_.emplace(reactor_, *bell_);
    if (wire::Status status = inbound_->bind(endpoint); !status.ok())
      return status;
    return endpoint;
  }

  void watch(Handlers handlers) override {
    handlers_ = std::move(handlers);
    inbound_->watch(
        [this](wire::Result<LinkMessage> &&message) { deliver(std::move(message), "", handlers_); },
        [this](const std::string &why) { handlers_.onBad(why); });
    attendance_.emplace(
        reactor_, *bell_, [this] { return hasSomething(); }, [this] { (void)handOver(); });
    attendance_->watch();
  }

  wire::Status connect(const Neighbour &neighbour) override {
    const wire::IpuId ipu = neighbour.ipu;
    if (neighbour.endpoint.transport() != TransportKind::Shm)
      return {wire::Code::InvalidOption,
              "cannot connect to '" + neighbour.endpoint.text() +
                  "': this IPU's links go through shared memory; give all IPUs the same kind of "
                  "endpoint"};
    auto way =
        ShmOutbound::open(reactor_, neighbour.endpoint, *bell_,
                          [this, ipu](const std::string &why) { handlers_.onLost(ipu, why); });
    if (!way)
      return way.status();
    ways_[ipu] = std::move(*way);
    return wire::Status::success();
  }

  void disconnectAll() override {
    for (const auto &[ipu, way] : ways_)
      way->close();
    ways_.clear();
  }

  Handover send(wire::IpuId neighbour, const wire::Envelope &envelope, const Payload &payload,
                SendMode mode) override {
    const auto way = ways_.find(neighbour);
    if (way == ways_.end())
      return Handover::Unreachable;
    const Sent sent = way->second->send(envelope, payload, mode.urgent);
    noteIfFull(*way->second);
    switch (sent) {
    case Sent::Ok:
      return Handover::Kept;
    case Sent::Full:
      return Handover::Full;
    case Sent::Unreachable:
      break;
    }
    return Handover::Unreachable;
  }

  std::optional<Payload> payloadTo(wire::IpuId neighbour, std::size_t bytes) override {
    const auto way = ways_.find(neighbour);
    if (way == ways_.end())
      return Payload(bytes);
    auto payload = way->second->reserve(bytes);
    noteIfFull(*way->second);
    return payload;
  }

  DirectReceive *direct() override { return this; }

  // DirectReceive

  std::uint64_t interrupts() const override { return attendance_->interrupts(); }
  void interrupt() override { attendance_->interrupt(); }
  bool poll() override {
    attendance_->passBy();
    return handOver();
  }
  void passBy() override { attendance_->passBy(); }
  void await(std::uint64_t seen, Clock::time_point deadline) override {
    attendance_->visit(seen, deadline);
  }

private:
  /// Messages that have come, and news of ways that take messages again.
  bool handOver() {
    const bool came = inbound_->poll();
    return (full_ && resumeAll()) || came;
  }
  bool resumeAll() {
    bool any = false;
    full_ = false; // who is refused from now on sets it again
    for (const auto &[ipu, way] : ways_) {
      if (way->resume()) {
        handlers_.onWritable(ipu);
        any = true;
      }
      noteIfFull(*way);
    }
    return any;
  }
  bool hasSomething() {
    return inbound_->hasMessages() ||
           (full_ && std::any_of(ways_.begin(), ways_.end(),
                                 [](const auto &way) { return way.second->mayResume(); }));
  }
  void noteIfFull(const ShmOutbound &way) {
    if (way.isFull())
      full_ = true;
  }

  Reactor &reactor_;
  Handlers handlers_;
  std::optional<Doorbell> bell_;
  std::optional<ShmInbound> inbound_;
  std::optional<Attendance> attendance_;
  std::map<wire::IpuId, std::shared_ptr<ShmOutbound>> ways_;
  std::atomic<bool> full_{false}; ///< one of these may be; most looks need not ask each of them
};

} // namespace

std::unique_ptr<Transport> makeShmTransport(Reactor &reactor) {
  return std::make_unique<ShmTransport>(reactor);
}

} // namespace copse::fabric
