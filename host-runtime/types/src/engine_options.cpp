#include "types/engine_options.hpp"

#include "environment_options.hpp"

#include "poplar/exceptions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <regex>
#include <thread>

namespace copse::types {
namespace {

using enum OptionKind;
using enum OptionEffect;

constexpr const char *kEnvironment = "POPLAR_ENGINE_OPTIONS";
constexpr const char *kRuntimeEnvironment = "POPLAR_RUNTIME_OPTIONS";
constexpr std::string_view kLevels = "vertex|tile|ipu|device";

constexpr std::array kEngineOptions{
    OptionSpec{"autoReport.all", Boolean, "false", Used, {}},
    OptionSpec{"autoReport.directory", Text, ".", Used, {}},
    OptionSpec{"autoReport.executionProfileProgramRunCount", Integer, "2", Used, {}},
    OptionSpec{"autoReport.outputArchive", Boolean, "false", Used, {}},
    OptionSpec{"autoReport.outputDebugInfo", Boolean, "false", Used, {}},
    OptionSpec{"autoReport.outputExecutionProfile", Boolean, "false", Used, {}},
    OptionSpec{"autoReport.outputGraphProfile", Boolean, "false", Used, {}},
    OptionSpec{"autoReport.outputLoweredVars", Boolean, "false", Used, {}},
    OptionSpec{"autoReport.outputSerializedGraph", Boolean, "false", Used, {}},
    OptionSpec{"autoReport.streamAtEachRun", Boolean, "true", Hint, {}},

    OptionSpec{"copse.cycleEstimates", Word, "code", Used, "code|declared|counted"},
    OptionSpec{"copse.executableCache", Word, "auto", Used, "auto|on|off"},
    OptionSpec{"copse.report", Text, "", Used, {}},
    OptionSpec{"copse.syncTimeout", Number, "300", Used, {}},

    OptionSpec{"debug.allowOutOfMemory", Boolean, "false", Used, {}},
    OptionSpec{"debug.branchRecordFlush", Boolean, "true", Hint, {}},
    OptionSpec{"debug.branchRecordTile", Integer, "", Hint, {}},
    OptionSpec{"debug.checkpointVariables", Text, "", Missing, {}},
    OptionSpec{"debug.computeInstrumentationLevel", Word, "tile", Used, kLevels},
    OptionSpec{"debug.cpuMultiThreadExecution", Boolean, "true", Hint, {}},
    OptionSpec{"debug.exceptOnSOCError", Boolean, "", Hint, {}},
    OptionSpec{"debug.executionProfile", Word, "", Used, "compute_sets|per_vertex|per_tile|none"},
    OptionSpec{"debug.externalExchangeInstrumentationLevel", Word, "tile", Hint, kLevels},
    OptionSpec{"debug.floatPointOpException", Boolean, "false", Used, {}},
    OptionSpec{"debug.instrument", Boolean, "false", Used, {}},
    OptionSpec{"debug.instrumentCompute", Boolean, "", Used, {}},
    OptionSpec{"debug.instrumentControlFlow", Boolean, "", Used, {}},
    OptionSpec{"debug.instrumentExternalExchange", Boolean, "", Used, {}},
    OptionSpec{"debug.loweredVarDumpFile", Text, "", Used, {}},
    OptionSpec{"debug.nanOverflowException", Boolean, "false", Used, {}},
    OptionSpec{"debug.nanOverflowMode", Boolean, "false", Used, {}},
    OptionSpec{"debug.outputAllSymbols", Boolean, "false", Hint, {}},
    OptionSpec{"debug.profilingTile", Integer, "", Hint, {}},
    OptionSpec{"debug.retainDebugInformation", Boolean, "", Used, {}},
    OptionSpec{"debug.runtimeVerify", Boolean, "false", Used, {}},
    OptionSpec{"debug.supervisorStackSizeInBytes", Integer, "", Hint, {}},
    OptionSpec{"debug.trace", Boolean, "false", Used, {}},
    OptionSpec{"debug.traceFile", Text, "", Missing, {}},
    OptionSpec{"debug.verify", Boolean, "false", Used, {}},
    OptionSpec{"debug.workerStackSizeInBytes", Integer, "", Hint, {}},

    OptionSpec{"exchange.enablePrefetch", Boolean, "false", Used, {}},
    OptionSpec{"exchange.multicastPolicy", Text, "balanced", Hint, {}},
    OptionSpec{"exchange.streamBufferOverlap", Word, "any", Used, "any|none|hostRearrangeOnly"},

    OptionSpec{"opt.enableInlining", Boolean, "true", Hint, {}},
    OptionSpec{"opt.enableMultiAccessCopies", Boolean, "true", Hint, {}},
    OptionSpec{"opt.enableSwSyncs", Boolean, "false", Used, {}},
    OptionSpec{"opt.internalExchangeOptimisationTarget", Word, "balanced", Hint,
               "cycles|memory|balanced"},
    OptionSpec{"opt.limitVertexStateToLower256K", Boolean, "false", Hint, {}},
    OptionSpec{"opt.maxCompilationThreads", Integer, "0", Used, {}},
    OptionSpec{"opt.maxCopyMergeSize", Integer, "", Hint, {}},
    OptionSpec{"opt.maxLinkerThreads", Integer, "0", Hint, {}},
    OptionSpec{"opt.useAutoloader", Boolean, "true", Hint, {}},

    OptionSpec{"prng.enableStochasticRounding", Boolean, "false", Used, {}},
    OptionSpec{"prng.seed", Text, "", Missing, {}},

    OptionSpec{"profiler.blocks.filter", Text, "", Used, {}},
    OptionSpec{"profiler.blocks.implicitFlush", Boolean, "true", Hint, {}},
    OptionSpec{"profiler.format", Text, "", Hint, {}},
    OptionSpec{"profiler.includeCycleEstimates", Boolean, "false", Used, {}},
    OptionSpec{"profiler.includeFlopEstimates", Boolean, "false", Hint, {}},
    OptionSpec{"profiler.perExecutionStreamCopyCycles", Boolean, "false", Hint, {}},
    OptionSpec{"profiler.programs.filter", Text, "", Used, {}},
    OptionSpec{"profiler.replicaToProfile", IntegerOrWord, "all", Missing, "all"},

    OptionSpec{"streamCallbacks.maxLookahead", IntegerOrWord, "unlimited", Used, "unlimited"},
    OptionSpec{"streamCallbacks.multiThreadMode", Word, "singleThread", Used,
               "singleThread|collaborative|dedicated"},
    OptionSpec{"streamCallbacks.numWorkerThreads", IntegerOrWord, "0", Used, "auto"},
    OptionSpec{"streamCallbacks.numaAware", Boolean, "false", Hint, {}},

    OptionSpec{"target.deterministicWorkers", Word, "true", Hint, "true|false|portable"},
    OptionSpec{"target.exceptionPollPeriodUs", Integer, "250000", Hint, {}},
    OptionSpec{"target.extendedMemory", Boolean, "false", Hint, {}},
    OptionSpec{"target.firstRuntimeReplica", Integer, "0", Used, {}},
    OptionSpec{"target.gatewayMode", Boolean, "", Hint, {}},
    OptionSpec{"target.gatewayWriteCombining", Boolean, "", Hint, {}},
    OptionSpec{"target.hostSyncTimeout", Number, "300", Used, {}},
    OptionSpec{"target.maxStreamCallbackThreadsPerNumaNode", IntegerOrWord, "0", Hint, "auto"},
    OptionSpec{"target.numberRuntimeReplica", Integer, "", Used, {}},
    OptionSpec{"target.saveArchive", Text, "", Used, {}},
    OptionSpec{"target.supervisorStackSizeInBytes", Integer, "", Hint, {}},
    OptionSpec{"target.syncMethod", Word, "default", Hint, "default|polling|hybrid"},
    OptionSpec{"target.syncPollPeriodUs", Integer, "0", Hint, {}},
    OptionSpec{"target.syncReplicasIndependently", Boolean, "false", Used, {}},
    OptionSpec{"target.useBufferedCompletions", Boolean, "true", Hint, {}},
    OptionSpec{"target.workerStackSizeInBytes", Integer, "", Hint, {}},
};

/// Options that do not affect compilation.
constexpr std::array<std::string_view, 15> kOfTheRunTime{
    "copse.report",
    "copse.syncTimeout",
    "streamCallbacks.maxLookahead",
    "streamCallbacks.multiThreadMode",
    "streamCallbacks.numWorkerThreads",
    "streamCallbacks.numaAware",
    "target.exceptionPollPeriodUs",
    "target.firstRuntimeReplica",
    "target.gatewayWriteCombining",
    "target.hostSyncTimeout",
    "target.maxStreamCallbackThreadsPerNumaNode",
    "target.numberRuntimeReplica",
    "target.syncMethod",
    "target.syncPollPeriodUs",
    "target.useBufferedCompletions",
};

StreamBufferOverlap overlapOf(std::string_view word) {
  if (word == "none")
    return StreamBufferOverlap::None;
  return word == "any" ? StreamBufferOverlap::Any : StreamBufferOverlap::HostRearrangeOnly;
}

InstrumentationLevel levelOf(std::string_view word) {
  if (word == "vertex")
    return InstrumentationLevel::Vertex;
  if (word == "ipu")
    return InstrumentationLevel::Ipu;
  return word == "device" ? InstrumentationLevel::Device : InstrumentationLevel::Tile;
}

ExecutableCacheUse cacheUseOf(std::string_view word) {
  if (word == "on")
    return ExecutableCacheUse::On;
  return word == "off" ? ExecutableCacheUse::Off : ExecutableCacheUse::Auto;
}

CycleSource cycleSourceOf(std::string_view word) {
  if (word == "declared")
    return CycleSource::Declared;
  return word == "counted" ? CycleSource::Counted : CycleSource::Code;
}

bool booleanOr(const OptionReader &reader, std::string_view name, bool otherwise) {
  return reader.isSet(name) ? reader.boolean(name) : otherwise;
}

InstrumentationOptions instrumentationOf(const OptionReader &reader, bool profiled) {
  // debug.executionProfile is the older name of compute instrumentation and its level.
  const std::string_view older = reader.word("debug.executionProfile");
  const bool all = booleanOr(reader, "debug.instrument", profiled);
  InstrumentationOptions options;
  options.compute =
      booleanOr(reader, "debug.instrumentCompute", older.empty() ? all : older != "none");
  options.externalExchange = booleanOr(reader, "debug.instrumentExternalExchange", all);
  options.controlFlow = booleanOr(reader, "debug.instrumentControlFlow", all);
  options.level = levelOf(reader.word("debug.computeInstrumentationLevel"));
  if (older == "per_vertex" && !reader.isSet("debug.computeInstrumentationLevel"))
    options.level = InstrumentationLevel::Vertex;
  return options;
}

ReportFiles reportFilesOf(const OptionReader &reader) {
  const bool all = reader.boolean("autoReport.all");
  ReportFiles files;
  files.directory = reader.text("autoReport.directory");
  files.graphProfile = booleanOr(reader, "autoReport.outputGraphProfile", all);
  files.executionProfile = booleanOr(reader, "autoReport.outputExecutionProfile", all);
  files.debugInfo = booleanOr(reader, "autoReport.outputDebugInfo", all);
  files.loweredVariables = booleanOr(reader, "autoReport.outputLoweredVars", all);
  files.archive = booleanOr(reader, "autoReport.outputArchive", all);
  files.serializedGraph = booleanOr(reader, "autoReport.outputSerializedGraph", all);
  files.runs = reader.integer("autoReport.executionProfileProgramRunCount");
  files.page = reader.text("copse.report");
  return files;
}

bool environmentAsksForDebugInfo() {
  return reportFilesOf({"engine option", kEngineOptions, withEnvironment({}, kEnvironment)})
      .debugInfo;
}

/// Returns the value of an option in seconds.
/// \throws poplar::invalid_option if no clock can represent the time
std::chrono::milliseconds secondsOf(const OptionReader &reader, std::string_view name) {
  const double seconds = reader.number(name);
  constexpr double kYear = 365.0 * 24 * 3600;
  if (seconds > kYear)
    throw poplar::invalid_option("engine option '" + std::string(name) + "': value '" +
                                 reader.text(name) + "' is more than a year of seconds");
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

unsigned unsignedOf(const OptionReader &reader, std::string_view name) {
  const std::uint64_t value = reader.integer(name);
  if (value > std::numeric_limits<unsigned>::max())
    throw poplar::invalid_option("engine option '" + std::string(name) + "': value '" +
                                 reader.text(name) + "' is too large");
  return static_cast<unsigned>(value);
}

std::string regexOf(const OptionReader &reader, std::string_view name) {
  try {
    std::regex checked(reader.text(name));
  } catch (const std::regex_error &e) {
    throw poplar::invalid_option("engine option '" + std::string(name) + "': value '" +
                                 reader.text(name) + "' is no regular expression: " + e.what());
  }
  return reader.text(name);
}

/// Returns the number of concurrent callbacks. With `collaborative`, the thread that serves the run
/// counts as a worker.
unsigned callbacksSideBySide(const OptionReader &reader) {
  constexpr std::string_view kThreads = "streamCallbacks.numWorkerThreads";
  constexpr unsigned kMost = 1024;
  const std::string_view mode = reader.word("streamCallbacks.multiThreadMode");
  const unsigned given = reader.word(kThreads).empty() ? unsignedOf(reader, kThreads) : 0;
  if (mode == "singleThread")
    return 0;
  const unsigned threads =
      given > 0 ? std::min(given, kMost) : std::max(2U, std::thread::hardware_concurrency());
  return mode == "collaborative" ? threads + 1 : threads;
}

} // namespace

std::span<const OptionSpec> engineOptionTable() { return kEngineOptions; }

poplar::OptionFlags withRuntimeEnvironment(const poplar::OptionFlags &flags) {
  poplar::OptionFlags runtime;
  poplar::readJSONFromEnv(kRuntimeEnvironment, runtime);
  try {
    requireRuntimeOptions(runtime);
  } catch (const poplar::invalid_option &e) {
    throw poplar::invalid_option(std::string(kRuntimeEnvironment) + ": " + e.what());
  }
  poplar::OptionFlags merged = flags;
  for (const auto &[name, value] : runtime)
    merged.set(name, value);
  return merged;
}

poplar::OptionFlags withEngineEnvironment(const poplar::OptionFlags &flags) {
  return withRuntimeEnvironment(withEnvironment(flags, kEnvironment));
}

void requireRuntimeOptions(const poplar::OptionFlags &flags) {
  (void)OptionReader("engine option", kEngineOptions, flags);
  for (const auto &[name, value] : flags)
    if (std::find(kOfTheRunTime.begin(), kOfTheRunTime.end(), name) == kOfTheRunTime.end())
      throw poplar::invalid_option(
          "engine option '" + name +
          "' is for the compilation of a graph, not for its run time; give it to compileGraph()");
}

EngineOptions parseEngineOptions(const poplar::OptionFlags &flags, const OptionWarning &warning) {
  const OptionReader reader("engine option", kEngineOptions, withEngineEnvironment(flags));
  reader.reportMissing(warning);

  EngineOptions options;
  options.prefetch = reader.boolean("exchange.enablePrefetch");
  options.streamBufferOverlap = overlapOf(reader.word("exchange.streamBufferOverlap"));
  options.softwareSyncs = reader.boolean("opt.enableSwSyncs");
  options.syncReplicasIndependently = reader.boolean("target.syncReplicasIndependently");
  options.hostSyncTimeout = secondsOf(reader, "target.hostSyncTimeout");
  options.syncTimeout = secondsOf(reader, "copse.syncTimeout");
  options.allowOutOfMemory = reader.boolean("debug.allowOutOfMemory");
  if (reader.isSet("debug.retainDebugInformation"))
    options.retainDebugInformation = reader.boolean("debug.retainDebugInformation");
  options.verify = reader.boolean("debug.verify");
  options.runtimeVerify = reader.boolean("debug.runtimeVerify");
  options.trace = reader.boolean("debug.trace");
  options.reports = reportFilesOf(reader);
  options.reports.graphDebugInfo = options.reports.debugInfo && !environmentAsksForDebugInfo();
  if (options.reports.graphDebugInfo && reader.isSet("autoReport.outputDebugInfo") && warning)
    warning("autoReport.outputDebugInfo, set by the program, writes only the debug information of "
            "the graph; "
            "set in POPLAR_ENGINE_OPTIONS, it also records the debug information of libraries");
  options.profileFilters = {regexOf(reader, "profiler.programs.filter"),
                            regexOf(reader, "profiler.blocks.filter")};
  options.instrumentation = instrumentationOf(reader, options.reports.executionProfile);
  options.floatingPoint.exceptions = reader.boolean("debug.floatPointOpException");
  options.floatingPoint.nanOnOverflow =
      reader.boolean("debug.nanOverflowException") || reader.boolean("debug.nanOverflowMode");
  options.floatingPoint.stochasticRounding = reader.boolean("prng.enableStochasticRounding");
  options.compilationThreads = unsignedOf(reader, "opt.maxCompilationThreads");
  options.archiveFile = reader.text("target.saveArchive");
  options.executableCache = cacheUseOf(reader.word("copse.executableCache"));
  options.variableDumpFile = reader.text("debug.loweredVarDumpFile");
  options.cycleSource = cycleSourceOf(reader.word("copse.cycleEstimates"));
  options.cycleEstimates = reader.boolean("profiler.includeCycleEstimates");
  if (reader.word("streamCallbacks.maxLookahead").empty())
    options.callbackLookahead = reader.integer("streamCallbacks.maxLookahead");
  options.callbacksSideBySide = callbacksSideBySide(reader);
  options.firstRuntimeReplica = unsignedOf(reader, "target.firstRuntimeReplica");
  if (reader.isSet("target.numberRuntimeReplica"))
    options.numberRuntimeReplica = unsignedOf(reader, "target.numberRuntimeReplica");

  if (options.prefetch && options.streamBufferOverlap == StreamBufferOverlap::Any && warning)
    warning("exchange.enablePrefetch has no effect while exchange.streamBufferOverlap is 'any'; "
            "set it to "
            "'hostRearrangeOnly' or 'none'");
  return options;
}

RuntimeReplicas EngineOptions::runtimeReplicas(std::uint32_t replicas) const {
  const bool isThere = firstRuntimeReplica < replicas;
  const std::uint32_t number =
      numberRuntimeReplica.value_or(isThere ? replicas - firstRuntimeReplica : 1);
  if (!isThere || number == 0 || number > replicas - firstRuntimeReplica)
    throw poplar::invalid_option(
        "engine options 'target.firstRuntimeReplica' and 'target.numberRuntimeReplica' name " +
        std::to_string(number) + " replicas from number " + std::to_string(firstRuntimeReplica) +
        " on, but there are " + std::to_string(replicas));
  return {firstRuntimeReplica, number};
}

void checkSoftwareSyncs(const EngineOptions &options, SyncConfiguration syncConfiguration) {
  if (!options.softwareSyncs)
    return;
  const std::string option = "engine option 'opt.enableSwSyncs': value 'true' ";
  if (options.syncReplicasIndependently)
    throw poplar::invalid_option(option + "does not go with 'target.syncReplicasIndependently'");
  if (syncConfiguration != SyncConfiguration::IntraReplicaAndAll)
    throw poplar::invalid_option(
        option + "needs the target option 'syncConfiguration' to be 'intraReplicaAndAll'");
}

} // namespace copse::types
