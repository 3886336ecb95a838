#pragma once

#include <cstddef>
#include <cstring>
#include <string>

/// Trace points of the host program. Trace points are written to a trace if the environment
/// variable PVTI_OPTIONS requests one (docs/profiling.md); otherwise they cost next to nothing.
///
/// \code
/// static pvti::TraceChannel channel("loader");
/// pvti::Tracepoint point(&channel, "read batch");  // until the end of the block
/// \endcode
namespace pvti {

/// Names the trace points of one library. Libraries that are linked into one program may each
/// define a global channel of the same name; the dynamic linker makes them one object, which each
/// library constructs and destroys. A channel therefore owns nothing: its name is kept until the
/// process ends.
class TraceChannel {
public:
  ///@{

  /// Makes a channel.
  TraceChannel(const std::string &name) : name_(&kept(name)) {}
  TraceChannel(const char *name) : name_(&kept(name)) {}
  ///@}

  /// Returns the name.
  const std::string &name() const { return *name_; }

private:
  static const std::string &kept(const std::string &name);

  const std::string *name_;
};

/// Holds what a trace point says beside its label.
class Metadata {
public:
  ///@{

  /// Makes metadata of text.
  Metadata(const std::string &text) : text_(text) {}
  Metadata(const char *text) : text_(text) {}
  ///@}

  /// Returns the text.
  const std::string &text() const { return text_; }

private:
  std::string text_;
};

/// Makes metadata of a JSON object, which is not checked.
inline Metadata createJsonMetadata(const std::string &json) { return Metadata(json); }

/// Returns true if trace points are written.
bool isTracing();

/// Records numbers over time, under one label of a Graph.
class Series {
public:
  /// Adds a number as of now.
  void add(double value);

private:
  friend class Graph;
  Series(const std::string &graph, const std::string &label) : graph_(graph), label_(label) {}
  std::string graph_, label_;
};

/// Groups series of numbers over time: a counter of the trace, with a line for each series.
class Graph {
public:
  /// Makes a counter.
  /// \param unit  shown behind the name; default none
  Graph(const std::string &name, const std::string &unit = "")
      : name_(unit.empty() ? name : name + " [" + unit + "]") {}
  /// Adds a line to the counter.
  Series addSeries(const std::string &label) const { return Series(name_, label); }

private:
  std::string name_;
};

/// Records an interval of the calling thread's time: the lifetime of this object, or from begin()
/// to end().
class Tracepoint {
public:
  ///@{

  /// Begins the interval.
  /// - \p label: a text, or so many characters without a zero byte behind them
  /// - \p metadata: shown with the label; default none
  Tracepoint(TraceChannel *channel, const char *label) : isOn_(isTracing()) {
    if (isOn_)
      write(channel, label, std::strlen(label), nullptr);
  }
  Tracepoint(TraceChannel *channel, const std::string &label) : isOn_(isTracing()) {
    if (isOn_)
      write(channel, label.data(), label.size(), nullptr);
  }
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
  ///@}

  /// Ends the interval.
  ~Tracepoint() {
    if (isOn_)
      writeEnd();
  }

  ///@{

  /// Refuses copies of trace points.
  Tracepoint(const Tracepoint &) = delete;
  Tracepoint &operator=(const Tracepoint &) = delete;
  ///@}

  ///@{

  /// Begins or ends an interval; intervals may nest.
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
  ///@}

private:
  static void write(const TraceChannel *channel, const char *label, std::size_t length,
                    const Metadata *metadata);
  static void writeEnd();

  bool isOn_;
};

} // namespace pvti
