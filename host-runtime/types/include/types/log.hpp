#pragma once

#include <spdlog/logger.h>

#include <cstdint>
#include <string>

namespace copse::types {

/// The source of a log message. The names are those in POPLAR_<MODULE>_LOG_LEVEL.
enum class LogModule : std::uint8_t { Codelets, Engine, Graph, Profiler, Program, Target, Tensor };

/// Returns the module's logger. Lines begin with "PO:<MODULE>" and go to POPLAR_LOG_DEST: stdout,
/// stderr (the default) or a file. Messages below POPLAR_<MODULE>_LOG_LEVEL, else POPLAR_LOG_LEVEL,
/// cost nothing; both default to OFF. The environment is read once. Source: guide, 9.1.
///
/// Thread: any.
spdlog::logger &logOf(LogModule module);

/// Warns that something was accepted but has no or another effect: in the engine's log if that
/// shows warnings, else on stderr. Warns once per process for each \p message.
void warnOnce(const std::string &message);

} // namespace copse::types
