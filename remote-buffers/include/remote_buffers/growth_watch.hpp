#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace copse::remote_buffers {

/// Calls a function once when the rows written in memory exceed a limit.
///
/// Thread: any.
class GrowthWatch {
public:
  /// \param limit     [bytes]
  /// called on the writing thread
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
