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

/// The bytes of scratch memory that each worker of a tile has from $mworker_base on. See User
/// guide, 7.3.
constexpr unsigned WORKER_SCRATCH_SIZE = 48;

/// Compiles programs of a graph and runs them on a device. Move-only. See User guide, 2.2.2.
///
/// Life cycle: the constructor compiles; load() puts the result on an attached device; streams are
/// connected before or after that; run() may be called any number of times. Variables keep their
/// contents from run to run, until the next load(). After a failed run(), load() makes the engine
/// usable again. The graph may be destroyed once the engine exists; the device must outlive its use
/// by the engine.
///
/// \code
/// Engine engine(graph, Sequence({Copy(in, x), Execute(cs), Copy(y, out)}));
/// engine.load(device);  // connectStream(in, ...), connectStream(out, ...), then run(0)
/// \endcode
///
/// Thread: one caller at a time. Host tensors must not be read or written while a program runs.
class Engine {
public:
  /// The implementation, which is libpoplar's own.
  class Impl;

  /// A point of wall-clock time.
  using TimePoint = std::chrono::steady_clock::time_point;
  /// The older name of TimePoint.
  using TimerTimePoint = TimePoint;
  /// A function that compiling calls with its progress: steps done, all steps.
  using ProgressFunc = poplar::ProgressFunc;

  ///@{

  /// Compiles the graph and the programs that run() can start, by their position.
  /// - \p options: engine options (docs/engine-options.md); POPLAR_ENGINE_OPTIONS overrides them;
  ///   default none
  /// - \p progress: called during compilation; default none
  /// - \p debugContext: its name is the executable's name in reports
  /// \throws invalid_option if an option or its value is unknown
  /// \throws graph_memory_allocation_error if a tile's memory is too small
  /// \throws poplar_error and its kinds as compileGraph() does
  Engine(const Graph &graph, const program::Program &prog, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(const Graph &graph, ArrayRef<program::Program> progs, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(Graph &&graph, const program::Program &prog, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(Graph &&graph, ArrayRef<program::Program> progs, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  ///@}

  /// Takes over a compiled graph. \p options override those that it was compiled with; default
  /// none.
  /// \throws invalid_option if an option or its value is unknown
  explicit Engine(Executable &&executable, const OptionFlags &options = {});
  /// Uses a compiled graph that other engines may use, too. \p options override those that it was
  /// compiled with; default none.
  /// \throws invalid_option if an option or its value is unknown
  explicit Engine(const Executable &executable, const OptionFlags &options = {});

  ///@{

  /// Takes over the other engine, which may then only be assigned to or destroyed.
  Engine(Engine &&) noexcept;
  Engine &operator=(Engine &&) noexcept;
  ///@}

  /// Waits for callbacks that still run, and unloads the program from its device.
  ~Engine();

  /// Loads the program and all initial values onto \p device, and replaces any program that was
  /// loaded there.
  /// \throws poplar_error if the device is not attached or does not match the graph's target
  /// \throws graph_memory_allocation_error if a program compiled with debug.allowOutOfMemory is too
  ///   large for hardware
  void load(const Device &device);

  // load() in two steps: prepare() and deploy().
  /// Checks that the program can be loaded onto \p device. Throws as load() does.
  void prepare(const Device &device);
  /// Prepares with \p options in addition to the engine's, which they override, for this load and
  /// its runs. Also throws as load() does.
  /// \throws invalid_option also for an option that is fixed once an engine exists: replicas,
  ///   reports
  void prepare(const Device &device, const RuntimeOptions &options);
  /// Loads the program and all initial values onto the prepared device. May be called again, to
  /// start from the initial values.
  /// \throws poplar_error if no attached device is prepared
  void deploy();
  /// Unloads the program from its device. Before the next run(), load() or deploy() is needed.
  void stop();

  /// Runs program \p prog of the list, by default the first, until it ends. An exception of a
  /// callback is passed on.
  /// \param debugName  a name for this run in traces and progress lines; default none
  /// \throws application_runtime_error if the program is at fault: a codelet's fault, an abort
  /// \throws recoverable_runtime_error if a link or daemon is lost or silent; it says what to reset
  /// \throws unrecoverable_runtime_error, unknown_runtime_error for other faults of the system
  /// \throws stream_connection_error if a stream that the program uses is not connected
  /// \throws poplar_error if nothing is loaded or there is no such program
  void run(unsigned prog = 0, const std::string &debugName = "");
  /// Runs a program as above, and checks that \p options equal the options of the load.
  /// \throws invalid_option if one of them has another value than at the load: see prepare()
  void run(unsigned prog, const std::string &debugName, const RuntimeOptions &options);
  /// Loads the program on \p device, then runs program \p prog, by default the first. Throws as
  /// load() and run() do.
  void loadAndRun(const Device &device, unsigned prog = 0);

  // Host tensors: Graph::createHostWrite() and createHostRead().
  ///@{

  /// Writes a host tensor, or reads one. Data is row-major; an element has Target::getTypeSize()
  /// bytes. With R replicas, a read gives the tensors of all replicas, one after another; a write
  /// takes one tensor for all replicas, or one for each. Without an end, the size is not checked.
  ///
  /// \code
  /// std::vector<float> values(x.numElements());
  /// engine.readTensor("x", values.data(), values.data() + values.size());
  /// \endcode
  /// \throws poplar_error if nothing is loaded, there is no such handle, or the size does not fit
  void writeTensor(StringRef handle, const void *begin, const void *end);
  void readTensor(StringRef handle, void *begin, void *end);
  void writeTensor(StringRef handle, const void *begin);
  void readTensor(StringRef handle, void *begin);
  template <typename T> void writeTensor(StringRef handle, ArrayRef<T> data) {
    writeTensor(handle, data.begin(), data.end());
  }
  template <typename T> void readTensor(StringRef handle, ArrayRef<T> data) {
    readTensor(handle, const_cast<T *>(data.begin()), const_cast<T *>(data.end()));
  }
  ///@}

  ///@{

  /// Writes or reads a host tensor of quarters and its metadata. A read gives the metadata of the
  /// first replica. Other errors are those of the functions without metadata.
  /// \throws tensor_metadata_error if the tensor has no metadata, or a write is to change metadata
  ///   that are a constant
  void writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin,
                   const void *end);
  void readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end);
  ///@}

  // Streams.
  ///@{

  /// Connects a stream to host memory, which must stay valid as long as runs use it. A pointer
  /// alone is a buffer of one transfer. A buffer with an end is circular and holds one or more
  /// transfers; for a stream with data for each of R replicas, a transfer has the data of all
  /// replicas, one after another. Connecting again replaces what was connected. See User guide,
  /// 2.6.1.
  ///
  /// \code
  /// std::vector<float> rows(4 * batch * in);           // the stream has batch * in elements
  /// engine.connectStream("x", ArrayRef<float>(rows));  // four transfers, then the first again
  /// \endcode
  /// \throws stream_connection_error if there is no such stream, or the size does not fit
  void connectStream(StringRef handle, void *begin, void *end);
  void connectStream(StringRef handle, void *p);
  template <typename T> void connectStream(StringRef handle, ArrayRef<T> data) {
    connectStream(handle, const_cast<T *>(data.begin()), const_cast<T *>(data.end()));
  }
  void connectStream(const DataStream &stream, void *begin, void *end) {
    connectStream(stream.handle(), begin, end);
  }
  void connectStream(const DataStream &stream, void *p) { connectStream(stream.handle(), p); }
  template <typename T> void connectStream(const DataStream &stream, ArrayRef<T> data) {
    connectStream(stream.handle(), data);
  }
  ///@}

  ///@{

  /// Connects a stream to a callback, which the engine owns from then on, in place of what was
  /// connected. The callback serves replica \p index, or without an index a stream that all
  /// replicas share. If several host programs run the replicas (target.firstRuntimeReplica), index
  /// 0 is the first replica of this host program; all functions of Engine number replicas in this
  /// way. See User guide, 2.6.1.
  /// \throws stream_connection_error if there is no such stream or replica, or \p index is missing
  ///   for a stream with data for each replica
  void connectStreamToCallback(const DataStream &stream, StreamCallbackHandle callback) {
    connectStreamToCallback(stream.handle(), std::move(callback));
  }
  void connectStreamToCallback(const DataStream &stream, unsigned index,
                               StreamCallbackHandle callback) {
    connectStreamToCallback(stream.handle(), index, std::move(callback));
  }
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
  void connectStreamToCallback(StringRef handle, unsigned index, StreamCallbackHandle callback);
  ///@}

  ///@{

  /// Connects a host function, for replica \p index or for all. Calls come one at a time, for each
  /// replica in the order of its program.
  /// \throws stream_connection_error if there is no such function or replica
  void connectHostFunction(StringRef handle, HostCallbackHandle callback);
  void connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback);
  ///@}

  ///@{

  /// Copies one row to or from a remote buffer. The engine must be loaded, and no program may run.
  /// The size of an ArrayRef is checked, that of a pointer is not. See User guide, 2.6.2.
  /// - \p repeatIndex: the row, from 0
  /// - \p replica: default 0
  /// \throws poplar_error if nothing is loaded, there is no such buffer, row or replica, or the
  ///   size of an ArrayRef is not the row's
  void copyToRemoteBuffer(const void *src, std::string handle, std::uint64_t repeatIndex,
                          unsigned replica = 0);
  void copyFromRemoteBuffer(std::string handle, void *dst, std::uint64_t repeatIndex,
                            unsigned replica = 0);
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
  ///@}

  ///@{

  /// Sets the stream that program::PrintTensor prints to; std::cerr by default. The stream must
  /// outlive its use. Both functions do the same.
  void setPrintStream(std::ostream &stream);
  void setPrintTensorStream(std::ostream &stream);
  ///@}

  // Reports. The graph's part is there at once; the execution's needs instrumentation or a model
  // device.
  /// Prints a summary of memory and execution. See User guide, 8.2.
  /// \param options  `colours` (true, false; default: as the terminal can), `showVarStorage`,
  ///   `showOptimizations`, `showExecutionSteps`, `showPerIpuMemoryUsage` (true, false; default
  ///   false)
  void printProfileSummary(std::ostream &out, const OptionFlags &options = {});
  /// Returns the profile, as pva::openReport() does for a file.
  /// \param reportExecution  default true; false: the graph's part only
  pva::Report getReport(bool reportExecution = true);
  /// Returns the graph's part of the profile: sizes, memory, programs.
  ProfileValue getGraphProfile();
  /// Returns the execution's part of the profile: the steps of recorded runs.
  ProfileValue getExecutionProfile();
  /// Returns both parts, as members graphProfile and executionProfile.
  ProfileValue getProfile();
  /// Forgets the recorded runs.
  void resetExecutionProfile();
  /// Records runs from now on.
  void enableExecutionProfiling();
  /// Stops recording runs.
  void disableExecutionProfiling();
  /// Writes the recorded execution as lines of comma-separated values: program,type,from,to,name
  /// [cycles].
  void reportIntervals(std::ostream &out);
  /// Returns the present wall-clock time.
  TimePoint getTimeStamp();
  /// Describes the wall-clock time between two stamps. Releases differ in whether this returns
  /// anything; programs of either kind compile.
  /// \returns a line of text with milliseconds
  static std::string reportTiming(const TimePoint &start, const TimePoint &end);

  /// Writes the compiled graph, which Executable::deserialize() reads again.
  void serializeExecutable(std::ostream &out) const;

  /// Returns the options that the engine was made with, and those that its executable was compiled
  /// with.
  OptionFlags getEngineOptions() const;
  /// Returns the handles of all streams except the streams of host functions.
  std::vector<std::string> listStreams() const;

  // Simulated errors.
  ///@{

  /// Adds or removes a simulated error, to test how a program handles it. While there are simulated
  /// errors, run() executes nothing and throws the exception that the first of them causes on a
  /// device. Inserting an error a second time has no effect.
  /// \throws poplar_error if ErrorCode::NONE is inserted
  void insertSimulatedError(ErrorCode error);
  void eraseSimulatedError(ErrorCode error);
  void clearSimulatedErrors();
  ///@}

private:
  /// Checks the size of a row [bytes].
  /// \throws poplar_error if rows of the remote buffer have another size
  void requireRowSize(const std::string &handle, std::size_t bytes) const;

  std::unique_ptr<Impl> impl_;
};

///@{

/// Prints summaries of a profile file, or of profile values, for people. See User guide, 8.2.
/// - \p options: `colours` (true, false; default: as the terminal can), `showVarStorage`,
///   `showOptimizations`, `showExecutionSteps`, `showPerIpuMemoryUsage` (true, false; default
///   false)
///
/// Errors: invalid_option for options; file_load_error if the file is no profile.
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
///@}

} // namespace poplar
