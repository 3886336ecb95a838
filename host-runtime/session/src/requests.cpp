#include "requests.hpp"

#include "wire/ipu_names.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;

// Ranks failures by their distance from the cause: a higher one is more likely to be a consequence
// of another failure.
int distance(const Status &status) {
  switch (status.code) {
  case Code::Cancelled:
    return 2;
  case Code::Timeout:
  case Code::Disconnected:
    return 1;
  default:
    return 0;
  }
}

/// Returns true if the failure names another IPU, for which this one has waited in vain.
bool isOfAnother(const Status &status) {
  return (status.code == Code::Timeout || status.code == Code::Disconnected) &&
         wire::namesAnIpu(status.message);
}

} // namespace

Status Requests::naming(std::uint32_t ipu, Status status) const {
  if (!isOfAnother(status) && !wire::namesIpu(status.message, {firstIpu_ + ipu}))
    status.message = "ipu " + std::to_string(firstIpu_ + ipu) + ": " + status.message;
  return status;
}

/// Renumbers the IPU in an error. A session uses the number on this host program's device; errors
/// use the number over all host programs.
Status Requests::renumbered(std::uint32_t ipu, Status lost) const {
  const std::string before = "ipu " + std::to_string(ipu) + " ";
  if (lost.message.starts_with(before))
    lost.message.replace(0, before.size(), "ipu " + std::to_string(firstIpu_ + ipu) + " ");
  return lost;
}

Status Requests::ask(std::vector<Order> orders, std::chrono::milliseconds timeout,
                     const std::function<void()> &onAnswer) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  send(std::move(orders));
  while (pending() > 0) {
    if (onAnswer)
      onAnswer();
    if (!step(deadline))
      loseAllPending({Code::Timeout, "no answer within " + std::to_string(timeout.count()) +
                                         " ms; load the program again to replace it"});
  }
  return verdict();
}

void Requests::send(std::vector<Order> orders) {
  waiting_.clear();
  answers_.clear();
  ipus_.clear();
  failures_.clear();
  answers_.resize(orders.size());
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const std::uint32_t ipu = orders[i].ipu;
    ipus_.push_back(ipu);
    if (const auto found = lost_.find(ipu); found != lost_.end()) {
      answers_[i].status = found->second;
      failures_.push_back(i);
      continue;
    }
    waiting_.emplace(nextRequest_, i);
    hub_.send(ipu,
              {{nextRequest_++, {}, std::move(orders[i].body)}, std::move(orders[i].payloads)});
  }
}

bool Requests::step(std::chrono::steady_clock::time_point deadline, const OnOther &onOther,
                    const OnFailure &onFailure, bool heedsNudges) {
  auto event = hub_.next(deadline, heedsNudges);
  if (!event)
    return false;
  if (!event->message) {
    lose(event->ipu, renumbered(event->ipu, event->lost), onFailure);
    return true;
  }
  const auto found = event->message->header.request != 0
                         ? waiting_.find(event->message->header.request)
                         : waiting_.end();
  if (found == waiting_.end() || ipus_[found->second] != event->ipu) {
    if (onOther)
      onOther(event->ipu, std::move(*event->message));
    return true;
  }
  const std::size_t index = found->second;
  waiting_.erase(found);
  answers_[index].message = std::move(*event->message);
  if (const auto *fault = std::get_if<message::Fault>(&answers_[index].message.header.body)) {
    answers_[index].status = naming(event->ipu, fault->status);
    failures_.push_back(index);
    if (onFailure)
      onFailure(event->ipu);
  }
  return true;
}

void Requests::loseAllPending(const Status &why) {
  while (!waiting_.empty())
    lose(ipus_[waiting_.begin()->second], naming(ipus_[waiting_.begin()->second], why), {});
}

bool Requests::answered(std::size_t answer) const {
  for (const auto &[request, index] : waiting_)
    if (index == answer)
      return false;
  return true;
}

void Requests::lose(std::uint32_t ipu, const Status &why, const OnFailure &onFailure) {
  if (lost_.emplace(ipu, why).second)
    lostInOrder_.push_back(ipu);
  std::erase_if(waiting_, [&](const auto &entry) {
    if (ipus_[entry.second] != ipu)
      return false;
    answers_[entry.second].status = why;
    failures_.push_back(entry.second);
    return true;
  });
  if (onFailure)
    onFailure(ipu);
}

void Requests::found(std::uint32_t ipu) {
  lost_.erase(ipu);
  std::erase(lostInOrder_, ipu);
}

Status Requests::verdict() const {
  for (const std::uint32_t ipu : lostInOrder_)
    if (std::find(ipus_.begin(), ipus_.end(), ipu) != ipus_.end())
      return lost_.at(ipu);
  const Status *worst = nullptr;
  for (const std::size_t index : failures_)
    if (worst == nullptr || distance(answers_[index].status) < distance(*worst))
      worst = &answers_[index].status;
  return worst != nullptr ? *worst : Status::success();
}

} // namespace copse::session
