#include "log.hpp"

#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>

namespace copse::ipud {

std::shared_ptr<spdlog::logger> makeLogger(const std::string &name) {
  auto log =
      std::make_shared<spdlog::logger>(name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
  log->set_pattern("%H:%M:%S.%e %n %l: %v");
  const char *given =
      std::getenv("COPSE_LOG_LEVEL"); // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  const std::string level = given != nullptr ? given : "warn";
  log->set_level(spdlog::level::from_str(level));
  if (log->level() == spdlog::level::off && level != "off") { // what spdlog takes unknown names for
    log->set_level(spdlog::level::warn);
    log->warn("COPSE_LOG_LEVEL is '{}'; set it to trace, debug, info, warn, error or off", level);
  }
  return log;
}

} // namespace copse::ipud
