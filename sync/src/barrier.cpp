#include "sync/barrier.hpp"

#include "group_memory.hpp"
#include "sync_port.hpp"

#include "wire/ipu_names.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace copse::sync {
namespace {

using Clock = SyncPort::Impl::Clock;

// A member without an answer sends its arrival again after this time: the message, or the answer,
// may have been lost.
constexpr std::chrono::milliseconds kRepeatInterval{500};

// A member that waits in shared memory polls its socket at this interval. Messages to its other
// groups, and messages from peers without the memory, are not announced in the memory.
constexpr std::chrono::milliseconds kLookInterval{50};

// The coordinator offers the shared memory in the messages of this many sync points. Peers that
// have not accepted by then cannot use it.
constexpr std::uint64_t kOffers = 8;

} // namespace

class Barrier::Impl {
public:
  Impl(SyncPort::Impl &port, wire::SyncGroup group, std::vector<wire::IpuId> members,
       wire::Cycles latency, std::chrono::milliseconds timeout, BarrierNames names)
      : port_(port), group_(group), members_(std::move(members)), latency_(latency),
        timeout_(timeout), coordinator_(members_.front()), names_(std::move(names)) {
    assert(std::is_sorted(members_.begin(), members_.end()) && isMember(port_.self()));
    port_.enlist(
        group_,
        [this](const wire::Envelope &envelope, fabric::Descriptor attached) {
          handle(envelope, std::move(attached));
        },
        [this] { reset(); });
    opened_ = openConnections();
    reset();
  }
  ~Impl() { port_.dismiss(group_); }
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  void arrive(wire::Cycles now, std::uint32_t step) {
    own_ = {now, step};
    // No member may leave on the arrival of an IPU that has been stopped.
    if (wire::Status stopped = port_.stopped(); !stopped.ok())
      fail(stopped);
    else if (meetsInMemory_ = memory_ && memory_->isUsedFor(sequence_); meetsInMemory_)
      arriveInMemory();
    else if (coordinates())
      leaveIfComplete();
    else if (failure_.ok())
      sayArrived();
  }

  std::uint64_t passed() const { return sequence_; }

  wire::Result<wire::Cycles> wait(const std::function<void()> &onLate) {
    assert(own_ || left_);
    if (leavesSoon())
      return leave();
    const auto start = Clock::now();
    auto repeatAt = start + kRepeatInterval;
    auto lateAt = onLate ? start + kLate : Clock::time_point::max();
    // When the coordinator times out, it tells the other members which ones are missing. The others
    // wait a little longer, so that they get that message instead of timing out themselves.
    const auto deadline =
        start + timeout_ + (coordinates() ? std::chrono::milliseconds::zero() : grace());
    for (;;) {
      const std::uint32_t events = meetsInMemory_ ? memory_->events() : 0;
      if (wire::Status stopped = port_.stopped(); !stopped.ok()) {
        fail(stopped);
        return failure_;
      }
      lookIntoMemory();
      // A sync point that all members have left counts even if a member has failed since: that
      // member may already be past it.
      if (left_)
        return leave();
      if (!failure_.ok())
        return failure_;
      const auto now = Clock::now();
      if (now >= deadline) {
        fail(timeoutStatus());
        continue;
      }
      if (now >= lateAt) {
        onLate();
        lateAt = Clock::time_point::max();
      }
      if (!coordinates() && now >= repeatAt) {
        sayArrived();
        repeatAt = now + kRepeatInterval;
      }
      awaitNews(events, std::min({deadline, lateAt, coordinates() ? deadline : repeatAt}));
    }
  }

  void fail(const wire::Status &status) {
    assert(!status.ok());
    if (!failure_.ok())
      return;
    failure_ = status;
    if (coordinates())
      sayLeave({}, status);
    else
      send(coordinator_, wire::SyncArrive{group_, {}, status});
  }

private:
  using Arrival = GroupMemory::Arrival;

  bool coordinates() const { return port_.self() == coordinator_; }
  bool isMember(wire::IpuId ipu) const {
    return std::binary_search(members_.begin(), members_.end(), ipu);
  }
  std::chrono::milliseconds grace() const { return timeout_ / 8 + std::chrono::milliseconds(250); }

  wire::Status openConnections() {
    for (const wire::IpuId member : members_)
      if (member != port_.self() && (coordinates() || member == coordinator_))
        if (wire::Status status = port_.open(member); !status.ok())
          return status;
    return wire::Status::success();
  }

  void reset() {
    port_.meetsIn(group_, nullptr);
    memory_.reset();
    meetsInMemory_ = false;
    sequence_ = 0;
    arrivals_.clear();
    own_.reset();
    left_ = false;
    failure_ = opened_;
  }

  wire::Cycles leave() {
    left_ = false;
    return leaveTime_;
  }

  void send(wire::IpuId to, decltype(wire::Envelope::body) body,
            std::shared_ptr<const fabric::SharedMemory> attached = {}) {
    wire::Envelope envelope;
    envelope.sequence = sequence_;
    envelope.body = std::move(body);
    port_.send(to, std::move(envelope), std::move(attached));
    if (memory_)
      memory_->announceMessage(placeOf(to));
  }

  void sayArrived() {
    send(coordinator_, wire::SyncArrive{group_, own_->time, wire::Status::success(), own_->step});
  }

  void sayLeave(wire::Cycles time, const wire::Status &failure) {
    for (const wire::IpuId member : members_)
      if (member != port_.self())
        send(member, wire::SyncLeave{group_, time, failure}, memoryFor(member));
  }

  // Meeting in shared memory

  std::size_t placeOf(wire::IpuId member) const {
    return static_cast<std::size_t>(std::lower_bound(members_.begin(), members_.end(), member) -
                                    members_.begin());
  }

  void use(std::shared_ptr<GroupMemory> memory) {
    memory_ = std::move(memory);
    memory_->takePlace(placeOf(port_.self()));
    announced_ = memory_->announced(placeOf(port_.self()));
    port_.meetsIn(group_, memory_);
  }

  /// Prepares the memory. The coordinator calls this before it announces the end of sync point
  /// sequence_. If the memory cannot be had, sync points by message are slower but correct.
  void prepareMemory() {
    if (!port_.carriesMemory() || members_.size() > GroupMemory::kMostMembers ||
        sequence_ > kOffers)
      return;
    if (!memory_) {
      if (auto memory = GroupMemory::create(members_.size()))
        use(std::move(*memory));
    } else if (memory_->allHavePlaces()) {
      memory_->begin(sequence_ + 1);
    }
  }

  /// Returns the memory to attach to the message that tells \p member the end of a sync point.
  std::shared_ptr<const fabric::SharedMemory> memoryFor(wire::IpuId member) const {
    if (!memory_ || memory_->hasPlace(placeOf(member)))
      return {};
    return {memory_, &memory_->memory()};
  }

  void takeMemory(fabric::Descriptor descriptor) {
    if (memory_ || members_.size() > GroupMemory::kMostMembers)
      return;
    if (auto memory = GroupMemory::adopt(std::move(descriptor), members_.size()))
      use(std::move(*memory));
  }

  void arriveInMemory() {
    if (!failure_.ok())
      return;
    const wire::Status status = memory_->arrive(placeOf(port_.self()), sequence_, *own_, latency_);
    if (!status.ok())
      fail(status);
    saidSteps_ = false;
  }

  /// Returns true if the sync point ended within a short spin, as most do in shared memory; the
  /// rest of a wait is then unnecessary.
  bool leavesSoon() {
    if (!meetsInMemory_)
      return false;
    const std::uint32_t events = memory_->events();
    lookIntoMemory();
    if (!left_ && failure_.ok() && memory_->spinForEvent(events))
      lookIntoMemory();
    return left_;
  }

  /// Finishes the wait if the memory says that the sync point is over or has failed.
  void lookIntoMemory() {
    if (!meetsInMemory_ || left_ || !failure_.ok())
      return;
    const auto time = memory_->left(sequence_);
    if (!time)
      return fail(time.status());
    if (*time)
      return finish(**time);
    if (memory_->stepsDiffer(sequence_) && !coordinates() && !std::exchange(saidSteps_, true))
      sayArrived();
  }

  void awaitNews(std::uint32_t events, Clock::time_point until) {
    if (!meetsInMemory_)
      return port_.poll(until);
    const std::uint32_t announced = memory_->announced(placeOf(port_.self()));
    const auto now = Clock::now();
    if (announced != std::exchange(announced_, announced) || now >= lookAt_) {
      lookAt_ = now + kLookInterval;
      return port_.answer();
    }
    memory_->awaitEvent(events, std::min(until, lookAt_));
  }

  void handle(const wire::Envelope &envelope, fabric::Descriptor attached) {
    if (!isMember(envelope.from))
      return;
    if (const auto *arrive = std::get_if<wire::SyncArrive>(&envelope.body)) {
      if (coordinates())
        handleArrive(envelope, *arrive);
    } else if (const auto *leave = std::get_if<wire::SyncLeave>(&envelope.body)) {
      if (envelope.from != coordinator_)
        return;
      if (attached)
        takeMemory(std::move(attached));
      handleLeave(envelope.sequence, *leave);
    }
  }

  void handleArrive(const wire::Envelope &envelope, const wire::SyncArrive &arrive) {
    // The member may not have received the failure yet.
    if (!failure_.ok()) {
      send(envelope.from, wire::SyncLeave{group_, {}, failure_});
    } else if (!arrive.failure.ok()) {
      fail(saidBy(envelope.from, arrive.failure));
    } else if (envelope.sequence == sequence_) {
      arrivals_[envelope.from] = {arrive.time, arrive.step};
      leaveIfComplete();
      // The member missed the end of the previous sync point.
    } else if (envelope.sequence + 1 == sequence_) {
      wire::Envelope again;
      again.sequence = envelope.sequence;
      again.body = wire::SyncLeave{group_, leaveTime_, wire::Status::success()};
      port_.send(envelope.from, std::move(again));
    }
  }

  void handleLeave(std::uint64_t sequence, const wire::SyncLeave &leave) {
    if (!leave.failure.ok()) {
      if (failure_.ok())
        failure_ = saidBy(coordinator_, leave.failure);
    } else if (own_ && sequence == sequence_) {
      finish(leave.time);
    }
  }

  void leaveIfComplete() {
    if (!failure_.ok() || !own_ || arrivals_.size() + 1 < members_.size())
      return;
    wire::Cycles latest = own_->time;
    for (const auto &[member, arrival] : arrivals_) {
      if (arrival.step != own_->step)
        return fail(divergedStatus(member));
      latest = std::max(latest, arrival.time);
    }
    if (!meetsInMemory_)
      prepareMemory();
    sayLeave(latest + latency_, wire::Status::success());
    finish(latest + latency_);
  }

  void finish(wire::Cycles time) {
    leaveTime_ = time;
    left_ = true;
    ++sequence_;
    arrivals_.clear();
    own_.reset();
  }

  /// Returns \p failure as reported by \p member. A failure that names no IPU is the member's own;
  /// naming it here keeps members that pass the failure on from being blamed.
  wire::Status saidBy(wire::IpuId member, wire::Status failure) const {
    if (!wire::namesAnIpu(failure.message))
      failure.message = nameOf(member) + ": " + failure.message;
    return failure;
  }

  std::string nameOf(wire::IpuId member) const {
    return names_.member ? names_.member(member) : wire::nameOf(member);
  }
  std::string nameOf(const Arrival &arrival) const {
    return names_.step ? names_.step(arrival.step) : "step " + std::to_string(arrival.step);
  }

  wire::Status divergedStatus(wire::IpuId other) const {
    return {wire::Code::VertexFault,
            nameOf(port_.self()) + " waits at " + nameOf(*own_) + ", but " + nameOf(other) +
                " at " + nameOf(arrivals_.at(other)) +
                ": replicas may go different ways only where they do not communicate"};
  }

  bool hasArrived(wire::IpuId member) const {
    return member == port_.self() || arrivals_.contains(member) ||
           (meetsInMemory_ && memory_->hasArrived(placeOf(member), sequence_));
  }

  wire::Status timeoutStatus() const {
    std::string missing;
    for (const wire::IpuId member : members_)
      if (coordinates() ? !hasArrived(member) : member == coordinator_)
        missing += (missing.empty() ? "" : ", ") + nameOf(member);
    const std::string who = coordinates()
                                ? missing + " did not come to sync point "
                                : missing + ", which coordinates, did not answer at sync point ";
    return {wire::Code::Timeout, std::string("sync group ") + wire::nameOf(group_) + ": " + who +
                                     std::to_string(sequence_) + " within " +
                                     std::to_string(timeout_.count()) +
                                     " ms; see whether its ipud still runs, then reset"};
  }

  SyncPort::Impl &port_;
  const wire::SyncGroup group_;
  const std::vector<wire::IpuId> members_;
  const wire::Cycles latency_;
  const std::chrono::milliseconds timeout_;
  const wire::IpuId coordinator_;
  const BarrierNames names_;
  wire::Status opened_; // result of opening the channels to the members

  std::uint64_t sequence_ = 0;              // number of the current sync point, or of the next one
  std::optional<Arrival> own_;              // from arrive() until the sync point is over
  std::map<wire::IpuId, Arrival> arrivals_; // arrivals of the other members, on the coordinator
  bool left_ = false;                       // the sync point before sequence_ is over
  wire::Cycles leaveTime_;                  // leave time of the sync point before sequence_
  wire::Status failure_;                    // stays until reset()

  std::shared_ptr<GroupMemory> memory_; // once the coordinator has offered it
  bool meetsInMemory_ = false;          // the current sync point is met in memory_
  // The coordinator has been told this member's step, because steps differ.
  bool saidSteps_ = false;
  std::uint32_t announced_ = 0; // announcements whose messages have been received
  Clock::time_point lookAt_{};  // next poll for messages that are not announced
};

Barrier::Barrier(SyncPort &port, wire::SyncGroup group, std::vector<wire::IpuId> members,
                 wire::Cycles latency, std::chrono::milliseconds timeout, BarrierNames names)
    : impl_(std::make_unique<Impl>(*port.impl_, group, std::move(members), latency, timeout,
                                   std::move(names))) {}
Barrier::~Barrier() = default;

void Barrier::arrive(wire::Cycles now, std::uint32_t step) { impl_->arrive(now, step); }
std::uint64_t Barrier::passed() const { return impl_->passed(); }
wire::Result<wire::Cycles> Barrier::wait(const std::function<void()> &onLate) {
  return impl_->wait(onLate);
}
void Barrier::fail(const wire::Status &status) { impl_->fail(status); }

} // namespace copse::sync
