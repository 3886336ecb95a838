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
  const std::string line = "refused " + std::to_string(total) +
                           " connections so far, the last one from " + from + ": " + why;
  if (log_)
    log_(line);
  else
    spdlog::warn("{}", line);
}

} // namespace copse::fabric
