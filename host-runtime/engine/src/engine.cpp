#include "poplar/Engine.hpp"

#include "checked_options.hpp"
#include "engine_impl.hpp"
#include "program_time.hpp"

#include "engine/executable_file.hpp"
#include "graph/host_function.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "profile/auto_report_files.hpp"
#include "types/log.hpp"
#include "types/trace.hpp"

#include <functional>
#include <ostream>

namespace poplar {

using copse::types::LogModule;
using copse::types::logOf;
using copse::types::TraceSpan;

namespace {

/// \throws poplar_error naming \p call and \p handle if \p end is before \p begin
std::size_t bytesBetween(const void *begin, const void *end, const char *call,
                         const std::string &handle) {
  if (std::less<const void *>()(end, begin))
    throw poplar_error(call + ("('" + handle) + "'): the buffer ends before it begins");
  return static_cast<std::size_t>(static_cast<const char *>(end) -
                                  static_cast<const char *>(begin));
}

OptionFlags merged(OptionFlags flags, const OptionFlags &over) {
  for (const auto &[name, value] : over)
    flags.set(name, value);
  return flags;
}

std::unique_ptr<Engine::Impl> makeImpl(Executable &&executable, const OptionFlags &options) {
  // The options of the graph's compilation apply, unless they are overridden now.
  OptionFlags all = merged(executable.getImpl().options, options);
  auto parsed = copse::engine::checkedOptions(all, executable.getImpl().target);
  parsed.reports = copse::profile::filesOf(executable.getImpl().name, std::move(parsed.reports));
  auto impl = std::make_unique<Engine::Impl>(executable.release(), std::move(parsed));
  impl->flags = std::move(all);
  return impl;
}

} // namespace

Engine::Engine(const Graph &graph, ArrayRef<program::Program> progs, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &debugContext)
    : impl_(makeImpl(compileGraph(graph, progs, options, std::move(progress), debugContext),
                     options)) {}

Engine::Engine(const Graph &graph, const program::Program &prog, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &debugContext)
    : Engine(graph, ArrayRef<program::Program>(&prog, 1), options, std::move(progress),
             debugContext) {}

Engine::Engine(Graph &&graph, const program::Program &prog, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &debugContext)
    : Engine(graph, ArrayRef<program::Program>(&prog, 1), options, std::move(progress),
             debugContext) {}

Engine::Engine(Graph &&graph, ArrayRef<program::Program> progs, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &debugContext)
    : Engine(graph, progs, options, std::move(progress), debugContext) {}

Engine::Engine(Executable &&executable, const OptionFlags &options)
    : impl_(makeImpl(std::move(executable), options)) {}

Engine::Engine(const Executable &executable, const OptionFlags &options)
    : Engine(Executable(std::make_unique<Executable::Impl>(executable.getImpl())), options) {}

Engine::Engine(Engine &&) noexcept = default;
Engine &Engine::operator=(Engine &&) noexcept = default;
Engine::~Engine() = default;

void Engine::prepare(const Device &device) {
  const TraceSpan span("engine", "Engine::prepare");
  impl_->prepare(device);
}

void Engine::prepare(const Device &device, const RuntimeOptions &options) {
  OptionFlags all = merged(impl_->flags, options.getOptionFlags());
  impl_->setOptions(copse::engine::checkedOptions(all, impl_->executable().target));
  impl_->flags = std::move(all);
  prepare(device);
}

void Engine::deploy() {
  const TraceSpan span("engine", "Engine::deploy");
  logOf(LogModule::Engine).info("loading the program");
  impl_->deploy();
}

void Engine::load(const Device &device) {
  const TraceSpan span("engine", "Engine::load");
  prepare(device);
  deploy();
}

void Engine::stop() {
  const TraceSpan span("engine", "Engine::stop");
  impl_->stop();
}

void Engine::run(unsigned prog, const std::string &debugName) {
  const TraceSpan span("engine",
                       [&] { return "Engine::run " + std::to_string(prog) + ' ' + debugName; });
  spdlog::logger &log = logOf(LogModule::Engine);
  log.debug("running program {} {}", prog, debugName);
  impl_->simulatedErrors.raise();
  impl_->run(prog, debugName);
  log.debug("program {} is done", prog);
}

void Engine::run(unsigned prog, const std::string &debugName, const RuntimeOptions &options) {
  const OptionFlags now = copse::types::withEngineEnvironment(impl_->flags);
  for (const auto &[name, value] : options.getOptionFlags()) {
    const auto loaded = now.find(name);
    if (loaded == now.end() || loaded->second != value)
      throw invalid_option("Engine::run: option '" + name +
                           "' holds from a load on; give it to Engine::prepare()");
  }
  run(prog, debugName);
}

void Engine::loadAndRun(const Device &device, unsigned prog) {
  load(device);
  run(prog);
}

void Engine::writeTensor(StringRef handle, const void *begin, const void *end) {
  const TraceSpan span("engine", [&] { return "Engine::writeTensor " + std::string(handle); });
  impl_->writeTensor(handle, begin, bytesBetween(begin, end, "writeTensor", handle));
}
void Engine::writeTensor(StringRef handle, const void *begin) {
  const TraceSpan span("engine", [&] { return "Engine::writeTensor " + std::string(handle); });
  impl_->writeTensor(handle, begin, std::nullopt);
}
void Engine::readTensor(StringRef handle, void *begin, void *end) {
  const TraceSpan span("engine", [&] { return "Engine::readTensor " + std::string(handle); });
  impl_->readTensor(handle, begin, bytesBetween(begin, end, "readTensor", handle));
}
void Engine::readTensor(StringRef handle, void *begin) {
  const TraceSpan span("engine", [&] { return "Engine::readTensor " + std::string(handle); });
  impl_->readTensor(handle, begin, std::nullopt);
}

void Engine::writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin,
                         const void *end) {
  impl_->writeMetadata(handle, metadata);
  writeTensor(handle, begin, end);
}
void Engine::readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end) {
  readTensor(handle, begin, end);
  metadata = impl_->readMetadata(handle, false);
}

void Engine::connectStream(StringRef handle, void *begin, void *end) {
  impl_->connectBuffer(handle, begin, bytesBetween(begin, end, "connectStream", handle));
}
void Engine::connectStream(StringRef handle, void *p) {
  impl_->connectBuffer(handle, p, std::nullopt);
}
void Engine::connectStreamToCallback(StringRef handle, StreamCallbackHandle callback) {
  impl_->connectCallback(handle, std::nullopt, std::move(callback));
}
void Engine::connectStreamToCallback(StringRef handle, unsigned index,
                                     StreamCallbackHandle callback) {
  impl_->connectCallback(handle, index, std::move(callback));
}

void Engine::connectHostFunction(StringRef handle, HostCallbackHandle callback) {
  impl_->connectHostFunction(handle, std::nullopt, callback);
}
void Engine::connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback) {
  impl_->connectHostFunction(handle, index, callback);
}

void Engine::copyToRemoteBuffer(const void *src, std::string handle, std::uint64_t repeatIndex,
                                unsigned replica) {
  const TraceSpan span("engine", [&] { return "Engine::copyToRemoteBuffer " + handle; });
  impl_->copyToRemoteBuffer(handle, src, repeatIndex, replica);
}
void Engine::copyFromRemoteBuffer(std::string handle, void *dst, std::uint64_t repeatIndex,
                                  unsigned replica) {
  const TraceSpan span("engine", [&] { return "Engine::copyFromRemoteBuffer " + handle; });
  impl_->copyFromRemoteBuffer(handle, dst, repeatIndex, replica);
}

void Engine::requireRowSize(const std::string &handle, std::size_t bytes) const {
  impl_->requireRowSize(handle, bytes);
}

void Engine::setPrintStream(std::ostream &stream) { impl_->setPrintStream(stream); }
void Engine::setPrintTensorStream(std::ostream &stream) { impl_->setPrintStream(stream); }

void Engine::serializeExecutable(std::ostream &out) const {
  copse::engine::writeExecutable(impl_->executable(), out);
}

OptionFlags Engine::getEngineOptions() const { return impl_->flags; }

std::vector<std::string> Engine::listStreams() const {
  std::vector<std::string> handles;
  for (const auto &stream : impl_->executable().program.streams)
    if (!copse::graph::isOfHostFunction(stream.definition.handle))
      handles.push_back(stream.definition.handle);
  return handles;
}

void Engine::insertSimulatedError(ErrorCode error) { impl_->simulatedErrors.insert(error); }
void Engine::eraseSimulatedError(ErrorCode error) { impl_->simulatedErrors.erase(error); }
void Engine::clearSimulatedErrors() { impl_->simulatedErrors.clear(); }

Engine::TimePoint Engine::getTimeStamp() { return copse::engine::programSteadyTime(); }

} // namespace poplar
