#pragma once

#include <cstddef>
#include <cstring>
#include <string>

/// Trace points of the host program. They are written to the trace that the variable PVTI_OPTIONS of the
/// environment asks for (docs/profiling.md), and cost next to nothing without one.
namespace pvti {

/// A name for the trace points of one library. Libraries that are linked into one program may each define a global
/// channel of the same name; the dynamic linker makes them one object, which each library constructs and destroys.
/// So a channel owns nothing: its name is kept until the process ends.
class TraceChannel {
public:
  TraceChannel(const std::string &name) : name_(&kept(name)) {}
  TraceChannel(const char *name) : name_(&kept(name)) {}
  const std::string &name() const { return *name_; }

private:
  static const std::string &kept(const std::string &name);

  const std::string *name_;
};

/// What a trace point says beside its label.
class Metadata {
public:
  Metadata(const std::string &text) : text_(text) {}
  Metadata(const char *text) : text_(text) {}
  const std::string &text() const { return text_; }

private:
  std::string text_;
};

/// Metadata that are a JSON object.
inline Metadata createJsonMetadata(const std::string &json) { return Metadata(json); }

/// Whether trace points are written.
bool isTracing();

/// Numbers over time, under one label of a Graph.
class Series {
public:
  /// Adds a number as of now.
  void add(double value);

private:
  friend class Graph;
  Series(const std::string &graph, const std::string &label) : graph_(graph), label_(label) {}
  std::string graph_, label_;
};

/// A picture of numbers over time: a counter of the trace, with a line for each series.
class Graph {
public:
  /// \param unit  shown behind the name; may be empty
  Graph(const std::string &name, const std::string &unit = "")
      : name_(unit.empty() ? name : name + " [" + unit + "]") {}
  Series addSeries(const std::string &label) const { return Series(name_, label); }

private:
  std::string name_;
};

/// A stretch of the calling thread's time: while this lives, or from begin() to end().
class Tracepoint {
public:
  Tracepoint(TraceChannel *channel, const char *label) : isOn_(isTracing()) {
    if (isOn_)
      write(channel, label, std::strlen(label), nullptr);
  }
  Tracepoint(TraceChannel *channel, const std::string &label) : isOn_(isTracing()) {
    if (isOn_)
      write(channel, label.data(), label.size(), nullptr);
  }
  /// \param label  of so many characters, without a zero byte behind them
  Tracepoint(TraceChannel *channel, const char *label, std::size_t length,
             const Metadata *metadata = nullptr)
      : isOn_(isTracing()) {
    if (isOn_)
      write(channel, label, length, metadata);
  }
  Tracepoint(TraceChannel *channel, const std::string &label, const Metadata *metadata)
      : isOn_(isTracing()) {
    if (isOn_)
      write(channel, label.data(), label.size(), metadata);
  }
  ~Tracepoint() {
    if (isOn_)
      writeEnd();
  }
  Tracepoint(const Tracepoint &) = delete;
  Tracepoint &operator=(const Tracepoint &) = delete;

  // Pairs of them nest.
  static void begin(TraceChannel *channel, const std::string &label) {
    begin(channel, label, nullptr);
  }
  static void begin(TraceChannel *channel, const std::string &label, const Metadata *metadata) {
    if (isTracing())
      write(channel, label.data(), label.size(), metadata);
  }
  static void end(TraceChannel *, const std::string &) {
    if (isTracing())
      writeEnd();
  }
  static void end(TraceChannel *channel, const std::string &label, const Metadata *) {
    end(channel, label);
  }

private:
  static void write(const TraceChannel *channel, const char *label, std::size_t length,
                    const Metadata *metadata);
  static void writeEnd();

  bool isOn_;
};

} // namespace pvti
