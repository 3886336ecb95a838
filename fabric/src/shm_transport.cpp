#include "shm_transport.hpp"

#include "attendance.hpp"
#include "link_message.hpp"
#include "shm_inbound.hpp"
#include "shm_outbound.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace copse::fabric {
namespace {

class ShmTransport : public Transport, public DirectWays {
public:
  explicit ShmTransport(Reactor &reactor) : reactor_(reactor) {}
  // NOLINTNEXTLINE(bugprone-exception-escape): to cancel a timer does not fail
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
    inbound_->watch({
        .onMessage =
            [this](wire::Result<LinkMessage> &&message) {
              deliver(std::move(message), "", handlers_);
            },
        .onDirect = handlers_.onDirect,
        .onBad = handlers_.onBad,
    });
    attendance_.emplace(
        reactor_, *bell_, [this] { return hasSomething(); }, [this] { (void)handOver({}); });
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
    if (ways_.size() <= ipu.value)
      ways_.resize(ipu.value + 1);
    ways_[ipu.value] = std::move(*way);
    return wire::Status::success();
  }

  void disconnectAll() override {
    for (const auto &way : ways_)
      if (way)
        way->close();
    ways_.clear();
  }

  Handover send(wire::IpuId neighbour, const wire::Envelope &envelope, const Payload &payload,
                bool urgent) override {
    ShmOutbound *const way = wayTo(neighbour);
    return way == nullptr ? Handover::Unreachable
                          : fate(way->send(envelope, payload, urgent), *way);
  }

  std::optional<Payload> payloadTo(wire::IpuId neighbour, std::size_t bytes) override {
    ShmOutbound *const way = wayTo(neighbour);
    if (way == nullptr)
      return Payload(bytes);
    auto payload = way->reserve(bytes);
    noteIfFull(*way);
    return payload;
  }

  DirectWays *direct() override { return this; }

  // DirectWays

  Handover send(const DirectPacket &packet) override {
    ShmOutbound *const way = wayTo(packet.to);
    return way == nullptr ? Handover::Unreachable : fate(way->send(packet), *way);
  }
  std::uint64_t untaken(wire::IpuId neighbour) const override {
    const ShmOutbound *const way = wayTo(neighbour);
    return way == nullptr ? 0 : way->untaken();
  }
  void offerAgain() override { attendance_->look(); }
  std::uint64_t interrupts() const override { return attendance_->interrupts(); }
  void interrupt() override { attendance_->interrupt(); }
  bool poll(const TakePacket &mine) override {
    attendance_->passBy();
    return handOver(mine);
  }
  void passBy() override { attendance_->passBy(); }
  void await(std::uint64_t seen, Clock::time_point deadline) override {
    attendance_->visit(seen, deadline);
  }

private:
  /// Messages that have come, and news of ways that take messages again.
  bool handOver(const TakePacket &mine) {
    const bool came = inbound_->poll(mine);
    return (full_ && resumeAll()) || came;
  }
  bool resumeAll() {
    bool any = false;
    full_ = false; // who is refused from now on sets it again
    for (std::uint32_t ipu = 0; ipu < ways_.size(); ++ipu) {
      ShmOutbound *const way = ways_[ipu].get();
      if (way == nullptr)
        continue;
      if (way->resume()) {
        handlers_.onWritable({ipu});
        any = true;
      }
      noteIfFull(*way);
    }
    return any;
  }
  bool hasSomething() {
    return inbound_->hasMessages() ||
           (full_ && std::any_of(ways_.begin(), ways_.end(),
                                 [](const auto &way) { return way && way->mayResume(); }));
  }
  /// Null: there is none.
  ShmOutbound *wayTo(wire::IpuId neighbour) const {
    return neighbour.value < ways_.size() ? ways_[neighbour.value].get() : nullptr;
  }
  Handover fate(Sent sent, const ShmOutbound &way) {
    noteIfFull(way);
    return handoverOf(sent, Handover::Kept);
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
  std::vector<std::shared_ptr<ShmOutbound>> ways_; ///< by IPU; null: there is none
  std::atomic<bool> full_{false}; ///< one of these may be; most looks need not ask each of them
};

} // namespace

std::unique_ptr<Transport> makeShmTransport(Reactor &reactor) {
  return std::make_unique<ShmTransport>(reactor);
}

} // namespace copse::fabric
