#include "host_mailbox.hpp"

#include <algorithm>
#include <utility>

namespace copse::ipud {

using wire::Status;

void HostMailbox::clear() {
  const locks::Lock lock(mutex_);
  rows_.clear();
  answers_.clear();
  underway_ = 0;
}

void HostMailbox::beginRun() {
  const locks::Lock lock(mutex_);
  answers_.clear();
  underway_ = 0;
  whyStopped_ = {};
  stopped_ = false;
}

void HostMailbox::stop(Status why) {
  {
    const locks::Lock lock(mutex_);
    if (stopped_)
      return;
    whyStopped_ = std::move(why);
    stopped_ = true;
  }
  reactor_.wake();
}

Status HostMailbox::whyStopped() const {
  const locks::Lock lock(mutex_);
  return whyStopped_;
}

void HostMailbox::putRow(std::uint32_t stream, Row row) {
  const locks::Lock lock(mutex_);
  rows_[stream].push_back(std::move(row));
}

void HostMailbox::dropRows(std::uint32_t stream) {
  const locks::Lock lock(mutex_);
  rows_.erase(stream);
}

std::optional<HostMailbox::Row> HostMailbox::takeRow(std::uint32_t stream, std::uint64_t sequence,
                                                     Clock::time_point deadline) {
  std::optional<Row> row;
  waitFor(
      [&]() COPSE_REQUIRES(mutex_) {
        row = takeRowLocked(stream, sequence);
        return row.has_value();
      },
      deadline);
  return row;
}

wire::Result<HostMailbox::Row> HostMailbox::awaitRow(std::uint32_t stream, std::uint64_t sequence) {
  auto row = takeRow(stream, sequence, Clock::time_point::max());
  if (!row)
    return whyNot();
  return std::move(*row);
}

void HostMailbox::putAnswer(std::uint64_t request, Status status, fabric::Payload payload) {
  const locks::Lock lock(mutex_);
  answers_.insert_or_assign(request, Answer{std::move(status), std::move(payload)});
}

wire::Result<fabric::Payload> HostMailbox::awaitAnswer(std::uint64_t request) {
  std::map<std::uint64_t, Answer>::node_type answer;
  const auto came = [&]() COPSE_REQUIRES(mutex_) {
    answer = answers_.extract(request);
    return !answer.empty();
  };
  if (!waitFor(came))
    return whyNot();
  if (!answer.mapped().status.ok())
    return std::move(answer.mapped().status);
  return std::move(answer.mapped().payload);
}

Status HostMailbox::awaitCredit(std::uint32_t window) {
  return waitFor([&]() COPSE_REQUIRES(mutex_) { return takeCreditLocked(window); })
             ? Status::success()
             : whyNot();
}

bool HostMailbox::takeCredit(std::uint32_t window) {
  return waitFor([&]() COPSE_REQUIRES(mutex_) { return takeCreditLocked(window); },
                 Clock::time_point::min());
}

void HostMailbox::returnCredits(std::uint32_t rows) {
  const locks::Lock lock(mutex_);
  underway_ -= std::min(rows, underway_);
}

void HostMailbox::awaitAllTaken() {
  waitFor([&]() COPSE_REQUIRES(mutex_) { return underway_ == 0; });
}

/// \param condition  called with mutex_ held, until it returns true
/// \returns true if the condition held before stop(), the deadline, and the end of the reactor
template <class Condition>
bool HostMailbox::waitFor(const Condition &condition, Clock::time_point deadline) {
  bool holds = false;
  reactor_.workUntil(deadline, [&] {
    const locks::Lock lock(mutex_);
    if (!stopped_)
      holds = condition();
    return stopped_ || holds;
  });
  return holds;
}

Status HostMailbox::whyNot() const {
  const locks::Lock lock(mutex_);
  return stopped_ ? whyStopped_ : Status{wire::Code::Cancelled, "the ipud ends"};
}

bool HostMailbox::takeCreditLocked(std::uint32_t window) {
  if (underway_ >= window)
    return false;
  ++underway_;
  return true;
}

std::optional<HostMailbox::Row> HostMailbox::takeRowLocked(std::uint32_t stream,
                                                           std::uint64_t sequence) {
  const auto found = rows_.find(stream);
  if (found == rows_.end())
    return {};
  auto &queue = found->second;
  while (!queue.empty() && queue.front().sequence < sequence)
    queue.pop_front();
  if (queue.empty() || queue.front().sequence != sequence)
    return {};
  Row row = std::move(queue.front());
  queue.pop_front();
  return row;
}

} // namespace copse::ipud
