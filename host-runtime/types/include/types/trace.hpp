#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace copse::types {

/// The trace that PVTI_OPTIONS asks for: what the host program, the compiler, callbacks and IPUs do, and when. A file of
/// trace events in JSON, which Perfetto opens.
///
/// One for each process, made by the first call of trace(). Ends with the process; a child that the process forks writes
/// nothing. Thread: any.
class Trace {
public:
  /// A row of the picture that is no thread of the process: a clock's group, and in it one IPU.
  struct Row {
    std::uint32_t group = 0, number = 0;
  };

  /// Names a row; of several names, the first counts.
  void nameRow(Row row, const std::string &group, const std::string &name);

  /// Wall-clock time since the trace began [microseconds].
  double now() const;

  /// Work of the calling thread that begins or ends now. Pairs nest.
  /// \param details  a JSON value, or empty
  void begin(std::string_view category, std::string_view name, std::string_view details = {});
  void end();

  /// A stretch of time of a row [microseconds, as now() counts].
  void stretch(Row row, std::string_view category, std::string_view name, double from, double to);

  /// A number of a counter as of now; each series of it is a line of its own.
  void count(std::string_view counter, std::string_view series, double value);

  const std::string &path() const;

  class Impl;
  explicit Trace(Impl &impl) : impl_(impl) {}

private:
  Impl &impl_;
};

/// Null if PVTI_OPTIONS asks for none, or the file cannot be written: then a warning has said so.
Trace *trace();

/// Traces what the calling thread does while this lives; free without a trace.
class TraceSpan {
public:
  TraceSpan(const char *category, const char *name) : trace_(trace()) {
    if (trace_)
      trace_->begin(category, name);
  }
  /// \param nameOf  makes the name, if there is a trace
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

/// Passes one after another: each ends when the next begins, the last with this.
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
