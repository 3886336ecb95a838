#pragma once

#include <spdlog/logger.h>

#include <memory>
#include <string>

namespace copse::ipud {

/// A log to stderr whose lines begin with \p name ("ipu 3"). The level comes from $COPSE_LOG_LEVEL:
/// trace, debug, info, warn (the default), error, critical or off.
std::shared_ptr<spdlog::logger> makeLogger(const std::string &name);

} // namespace copse::ipud
