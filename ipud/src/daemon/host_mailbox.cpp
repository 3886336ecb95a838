#include "host_mailbox.hpp"

#include <algorithm>
#include <utility>

namespace copse::ipud {

using wire::Status;

void HostMailbox::clear() {
  const std::lock_guard lock(mutex_);
  rows_.clear();
  answers_.clear();
  underway_ = 0;
}

void HostMailbox::beginRun() {
  const std::lock_guard lock(mutex_);
  answers_.clear();
  underway_ = 0;
  whyStopped_ = {};
  stopped_ = false;
}

void HostMailbox::stop(Status why) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_)
      return;
    whyStopped_ = std::move(why);
    stopped_ = true;
  }
  changed_.notify_all();
}

Status HostMailbox::whyStopped() const {
  const std::lock_guard lock(mutex_);
  return whyStopped_;
}

void HostMailbox::putRow(std::uint32_t stream, Row row) {
  {
    const std::lock_guard lock(mutex_);
    rows_[stream].push_back(std::move(row));
  }
  changed_.notify_all();
}

void HostMailbox::dropRows(std::uint32_t stream) {
  const std::lock_guard lock(mutex_);
  rows_.erase(stream);
}

std::optional<HostMailbox::Row> HostMailbox::takeRow(std::uint32_t stream, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  return takeRowLocked(stream, sequence);
}

wire::Result<HostMailbox::Row> HostMailbox::awaitRow(std::uint32_t stream, std::uint64_t sequence) {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (auto row = takeRowLocked(stream, sequence))
      return std::move(*row);
    changed_.wait(lock);
  }
  return whyStopped_;
}

void HostMailbox::putAnswer(std::uint64_t request, Status status, fabric::Payload payload) {
  {
    const std::lock_guard lock(mutex_);
    answers_.insert_or_assign(request, Answer{std::move(status), std::move(payload)});
  }
  changed_.notify_all();
}

wire::Result<fabric::Payload> HostMailbox::awaitAnswer(std::uint64_t request) {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (auto node = answers_.extract(request)) {
      if (!node.mapped().status.ok())
        return std::move(node.mapped().status);
      return std::move(node.mapped().payload);
    }
    changed_.wait(lock);
  }
  return whyStopped_;
}

Status HostMailbox::awaitCredit(std::uint32_t window) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || underway_ < window; });
  if (stopped_)
    return whyStopped_;
  ++underway_;
  return Status::success();
}

bool HostMailbox::takeCredit(std::uint32_t window) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || underway_ >= window)
    return false;
  ++underway_;
  return true;
}

void HostMailbox::returnCredits(std::uint32_t rows) {
  {
    const std::lock_guard lock(mutex_);
    underway_ -= std::min(rows, underway_);
  }
  changed_.notify_all();
}

void HostMailbox::awaitAllTaken() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || underway_ == 0; });
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
