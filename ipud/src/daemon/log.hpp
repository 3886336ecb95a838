#pragma once

#include <spdlog/logger.h>

#include <cstdint>
#include <memory>
#include <string>

namespace copse::ipud {

/// A log to stderr of whoever \p name is ("ipu 3"). The level comes from $COPSE_LOG_LEVEL: trace,
/// debug, info, warn (the default), error, critical or off. $COPSE_LOG_FORMAT says how a line
/// looks: text (the default), which begins with time, name and level; or json, one object with
/// time, level, name, message and, while a control program of logAs()'s IPU runs, step: that of its
/// last sync point.
std::shared_ptr<spdlog::logger> makeLogger(const std::string &name);

/// Such a log for what fabric and sync say of this process, whose only IPU is \p name. Standard
/// output is for the ready line.
void logAs(const std::string &name);

/// The control program of this process's only IPU is at \p step; -1: none runs. Any thread; nothing
/// if logAs() was not called.
void noteStepForLog(std::int64_t step);

} // namespace copse::ipud
