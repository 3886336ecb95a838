#pragma once

#include "locks/mutex.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace copse::fabric {

/// A daemon refuses unauthenticated connections at several ports. Refusals counts them all in one
/// place, and logs them without letting a flood fill the log: at most one line in kLogInterval,
/// with the total.
///
/// Thread: any.
class Refusals {
public:
  static constexpr std::chrono::seconds kLogInterval{5};
  using Log = std::function<void(const std::string &line)>;

  /// \param log  receives the lines; empty: the process's own log
  explicit Refusals(Log log = {}) : log_(std::move(log)) {}
  Refusals(const Refusals &) = delete;
  Refusals &operator=(const Refusals &) = delete;

  /// \param from  address of the other end
  /// \param why   what the connection did wrong, as part of a sentence
  void count(const std::string &from, const std::string &why);
  std::uint64_t total() const { return total_; }

private:
  using Clock = std::chrono::steady_clock;
  Log log_;
  std::atomic<std::uint64_t> total_{0};
  locks::Mutex mutex_;
  Clock::time_point nextLine_ COPSE_GUARDED_BY(mutex_);
};

} // namespace copse::fabric
