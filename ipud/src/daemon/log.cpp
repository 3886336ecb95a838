#include "log.hpp"

#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>

namespace copse::ipud {

std::shared_ptr<spdlog::logger> makeLogger(const std::string &name) {
  auto log =
      std::make_shared<spdlog::logger>(name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
  log->set_pattern("%H:%M:%S.%e %n %l: %v");
  const char *level =
      std::getenv("COPSE_LOG_LEVEL"); // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  log->set_level(level != nullptr ? spdlog::level::from_str(level) : spdlog::level::warn);
  return log;
}

} // namespace copse::ipud
