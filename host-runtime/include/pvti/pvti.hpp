#pragma once

#include <string>

/// Trace points of the host program. Nothing collects them: they cost nothing.
namespace pvti {

class TraceChannel {
public:
  TraceChannel(const std::string &) {}
};

class Tracepoint {
public:
  Tracepoint(TraceChannel *, const char *) {}
  Tracepoint(TraceChannel *, const std::string &) {}
  Tracepoint(TraceChannel *, char *, int) {}
  ~Tracepoint() {} // user-provided, so that a trace point that is only constructed counts as used

  static void begin(TraceChannel *, const std::string &) {}
  static void end(TraceChannel *, const std::string &) {}
};

} // namespace pvti
