#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace copse::types {

/// The trace that PVTI_OPTIONS requests: when the host program, the compiler, callbacks and IPUs do
/// what. The file has trace events in JSON, which Perfetto can open.
///
/// Life: one per process, created by the first call of trace(), until the process ends. A forked
/// child writes nothing.
///
/// Thread: any.
class Trace {
public:
  /// A row of the trace that is not a thread of the process: one IPU in the group of a clock.
  struct Row {
    std::uint32_t group = 0, number = 0;
  };

  /// Names a row; the first of several names is used.
  void nameRow(Row row, const std::string &group, const std::string &name);

  /// Returns the wall-clock time since the trace began [microseconds].
  double now() const;

  /// Begin and end an activity of the calling thread. Pairs nest.
  /// \param details  a JSON value, or empty
  void begin(std::string_view category, std::string_view name, std::string_view details = {});
  void end();

  /// Adds a time span to a row [microseconds, as now()].
  void stretch(Row row, std::string_view category, std::string_view name, double from, double to);

  /// Sets a counter's value from now on; each series is drawn as a separate line.
  void count(std::string_view counter, std::string_view series, double value);

  const std::string &path() const;

  class Impl;
  explicit Trace(Impl &impl) : impl_(impl) {}

private:
  Impl &impl_;
};

/// Returns null if PVTI_OPTIONS requests no trace, or if the file cannot be written, which a
/// warning has reported.
Trace *trace();

/// Traces an activity of the calling thread while this object exists; free without a trace.
class TraceSpan {
public:
  TraceSpan(const char *category, const char *name) : trace_(trace()) {
    if (trace_)
      trace_->begin(category, name);
  }
  /// \param nameOf  returns the name; called only if there is a trace
  template <class NameOf>
    requires requires(NameOf nameOf) { std::string(nameOf()); }
  TraceSpan(const char *category, NameOf nameOf) : trace_(trace()) {
    if (trace_)
      trace_->begin(category, nameOf());
  }
  ~TraceSpan() {
    if (trace_)
      trace_->end();
  }
  TraceSpan(const TraceSpan &) = delete;
  TraceSpan &operator=(const TraceSpan &) = delete;

private:
  Trace *trace_;
};

/// Traces consecutive passes: each ends when the next begins, and the last with this object.
class TracePasses {
public:
  explicit TracePasses(const char *category) : category_(category) {}
  void next(const char *name) {
    pass_.reset();
    pass_.emplace(category_, name);
  }

private:
  const char *category_;
  std::optional<TraceSpan> pass_;
};

} // namespace copse::types
