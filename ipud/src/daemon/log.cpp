#include "log.hpp"

#include "fabric/log_lines.hpp"
#include "wire/environment.hpp"

#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>

namespace copse::ipud {

namespace {

std::atomic<bool> onlyIpu{false};
std::atomic<std::int64_t> stepOfIpu{-1};

/// Formats each line as one JSON object, for log collectors.
class JsonFormatter : public spdlog::formatter {
public:
  void format(const spdlog::details::log_msg &line, spdlog::memory_buf_t &out) override {
    const auto text = [](spdlog::string_view_t view) {
      return std::string(view.data(), view.size());
    };
    const auto since = line.time.time_since_epoch();
    nlohmann::ordered_json json{{"time", std::chrono::duration<double>(since).count()},
                                {"level", text(spdlog::level::to_string_view(line.level))},
                                {"name", text(line.logger_name)},
                                {"message", text(line.payload)}};
    if (const std::int64_t step = stepOfIpu; step >= 0)
      json["step"] = step;
    // A message may quote a peer's bytes, which need not be UTF-8.
    const std::string words =
        json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    out.append(words.data(), words.data() + words.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

} // namespace

std::shared_ptr<spdlog::logger> makeLogger(const std::string &name) {
  auto log =
      std::make_shared<spdlog::logger>(name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
  if (wire::environmentVariable("COPSE_LOG_FORMAT") == "json")
    log->set_formatter(std::make_unique<JsonFormatter>());
  else
    log->set_formatter(fabric::logLines());
  std::string level = wire::environmentVariable("COPSE_LOG_LEVEL");
  if (level.empty())
    level = "warn";
  log->set_level(spdlog::level::from_str(level));
  if (log->level() == spdlog::level::off && level != "off") { // spdlog's result for unknown names
    log->set_level(spdlog::level::warn);
    log->warn("COPSE_LOG_LEVEL is '{}'; set it to trace, debug, info, warn, error or off", level);
  }
  return log;
}

void logAs(const std::string &name) {
  onlyIpu = true;
  spdlog::set_default_logger(makeLogger(name));
}

void noteStepForLog(std::int64_t step) {
  if (onlyIpu)
    stepOfIpu = step;
}

} // namespace copse::ipud
