#pragma once

#include "poplar/OptionFlags.hpp"
#include "types/option_reader.hpp"
#include "types/target_description.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace copse::types {

/// Controls whether host-side stream buffers may share memory, which excludes prefetch. Source:
/// guide, 2.6.4.
enum class StreamBufferOverlap : std::uint8_t { Any, None, HostRearrangeOnly };

/// The unit for which cycles are measured. Source: guide, 8.1.1.
enum class InstrumentationLevel : std::uint8_t { Vertex, Tile, Ipu, Device };

struct InstrumentationOptions {
  bool compute = false, externalExchange = false, controlFlow = false;
  InstrumentationLevel level = InstrumentationLevel::Tile;
};

/// Controls whether executables are cached on disk and reused when an equal graph is compiled.
enum class ExecutableCacheUse : std::uint8_t {
  Auto, ///< cache executables that took long to compile
  On,
  Off
};

/// Where the cycles of a vertex come from (docs/timing-model.md).
enum class CycleSource : std::uint8_t {
  Code,     ///< an estimate, else the code, which counts cycles as it runs
  Declared, ///< an estimate, else a formula of the sizes of the fields
  Counted   ///< as Code, but estimates that the program sets for a vertex have no effect
};

/// Which report files an engine writes, and where (autoReport options).
struct ReportFiles {
  std::string directory = ".";
  bool graphProfile = false, executionProfile = false, debugInfo = false;
  bool loweredVariables = false, archive = false, serializedGraph = false;
  /// True if the program requests debugInfo and the environment does not. Then only the debug info
  /// of the graph itself can be written.
  bool graphDebugInfo = false;
  std::uint64_t runs = 2; ///< runs that an execution profile records
  /// HTML file that shows the profile, updated after each recorded run; empty: none.
  std::string page;
};

/// Which parts of an execution are in its profile: regular expressions that must match somewhere in
/// a name; empty: all.
struct ProfileFilters {
  std::string programs, blocks;
};

/// The floating-point modes when a program starts.
struct FloatingPointOptions {
  bool exceptions = false; ///< inv, div0 and oflo
  bool nanOnOverflow = false;
  bool stochasticRounding = false; ///< when rounding to halves
};

/// The replicas that a host program runs: [first, first + number).
struct RuntimeReplicas {
  std::uint32_t first = 0, number = 1;
};

/// The engine options that have an effect, with their defaults.
struct EngineOptions {
  bool prefetch = false; ///< requested; mayPrefetch() says whether it is allowed
  StreamBufferOverlap streamBufferOverlap = StreamBufferOverlap::Any;
  bool softwareSyncs = false;
  bool syncReplicasIndependently = false;
  /// The longest wait for the host [wall-clock]; 0: unlimited.
  std::chrono::milliseconds hostSyncTimeout{300'000};
  /// The longest wait of IPUs for each other, and for the end of a compute set [wall-clock].
  std::chrono::milliseconds syncTimeout{300'000};
  bool allowOutOfMemory = false;
  std::optional<bool> retainDebugInformation; ///< empty: true on CPU and model, false on hardware
  bool verify = false, runtimeVerify = false, trace = false;
  InstrumentationOptions instrumentation;
  ReportFiles reports;
  ProfileFilters profileFilters;
  FloatingPointOptions floatingPoint;
  std::uint64_t workerSeed = 0;    ///< SimulatorOptions::workerSeed
  unsigned compilationThreads = 0; ///< 0: number of cores
  std::string archiveFile;         ///< path for the executable; empty: not saved
  ExecutableCacheUse executableCache = ExecutableCacheUse::Auto;
  /// The path for the addresses of variables as text; if empty, they are not written.
  std::string variableDumpFile;
  bool cycleEstimates = false; ///< include estimates in profiles
  CycleSource cycleSource = CycleSource::Code;
  /// Transfers by which prefetch may run ahead; empty: unlimited.
  std::optional<std::uint64_t> callbackLookahead;

  std::uint32_t firstRuntimeReplica = 0;
  std::optional<std::uint32_t> numberRuntimeReplica; ///< empty: all from the first one on
  /// Returns the replicas that this host program runs; other host programs run the others.
  /// \param replicas  number of all replicas
  /// \throws poplar::invalid_option if the replicas do not exist
  RuntimeReplicas runtimeReplicas(std::uint32_t replicas) const;

  /// The number of concurrent stream callbacks, of different streams; 0: one at a time.
  unsigned callbacksSideBySide = 0;

  /// Returns the longest wait of an IPU for another IPU, which may itself wait for the host.
  std::chrono::milliseconds ipuTimeout() const {
    return hostSyncTimeout == std::chrono::milliseconds::zero()
               ? std::chrono::milliseconds::max()
               : std::max(syncTimeout, hostSyncTimeout);
  }

  /// Returns true if prefetch was requested and the overlap of buffers allows it (guide, 2.6.4).
  bool mayPrefetch() const {
    return prefetch && streamBufferOverlap != StreamBufferOverlap::Any && callbackLookahead != 0;
  }
  /// Returns true if one stream may prefetch.
  /// \param rearranged  the host rearranges the stream's data, in buffers that hostRearrangeOnly
  ///   lets overlap
  bool mayPrefetch(bool rearranged) const {
    return mayPrefetch() &&
           !(rearranged && streamBufferOverlap == StreamBufferOverlap::HostRearrangeOnly);
  }
  /// Returns the number of rows by which prefetch of a stream may run ahead.
  /// \param bufferingDepth  the stream's buffering depth
  std::uint32_t prefetchDepth(std::uint32_t bufferingDepth) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(bufferingDepth, callbackLookahead.value_or(bufferingDepth)));
  }
};

/// Returns all engine options of all versions, with types and defaults.
std::span<const OptionSpec> engineOptionTable();

/// Returns \p flags overridden by POPLAR_ENGINE_OPTIONS, and these by POPLAR_RUNTIME_OPTIONS.
/// \throws poplar::parse_error if a variable is malformed; poplar::invalid_option as
///   requireRuntimeOptions()
poplar::OptionFlags withEngineEnvironment(const poplar::OptionFlags &flags);
/// Returns \p flags overridden by POPLAR_RUNTIME_OPTIONS only.
poplar::OptionFlags withRuntimeEnvironment(const poplar::OptionFlags &flags);

/// \throws poplar::invalid_option if one of \p flags is not an engine option, has an invalid value,
///   or affects compilation
void requireRuntimeOptions(const poplar::OptionFlags &flags);

/// Returns withEngineEnvironment(flags), checked.
///
/// \param warning  receives one warning about all accepted options without effect, and about
///   prefetch that overlap prevents
/// \throws poplar::invalid_option; poplar::parse_error if the variable is malformed
EngineOptions parseEngineOptions(const poplar::OptionFlags &flags,
                                 const OptionWarning &warning = {});

/// Checks software syncs, which require intraReplicaAndAll and replicas that do not sync
/// independently. Source: guide, 2.7.3.
/// \throws poplar::invalid_option
void checkSoftwareSyncs(const EngineOptions &options, SyncConfiguration syncConfiguration);

} // namespace copse::types
