#pragma once

#include <spdlog/logger.h>

#include <cstdint>
#include <memory>
#include <string>

namespace copse::ipud {

/// Returns a logger to stderr under \p name, for example "ipu 3". $COPSE_LOG_LEVEL sets the level:
/// trace, debug, info, warn (the default), error, critical or off. $COPSE_LOG_FORMAT sets the
/// format: text (the default), whose lines begin with time, name and level; or json, with one
/// object per line that has time, level, name, message and, while the control program of logAs()'s
/// IPU runs, the step of its last sync point.
std::shared_ptr<spdlog::logger> makeLogger(const std::string &name);

/// Installs such a logger for messages of fabric and sync in a process with the single IPU \p name.
/// The log goes to standard error, because standard output is reserved for the ready line.
void logAs(const std::string &name);

/// Sets the step of the control program of this process's only IPU; -1: none runs. Any thread; does
/// nothing unless logAs() was called.
void noteStepForLog(std::int64_t step);

} // namespace copse::ipud
