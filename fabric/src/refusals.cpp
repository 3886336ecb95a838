#include "fabric/refusals.hpp"

#include <spdlog/spdlog.h>

namespace copse::fabric {

void Refusals::count(const std::string &from, const std::string &why) {
  const std::uint64_t total = ++total_;
  const auto now = Clock::now();
  {
    const locks::Lock lock(mutex_);
    if (now < nextLine_)
      return;
    nextLine_ = now + kLogInterval;
  }
  spdlog::warn("refused {} connections so far, the last one from {}: {}", total, from, why);
}

} // namespace copse::fabric
