#pragma once

#include <spdlog/logger.h>

#include <cstdint>
#include <string>

namespace copse::types {

/// Who says something. The names are those of POPLAR_<MODULE>_LOG_LEVEL.
enum class LogModule : std::uint8_t { Codelets, Engine, Graph, Profiler, Program, Target, Tensor };

/// The module's log. Lines begin with "PO:<MODULE>" and go where POPLAR_LOG_DEST says: stdout,
/// stderr (the default) or a file. What is below POPLAR_<MODULE>_LOG_LEVEL, else POPLAR_LOG_LEVEL,
/// costs nothing; both default to OFF. The environment is read once.  Source: guide, 9.1.
///
/// Thread: any.
spdlog::logger &logOf(LogModule module);

/// Tells the user of something that is accepted but does not do what it says: in the engine's log
/// if that shows warnings, else on stderr. Once per process for each \p message.
void warnOnce(const std::string &message);

} // namespace copse::types
