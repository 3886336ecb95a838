#include "types/log.hpp"

#include "log_modules.hpp"

#include "types/progress_line.hpp"
#include "wire/environment.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>

namespace copse::types {

namespace {

using Level = spdlog::level::level_enum;

/// Returns the level in an environment variable, or \p otherwise if it is not set.
Level levelFrom(const std::string &variable, Level otherwise) {
  constexpr std::array<std::pair<const char *, Level>, 6> kNamed{{{"OFF", Level::off},
                                                                  {"ERR", Level::err},
                                                                  {"WARN", Level::warn},
                                                                  {"INFO", Level::info},
                                                                  {"DEBUG", Level::debug},
                                                                  {"TRACE", Level::trace}}};
  const auto word = wire::wordOfEnvironment(variable.c_str(),
                                            {"OFF", "ERR", "WARN", "INFO", "DEBUG", "TRACE"}, "");
  if (!word)
    std::cerr << "warning: " << word.status().message << '\n';
  for (const auto &[name, level] : kNamed)
    if (word.ok() && *word == name)
      return level;
  return otherwise;
}

class StderrSink : public spdlog::sinks::stderr_sink_mt {
public:
  void log(const spdlog::details::log_msg &message) override {
    const TerminalText text;
    spdlog::sinks::stderr_sink_mt::log(message);
  }
};

spdlog::sink_ptr makeSink() {
  const std::string destination = wire::environmentVariable("POPLAR_LOG_DEST");
  if (destination == "stdout")
    return std::make_shared<spdlog::sinks::stdout_sink_mt>();
  if (!destination.empty() && destination != "stderr") {
    try {
      return std::make_shared<spdlog::sinks::basic_file_sink_mt>(destination, true);
    } catch (const spdlog::spdlog_ex &) {
      std::cerr << "warning: POPLAR_LOG_DEST: '" << destination
                << "' cannot be written; the log goes to stderr\n";
    }
  }
  return std::make_shared<StderrSink>();
}

class Logs {
public:
  Logs() {
    const Level all = levelFrom("POPLAR_LOG_LEVEL", Level::off);
    for (std::size_t i = 0; i < kLogModules.size(); ++i) {
      const std::string name(kLogModules[i]);
      const Level level = levelFrom("POPLAR_" + name + "_LOG_LEVEL", all);
      // A log that is off must not create the file.
      logs_[i] = level == Level::off ? std::make_unique<spdlog::logger>(name)
                                     : std::make_unique<spdlog::logger>(name, sink());
      logs_[i]->set_level(level);
      logs_[i]->set_pattern("PO:%n [%H:%M:%S.%e] [%l] %v");
      logs_[i]->flush_on(Level::trace);
    }
  }
  spdlog::logger &of(LogModule module) { return *logs_[static_cast<std::size_t>(module)]; }

private:
  const spdlog::sink_ptr &sink() {
    if (!sink_)
      sink_ = makeSink();
    return sink_;
  }

  spdlog::sink_ptr sink_;
  std::array<std::unique_ptr<spdlog::logger>, kLogModules.size()> logs_;
};

} // namespace

spdlog::logger &logOf(LogModule module) {
  static Logs logs;
  return logs.of(module);
}

void warnOnce(const std::string &message) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (!told.insert(message).second)
    return;
  spdlog::logger &log = logOf(LogModule::Engine);
  if (log.should_log(Level::warn))
    return log.warn(message);
  const TerminalText text;
  std::cerr << "warning: " << message << '\n';
}

} // namespace copse::types
