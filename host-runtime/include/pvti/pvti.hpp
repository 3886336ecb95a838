#pragma once

#include <cstddef>
#include <string>

/// Trace points of the host program. Nothing collects them: they cost nothing.
namespace pvti {

class TraceChannel {
public:
  TraceChannel(const std::string &) {}
  TraceChannel(const char *) {}
};

/// What a trace point says beside its label.
class Metadata {
public:
  Metadata(const std::string &) {}
  Metadata(const char *) {}
};

/// Metadata that are a JSON object.
inline Metadata createJsonMetadata(const std::string &json) { return Metadata(json); }

class Tracepoint {
public:
  Tracepoint(TraceChannel *, const char *) {}
  Tracepoint(TraceChannel *, const std::string &) {}
  /// \param label  of so many characters, without a zero byte behind them
  Tracepoint(TraceChannel *, const char * /*label*/, std::size_t /*length*/,
             const Metadata * = nullptr) {}
  Tracepoint(TraceChannel *, const std::string &, const Metadata *) {}
  ~Tracepoint() {} // user-provided, so that a trace point that is only constructed counts as used

  static void begin(TraceChannel *, const std::string &) {}
  static void begin(TraceChannel *, const std::string &, const Metadata *) {}
  static void end(TraceChannel *, const std::string &) {}
  static void end(TraceChannel *, const std::string &, const Metadata *) {}
};

} // namespace pvti
