#include "attendance.hpp"

#include <algorithm>
#include <utility>

namespace copse::fabric {

namespace {

// Looks of a visitor before it says that it is there. As a rule what it waits for comes meanwhile, and the bell's memory stays in the caches
// of those who would ring.
constexpr unsigned kGlance = 32;

} // namespace

Attendance::Attendance(Reactor &reactor, Doorbell &bell, std::function<bool()> something,
                       std::function<void()> poll)
    : reactor_(reactor), bell_(bell), something_(std::move(something)), poll_(std::move(poll)),
      event_(reactor.io(), bell.event()), patience_(reactor.io()) {}

Attendance::~Attendance() { event_.release(); }

void Attendance::watch() {
  awaitBell();
  workAndWatch();
}

void Attendance::interrupt() {
  ++interrupts_;
  if (visited_)
    bell_.ring();
}

void Attendance::visit(std::uint64_t seen, Clock::time_point deadline) {
  const auto come = [&] { return interrupts_ != seen || something_(); };
  if (patient_ && looksAndSees(come, kGlance))
    return passBy();
  {
    const locks::Lock lock(mutex_);
    visited_.store(true, std::memory_order_relaxed); // attend() is a fence
    bell_.attend();
  }
  if (!spinning_.until(come, deadline)) {
    bell_.announceSleep();
    if (!come())
      bell_.sleepUntil(deadline);
  }
  leave();
}

void Attendance::leave() {
  {
    const locks::Lock lock(mutex_);
    visited_.store(false, std::memory_order_relaxed);
    bell_.announceReturn();
  }
  passBy();
  // Messages that came during the visit rang no bell, and the visitor may have got the one it waited for. The others must
  // not wait for its return: a packet that is to go on to another node would hold up all that wait for it.
  look();
}

void Attendance::look() {
  poll_();
  if (something_()) // a turn of poll() is limited
    bell_.ring();
}

void Attendance::becomePatient() {
  {
    const locks::Lock lock(mutex_);
    if (patient_.exchange(true))
      return;
    if (!visited_)
      bell_.announceReturn();
  }
  reactor_.post([this, present = std::weak_ptr(present_)] {
    if (!present.expired())
      expectVisitor();
  });
}

void Attendance::expectVisitor() {
  visitsSeen_ = visits_;
  patience_.expires_after(patienceTime_);
  patience_.async_wait([this, present = std::weak_ptr(present_)](const asio::error_code &error) {
    if (!error && !present.expired())
      patienceEnds();
  });
}

void Attendance::patienceEnds() {
  if (visits_ != visitsSeen_) {
    patienceTime_ = std::min(2 * patienceTime_, kMostPatience);
    return expectVisitor();
  }
  patienceTime_ = kPatience;
  patient_ = false;
  if (visits_ != visitsSeen_ && !patient_.exchange(true)) // it has come back this very moment
    return expectVisitor();
  workAndWatch();
}

void Attendance::awaitBell() {
  event_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [this, present = std::weak_ptr(present_)](const asio::error_code &error) {
                      if (error || present.expired())
                        return;
                      bell_.silence();
                      workAndWatch();
                      awaitBell();
                    });
}

void Attendance::workAndWatch() {
  do
    poll_();
  while (watchAgain() && something_());
}

/// \returns false if a visitor looks
bool Attendance::watchAgain() {
  const locks::Lock lock(mutex_);
  if (visited_)
    return false;
  if (patient_)
    bell_.announceReturn();
  else
    bell_.announceWatch();
  return true;
}

} // namespace copse::fabric
