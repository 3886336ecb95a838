// Engine, Executable, stream callbacks.
#include "declares.hpp"

#include <functional>
#include <iosfwd>
#include <memory>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/StreamCallback.hpp>
#include <pva/pva.hpp>
#include <string>
#include <vector>

using namespace poplar;
using program::Program;

namespace declared {

using Context = const DebugContext &;
using Options = const OptionFlags &;
using Stamp = const Engine::TimePoint &;
using Programs = ArrayRef<Program>;

static_assert(std::is_same<ProgressFunc, std::function<void(int, int)>>::value, "");
MOVE_ONLY(Executable);
MEMBER(Executable, serialize, void(std::ostream &) const);
FUNCTION(Executable::deserialize, Executable(std::istream &));
FUNCTION(Executable::deserialize, Executable(std::unique_ptr<std::istream>));
FUNCTION(compileGraph, Executable(const Graph &, Programs, Options, ProgressFunc, Context));
FUNCTION(compileGraph, Executable(Graph &&, Programs, Options, ProgressFunc, Context));
extern Graph graph;
extern const Program prog;
GIVES(Executable, compileGraph(graph, {prog}));
GIVES(Executable, compileGraph(std::move(graph), {prog}));

MOVE_ONLY(Engine);
MADE_FROM(Engine, const Graph &, const Program &);
MADE_FROM(Engine, const Graph &, const Program &, Options, ProgressFunc, Context);
MADE_FROM(Engine, const Graph &, Programs);
MADE_FROM(Engine, const Graph &, Programs, Options, ProgressFunc, Context);
MADE_FROM(Engine, Graph, const Program &, Options, ProgressFunc, Context);
MADE_FROM(Engine, Graph, Programs, Options, ProgressFunc, Context);
MADE_FROM(Engine, Executable);
MADE_FROM(Engine, Executable, Options);
static_assert(!std::is_convertible<Executable, Engine>::value, "explicit");

MEMBER(Engine, load, void(const Device &));
MEMBER(Engine, prepare, void(const Device &));
MEMBER(Engine, deploy, void());
MEMBER(Engine, stop, void());
MEMBER(Engine, run, void(unsigned, const std::string &));
MEMBER(Engine, loadAndRun, void(const Device &, unsigned));
extern Engine engine;
extern const Device device;
GIVES(void, engine.run());
GIVES(void, engine.run(0, "name"));
GIVES(void, engine.loadAndRun(device));

MEMBER(Engine, writeTensor, void(StringRef, const void *, const void *));
MEMBER(Engine, readTensor, void(StringRef, void *, void *));
MEMBER(Engine, writeTensor, void(StringRef, const void *));
MEMBER(Engine, readTensor, void(StringRef, void *));
MEMBER(Engine, writeTensor<float>, void(StringRef, ArrayRef<float>));
MEMBER(Engine, readTensor<float>, void(StringRef, ArrayRef<float>));
MEMBER(Engine, connectStream, void(StringRef, void *, void *));
MEMBER(Engine, connectStream, void(StringRef, void *));
MEMBER(Engine, connectStream<float>, void(StringRef, ArrayRef<float>));
MEMBER(Engine, connectStreamToCallback, void(StringRef, StreamCallbackHandle));
MEMBER(Engine, connectStreamToCallback, void(StringRef, unsigned, StreamCallbackHandle));
MEMBER(Engine, copyToRemoteBuffer, void(const void *, std::string, std::uint64_t, unsigned));
MEMBER(Engine, copyFromRemoteBuffer, void(std::string, void *, std::uint64_t, unsigned));
GIVES(void, engine.copyToRemoteBuffer(nullptr, "rows", 0));

MEMBER(Engine, setPrintStream, void(std::ostream &));
MEMBER(Engine, setPrintTensorStream, void(std::ostream &));
MEMBER(Engine, printProfileSummary, void(std::ostream &, Options));
GIVES(void, engine.printProfileSummary(std::declval<std::ostream &>()));
MEMBER(Engine, getReport, pva::Report(bool));
GIVES(pva::Report, engine.getReport());
MEMBER(Engine, getGraphProfile, ProfileValue());
MEMBER(Engine, getExecutionProfile, ProfileValue());
MEMBER(Engine, getProfile, ProfileValue());
MEMBER(Engine, resetExecutionProfile, void());
MEMBER(Engine, enableExecutionProfiling, void());
MEMBER(Engine, disableExecutionProfiling, void());
MEMBER(Engine, reportIntervals, void(std::ostream &));
MEMBER(Engine, getTimeStamp, Engine::TimePoint());
MEMBER(Engine, serializeExecutable, void(std::ostream &) const);

using Path = const std::string &;
using Profile = const ProfileValue &;
FUNCTION(Engine::reportTiming, std::string(Stamp, Stamp));
FUNCTION(printGraphSummary, void(std::ostream &, Path, Options));
FUNCTION(printExecutionSummary, void(std::ostream &, Path, Options));
FUNCTION(printProfileSummary, void(std::ostream &, Path, Options));
FUNCTION(printGraphSummary, void(std::ostream &, Profile, Options));
FUNCTION(printExecutionSummary, void(std::ostream &, Profile, Profile, Options));
FUNCTION(printProfileSummary, void(std::ostream &, Profile, Profile, Options));
static_assert(WORKER_SCRATCH_SIZE > 0, "a constant expression");

// StreamCallback.hpp
static_assert(StreamCallback::Result::Success == StreamCallback::Success, "both spellings");
static_assert(StreamCallback::Result::NotAvailable == StreamCallback::NotAvailable, "");
static_assert(std::has_virtual_destructor<StreamCallback>::value, "");
MEMBER(StreamCallback, prefetch, StreamCallback::Result(void *));
MEMBER(StreamCallback, fetch, void(void *));
MEMBER(StreamCallback, complete, void());
MEMBER(StreamCallback, invalidatePrefetched, void());
BELOW(LegacyStreamCallback, StreamCallback);
static_assert(std::is_abstract<LegacyStreamCallback>::value, "fetch() is left to be written");
using Owned = std::unique_ptr<StreamCallback>;
using OwnedLegacy = std::unique_ptr<LegacyStreamCallback>;
CONVERTS(Owned, StreamCallbackHandle);
CONVERTS(OwnedLegacy, StreamCallbackHandle);
CONVERTS(std::function<void(void *)>, StreamCallbackHandle);
static_assert(!std::is_copy_constructible<StreamCallbackHandle>::value &&
                  std::is_move_constructible<StreamCallbackHandle>::value,
              "");

} // namespace declared
