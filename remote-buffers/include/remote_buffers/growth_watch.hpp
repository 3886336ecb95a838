#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace copse::remote_buffers {

/// Says once when rows that were written in memory are more than a limit.
///
/// Thread: any.
class GrowthWatch {
public:
  /// \param limit     [bytes]
  /// \param onBeyond  called on the thread that writes
  GrowthWatch(std::uint64_t limit, std::function<void()> onBeyond)
      : limit_(limit), onBeyond_(std::move(onBeyond)) {}

  void grew(std::uint64_t bytes) {
    if (written_.fetch_add(bytes) + bytes > limit_ && !said_.exchange(true))
      onBeyond_();
  }

private:
  std::uint64_t limit_;
  std::function<void()> onBeyond_;
  std::atomic<std::uint64_t> written_{0};
  std::atomic<bool> said_{false};
};

} // namespace copse::remote_buffers
