#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/Device.hpp"
#include "poplar/EngineOptions.hpp"
#include "poplar/Error.hpp"
#include "poplar/Executable.hpp"
#include "poplar/Graph.hpp"
#include "poplar/HostFunction.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/Program.hpp"
#include "poplar/RuntimeOptions.hpp"
#include "poplar/StreamCallback.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/exceptions.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pva {
class Report; // <pva/pva.hpp>
}

namespace poplar {

/// Bytes of scratch that each worker of a tile has from $mworker_base on.  Source: guide, 7.3.
constexpr unsigned WORKER_SCRATCH_SIZE = 48;

/// A compiled graph on a device. Move-only.
///
/// Life cycle: the constructor compiles; load() puts it on an attached device; connect streams,
/// before or after that; run() as often as you like. Variables keep their contents from run to run,
/// until the next load(). After a failed run(), load() makes the engine usable again.
///
/// Thread: one caller at a time. Host tensors must not be read or written while a program runs.
class Engine {
public:
  class Impl; // libpoplar's own

  using TimePoint = std::chrono::steady_clock::time_point;
  using TimerTimePoint = TimePoint;
  using ProgressFunc = poplar::ProgressFunc;

  /// \param options  engine options; POPLAR_ENGINE_OPTIONS overrides them
  /// \throws invalid_option, and all exceptions of compileGraph
  Engine(const Graph &graph, const program::Program &prog, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(const Graph &graph, ArrayRef<program::Program> progs, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(Graph &&graph, const program::Program &prog, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(Graph &&graph, ArrayRef<program::Program> progs, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  explicit Engine(Executable &&executable, const OptionFlags &options = {});
  /// Takes a copy: \p executable may serve other engines.
  explicit Engine(const Executable &executable, const OptionFlags &options = {});
  Engine(Engine &&) noexcept;
  Engine &operator=(Engine &&) noexcept;
  ~Engine();

  /// Puts the program and all initial values on \p device. Another program that was loaded there is
  /// displaced.
  /// \throws poplar_error if the device is not attached or does not match the graph's target
  void load(const Device &device);

  // The two halves of load(). deploy() may be called again, to start from the initial values.
  /// Checks that the program can be put on \p device.
  /// \throws as load()
  void prepare(const Device &device);
  /// Prepares with \p options put over those of the engine, for this load and its runs.
  /// \throws invalid_option also if one is fixed once an engine exists: replicas, reports
  void prepare(const Device &device, const RuntimeOptions &options);
  /// \throws poplar_error if no attached device is prepared
  void deploy();
  /// Takes the program off its device: before the next run(), load() or deploy() is needed.
  void stop();

  /// Runs program \p prog of the list until it ends. Rethrows what a callback throws.
  /// Other exceptions:
  /// \throws application_runtime_error, recoverable_runtime_error, ...
  /// \throws stream_connection_error if a stream that the program uses is not connected
  /// \throws poplar_error if nothing is loaded or there is no such program
  void run(unsigned prog = 0, const std::string &debugName = "");
  /// The same; \p options are those of the load.
  /// \throws invalid_option also if one of them is another than at the load: see prepare()
  void run(unsigned prog, const std::string &debugName, const RuntimeOptions &options);
  void loadAndRun(const Device &device, unsigned prog = 0);

  // Host tensors: createHostWrite, createHostRead. Data is row-major, elements have
  // Target::getTypeSize bytes. With a replicated graph, reads give all replicas one after another;
  // writes take one for all, or one each. \throws poplar_error if there is no such handle, or the
  // size does not fit
  void writeTensor(StringRef handle, const void *begin, const void *end);
  void readTensor(StringRef handle, void *begin, void *end);
  /// As above, without a check of the size.
  void writeTensor(StringRef handle, const void *begin);
  void readTensor(StringRef handle, void *begin);
  template <typename T> void writeTensor(StringRef handle, ArrayRef<T> data) {
    writeTensor(handle, data.begin(), data.end());
  }
  template <typename T> void readTensor(StringRef handle, ArrayRef<T> data) {
    readTensor(handle, const_cast<T *>(data.begin()), const_cast<T *>(data.end()));
  }

  // Quarters, with their metadata: what the tensor of the handle has of them is set, or read, too.
  // \throws as above; tensor_metadata_error if the tensor has no metadata, or if writeTensor() is to
  //         change metadata that are a constant
  void writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin,
                   const void *end);
  /// \param metadata  gets those of the first replica
  void readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end);

  // Streams. Connecting again replaces what was connected.
  // \throws stream_connection_error if there is no such stream or replica, or the size does not fit
  /// A circular buffer of one or more transfers; for a replicated stream, of all replicas, one
  /// after another.
  void connectStream(StringRef handle, void *begin, void *end);
  /// A buffer of one transfer.
  void connectStream(StringRef handle, void *p);
  template <typename T> void connectStream(StringRef handle, ArrayRef<T> data) {
    connectStream(handle, const_cast<T *>(data.begin()), const_cast<T *>(data.end()));
  }
  // The same, by the stream itself.
  void connectStream(const DataStream &stream, void *begin, void *end) {
    connectStream(stream.handle(), begin, end);
  }
  void connectStream(const DataStream &stream, void *p) { connectStream(stream.handle(), p); }
  template <typename T> void connectStream(const DataStream &stream, ArrayRef<T> data) {
    connectStream(stream.handle(), data);
  }
  void connectStreamToCallback(const DataStream &stream, StreamCallbackHandle callback) {
    connectStreamToCallback(stream.handle(), std::move(callback));
  }
  void connectStreamToCallback(const DataStream &stream, unsigned index,
                               StreamCallbackHandle callback) {
    connectStreamToCallback(stream.handle(), index, std::move(callback));
  }
  /// Takes the callback: for replica \p index, or without it for a stream that all replicas share.
  /// If several host programs run the replicas (target.firstRuntimeReplica), index 0 is the first
  /// replica of this one; so it is wherever an Engine takes a replica, or gives those of all.
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
  void connectStreamToCallback(StringRef handle, unsigned index, StreamCallbackHandle callback);

  /// Connects a host function: for replica \p index, or for all. Calls come one at a time, for each
  /// replica in the order of its program.
  /// \throws stream_connection_error if there is no such function or replica
  void connectHostFunction(StringRef handle, HostCallbackHandle callback);
  void connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback);

  // One row of a remote buffer. Only while loaded, and while nothing runs.
  // \throws poplar_error if there is no such buffer, row or replica
  void copyToRemoteBuffer(const void *src, std::string handle, std::uint64_t repeatIndex,
                          unsigned replica = 0);
  void copyFromRemoteBuffer(std::string handle, void *dst, std::uint64_t repeatIndex,
                            unsigned replica = 0);
  // These also take the row's size.
  // \throws poplar_error also if it is not the buffer's
  template <typename T>
  void copyToRemoteBuffer(ArrayRef<T> src, const std::string &handle, std::uint64_t repeatIndex,
                          unsigned replica = 0) {
    requireRowSize(handle, src.size() * sizeof(T));
    copyToRemoteBuffer(src.data(), handle, repeatIndex, replica);
  }
  template <typename T>
  void copyFromRemoteBuffer(const std::string &handle, ArrayRef<T> dst, std::uint64_t repeatIndex,
                            unsigned replica = 0) {
    requireRowSize(handle, dst.size() * sizeof(T));
    copyFromRemoteBuffer(handle, const_cast<T *>(dst.data()), repeatIndex, replica);
  }

  /// The stream that PrintTensor prints to; std::cerr by default. It must outlive its use. Both
  /// functions do the same.
  void setPrintStream(std::ostream &stream);
  void setPrintTensorStream(std::ostream &stream);

  // Reports. The graph's part is there at once; the execution's needs instrumentation or a model
  // device.
  void printProfileSummary(std::ostream &out, const OptionFlags &options = {});
  pva::Report getReport(bool reportExecution = true);
  ProfileValue getGraphProfile();
  ProfileValue getExecutionProfile();
  ProfileValue getProfile(); ///< both
  void resetExecutionProfile();
  void enableExecutionProfiling();
  void disableExecutionProfiling();
  /// The recorded execution as lines of comma-separated values.
  void reportIntervals(std::ostream &out);
  TimePoint getTimeStamp();
  /// Releases differ in whether this returns anything; programs of either kind compile.
  /// \returns a line about the wall-clock time between two stamps
  static std::string reportTiming(const TimePoint &start, const TimePoint &end);

  void serializeExecutable(std::ostream &out) const;

  /// The options that the engine was made with, and those that its executable was compiled with.
  OptionFlags getEngineOptions() const;
  /// The handles of all streams except the streams of host functions.
  std::vector<std::string> listStreams() const;

  // Errors on trial, to see what a program makes of them: while there are any, run() does not run,
  // but throws what the first of them throws on a device. Inserting one twice does nothing more.
  /// \throws poplar_error for ErrorCode::NONE
  void insertSimulatedError(ErrorCode error);
  void eraseSimulatedError(ErrorCode error);
  void clearSimulatedErrors();

private:
  /// \throws poplar_error if rows of the remote buffer have another size [bytes]
  void requireRowSize(const std::string &handle, std::size_t bytes) const;

  std::unique_ptr<Impl> impl_;
};

// Summaries of a profile file, or of profile values, for people.
void printGraphSummary(std::ostream &out, const std::string &profilePath,
                       const OptionFlags &options = {});
void printExecutionSummary(std::ostream &out, const std::string &profilePath,
                           const OptionFlags &options = {});
void printProfileSummary(std::ostream &out, const std::string &profilePath,
                         const OptionFlags &options = {});
void printGraphSummary(std::ostream &out, const ProfileValue &graphProfile,
                       const OptionFlags &options = {});
void printExecutionSummary(std::ostream &out, const ProfileValue &graphProfile,
                           const ProfileValue &executionProfile, const OptionFlags &options = {});
void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile,
                         const ProfileValue &executionProfile, const OptionFlags &options = {});

// A literal is a path, although ProfileValue could be made of it, too.
inline void printGraphSummary(std::ostream &out, const char *profilePath,
                              const OptionFlags &options = {}) {
  printGraphSummary(out, std::string(profilePath), options);
}
inline void printExecutionSummary(std::ostream &out, const char *profilePath,
                                  const OptionFlags &options = {}) {
  printExecutionSummary(out, std::string(profilePath), options);
}
inline void printProfileSummary(std::ostream &out, const char *profilePath,
                                const OptionFlags &options = {}) {
  printProfileSummary(out, std::string(profilePath), options);
}

} // namespace poplar
