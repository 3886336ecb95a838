#include "types/trace.hpp"

#include "locks/mutex.hpp"

#include "wire/environment.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

namespace copse::types {

using nlohmann::json;

namespace {

struct TraceOptions {
  bool enable = false;
  std::string directory = ".";
};

[[noreturn]] void rejectTrace(const std::string &why) { throw std::invalid_argument(why); }

/// \throws std::invalid_argument, nlohmann::json::exception
TraceOptions parseTraceOptions(const std::string &text) {
  TraceOptions options;
  const json asked = json::parse(text);
  for (const auto &[key, value] : asked.items()) {
    const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
    if (key == "enable" && (word == "true" || word == "false"))
      options.enable = word == "true";
    else if (key == "directory")
      options.directory = word;
    else if (key != "channels") // channels of PopVision: all of them are written here
      rejectTrace("there are \"enable\": \"true\" or \"false\", and \"directory\"");
  }
  return options;
}

/// Returns a small number for the thread, in order of first use.
std::uint32_t threadNumber() {
  static std::atomic<std::uint32_t> last{0};
  thread_local const std::uint32_t number = ++last;
  return number;
}

std::string jsonText(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

class Trace::Impl {
public:
  explicit Impl(const std::string &path) : path_(path), process_(::getpid()), out_(path) {
    if (out_)
      out_ << "[\n";
    nameProcess(0, std::string("host: ") + program_invocation_short_name);
  }

  bool isOpen() const { return static_cast<bool>(out_); }
  const std::string &path() const { return path_; }
  double now() const {
    return std::chrono::duration<double, std::micro>(Clock::now() - start_).count();
  }

  void nameRow(Row row, const std::string &group, const std::string &name) {
    const locks::Lock lock(mutex_);
    if (groups_.insert(row.group).second)
      nameProcess(row.group, group);
    if (rows_.insert({row.group, row.number}).second)
      write("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" + std::to_string(row.group) +
            ",\"tid\":" + std::to_string(row.number) + ",\"args\":{\"name\":" + jsonText(name) +
            "}}");
  }

  void begin(std::string_view category, std::string_view name, std::string_view details) {
    const std::string head = "{\"ph\":\"B\",\"pid\":0,\"tid\":" + std::to_string(threadNumber()) +
                             ",\"ts\":" + std::to_string(now()) + ",\"cat\":" + jsonText(category) +
                             ",\"name\":" + jsonText(name);
    const json more = details.empty() ? json() : json::parse(details, nullptr, false);
    const std::string args =
        details.empty()
            ? ""
            : ",\"args\":{\"details\":" + (more.is_discarded() ? jsonText(details) : more.dump()) +
                  "}";
    const locks::Lock lock(mutex_);
    write(head + args + "}");
  }
  void end() {
    const std::string event = "{\"ph\":\"E\",\"pid\":0,\"tid\":" + std::to_string(threadNumber()) +
                              ",\"ts\":" + std::to_string(now()) + "}";
    const locks::Lock lock(mutex_);
    write(event);
  }
  void stretch(Row row, std::string_view category, std::string_view name, double from, double to) {
    const std::string event =
        "{\"ph\":\"X\",\"pid\":" + std::to_string(row.group) +
        ",\"tid\":" + std::to_string(row.number) + ",\"ts\":" + std::to_string(from) +
        ",\"dur\":" + std::to_string(to - from) + ",\"cat\":" + jsonText(category) +
        ",\"name\":" + jsonText(name) + "}";
    const locks::Lock lock(mutex_);
    write(event);
  }

  void count(std::string_view counter, std::string_view series, double value) {
    const std::string event = "{\"ph\":\"C\",\"pid\":0,\"ts\":" + std::to_string(now()) +
                              ",\"name\":" + jsonText(counter) + ",\"args\":{" + jsonText(series) +
                              ":" + json(value).dump() + "}}";
    const locks::Lock lock(mutex_);
    write(event);
  }

  /// Ends the file, which is valid JSON from now on.
  void finish() {
    const locks::Lock lock(mutex_);
    if (::getpid() != process_)
      return;
    out_ << "\n]\n";
    out_.close();
  }

private:
  using Clock = std::chrono::steady_clock;

  void nameProcess(std::uint32_t group, const std::string &name) {
    write("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + std::to_string(group) +
          ",\"args\":{\"name\":" + jsonText(name) + "}}");
  }
  void write(const std::string &event) {
    if (::getpid() != process_ || !out_.is_open())
      return;
    out_ << (isFirst_ ? "" : ",\n") << event;
    isFirst_ = false;
  }

  std::string path_;
  pid_t process_;
  Clock::time_point start_ = Clock::now();
  locks::Mutex mutex_; ///< guards the members below
  std::ofstream out_;
  bool isFirst_ = true;
  std::set<std::uint32_t> groups_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> rows_;
};

void Trace::nameRow(Row row, const std::string &group, const std::string &name) {
  impl_.nameRow(row, group, name);
}
double Trace::now() const { return impl_.now(); }
void Trace::begin(std::string_view category, std::string_view name, std::string_view details) {
  impl_.begin(category, name, details);
}
void Trace::end() { impl_.end(); }
void Trace::stretch(Row row, std::string_view category, std::string_view name, double from,
                    double to) {
  impl_.stretch(row, category, name, from, to);
}
void Trace::count(std::string_view counter, std::string_view series, double value) {
  impl_.count(counter, series, value);
}
const std::string &Trace::path() const { return impl_.path(); }

namespace {

/// Never destroyed, because threads and static objects of the program may trace until the end.
Trace::Impl *openTrace() {
  const std::string text = wire::environmentVariable("PVTI_OPTIONS");
  if (text.empty())
    return nullptr;
  try {
    const TraceOptions options = parseTraceOptions(text);
    if (!options.enable)
      return nullptr;
    std::filesystem::create_directories(options.directory);
    const std::string name = std::string(program_invocation_short_name) + '_' +
                             std::to_string(::getpid()) + ".pvti.json";
    auto trace =
        std::make_unique<Trace::Impl>((std::filesystem::path(options.directory) / name).string());
    if (trace->isOpen())
      return trace.release();
    rejectTrace("the trace '" + trace->path() + "' cannot be written");
  } catch (const std::exception &error) {
    std::cerr << "warning: PVTI_OPTIONS: " << error.what() << "; there is no trace\n";
  }
  return nullptr;
}

} // namespace

Trace *trace() {
  static Trace *const only = []() -> Trace * {
    static Trace::Impl *const impl = openTrace();
    if (!impl)
      return nullptr;
    std::atexit([] { impl->finish(); });
    return new Trace(*impl);
  }();
  return only;
}

} // namespace copse::types
