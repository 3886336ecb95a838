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

/// Whether host-side stream buffers may share memory; prefetch needs that they do not.  Source:
/// guide, 2.6.4.
enum class StreamBufferOverlap : std::uint8_t { Any, None, HostRearrangeOnly };

/// What cycles are measured of.  Source: guide, 8.1.1.
enum class InstrumentationLevel : std::uint8_t { Vertex, Tile, Ipu, Device };

struct InstrumentationOptions {
  bool compute = false, externalExchange = false, controlFlow = false;
  InstrumentationLevel level = InstrumentationLevel::Tile;
};

/// Whether executables are kept on disk and taken from there when the same graph is compiled again.
enum class ExecutableCacheUse : std::uint8_t {
  Auto, ///< those that took long to compile
  On,
  Off
};

struct ReportFiles {
  std::string directory = ".";
  bool graphProfile = false, executionProfile = false, debugInfo = false;
  bool loweredVariables = false, archive = false, serializedGraph = false;
  /// The program asks for debugInfo and the environment does not: only what the graph itself knows
  /// can be written.
  bool graphDebugInfo = false;
  std::uint64_t runs = 2; ///< runs that an execution profile records
  std::string page;       ///< HTML file that shows the profile after each recorded run; empty: none
};

/// What of an execution is in its profile: regular expressions that names contain; empty: all.
struct ProfileFilters {
  std::string programs, blocks;
};

/// State of the floating-point control when a program starts.
struct FloatingPointOptions {
  bool exceptions = false; ///< inv, div0 and oflo
  bool nanOnOverflow = false;
  bool stochasticRounding = false; ///< of halves
};

/// The replicas that a host program runs: [first, first + number).
struct RuntimeReplicas {
  std::uint32_t first = 0, number = 1;
};

/// The engine options that have an effect, with their defaults.
struct EngineOptions {
  bool prefetch = false; ///< asked for; mayPrefetch() says whether it happens
  StreamBufferOverlap streamBufferOverlap = StreamBufferOverlap::Any;
  bool softwareSyncs = false;
  bool syncReplicasIndependently = false;
  std::chrono::milliseconds hostSyncTimeout{300'000}; ///< for the host [wall-clock]; 0: for ever
  /// Of IPUs for each other, and for the end of a compute set [wall-clock].
  std::chrono::milliseconds syncTimeout{300'000};
  bool allowOutOfMemory = false;
  std::optional<bool> retainDebugInformation; ///< not set: true on CPU and model, false on hardware
  bool verify = false, runtimeVerify = false, trace = false;
  InstrumentationOptions instrumentation;
  ReportFiles reports;
  ProfileFilters profileFilters;
  FloatingPointOptions floatingPoint;
  std::uint64_t workerSeed = 0;    ///< SimulatorOptions::workerSeed
  unsigned compilationThreads = 0; ///< 0: as many as cores
  std::string archiveFile;         ///< the executable is saved there; empty: not
  ExecutableCacheUse executableCache = ExecutableCacheUse::Auto;
  std::string variableDumpFile; ///< where variables lie, as text; empty: not
  bool cycleEstimates = false;  ///< in profiles
  /// What vertices take that nobody gave an estimate for: what their code counts as it runs, or a
  /// figure that depends on the sizes of their fields only.
  bool cyclesFromCode = true;
  std::optional<std::uint64_t>
      callbackLookahead; ///< transfers that prefetch may run ahead; not set: unlimited

  std::uint32_t firstRuntimeReplica = 0;
  std::optional<std::uint32_t> numberRuntimeReplica; ///< not set: all from the first one on
  /// The replicas that this host program runs; other host programs run the others.
  /// \param replicas  that the program has in all
  /// \throws poplar::invalid_option if there are no such replicas
  RuntimeReplicas runtimeReplicas(std::uint32_t replicas) const;

  /// Calls of stream callbacks at once, of different streams; 0: they take turns.
  unsigned callbacksSideBySide = 0;

  /// Longest wait of an IPU for another one, which may itself wait for the host.
  std::chrono::milliseconds ipuTimeout() const {
    return hostSyncTimeout == std::chrono::milliseconds::zero()
               ? std::chrono::milliseconds::max()
               : std::max(syncTimeout, hostSyncTimeout);
  }

  /// Prefetch was asked for, and the overlap of buffers allows it (guide, 2.6.4).
  bool mayPrefetch() const {
    return prefetch && streamBufferOverlap != StreamBufferOverlap::Any && callbackLookahead != 0;
  }
  /// The same for one stream.
  /// \param rearranged  whether the host rearranges its data, in buffers that hostRearrangeOnly
  ///   lets overlap
  bool mayPrefetch(bool rearranged) const {
    return mayPrefetch() &&
           !(rearranged && streamBufferOverlap == StreamBufferOverlap::HostRearrangeOnly);
  }
  /// Rows of a stream that prefetch may run ahead.
  /// \param bufferingDepth  the stream's
  std::uint32_t prefetchDepth(std::uint32_t bufferingDepth) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(bufferingDepth, callbackLookahead.value_or(bufferingDepth)));
  }
};

/// All engine options of all versions, with type and default.
std::span<const OptionSpec> engineOptionTable();

/// \p flags with those of POPLAR_ENGINE_OPTIONS put over them, and of POPLAR_RUNTIME_OPTIONS over
/// these.
/// \throws poplar::parse_error if a variable is malformed; poplar::invalid_option as
///         requireRuntimeOptions()
poplar::OptionFlags withEngineEnvironment(const poplar::OptionFlags &flags);
/// The same of POPLAR_RUNTIME_OPTIONS alone.
poplar::OptionFlags withRuntimeEnvironment(const poplar::OptionFlags &flags);

/// \throws poplar::invalid_option if one of \p flags is no engine option, has no such value, or
/// changes what a graph is compiled to
void requireRuntimeOptions(const poplar::OptionFlags &flags);

/// withEngineEnvironment(flags), checked.
///
/// \param warning  told once of all that is accepted but has no effect, and of prefetch that
///   overlap prevents
/// \throws poplar::invalid_option; poplar::parse_error if the variable is malformed
EngineOptions parseEngineOptions(const poplar::OptionFlags &flags,
                                 const OptionWarning &warning = {});

/// Software syncs are only possible with intraReplicaAndAll, and if replicas do not sync on their
/// own. Source: guide, 2.7.3.
/// \throws poplar::invalid_option
void checkSoftwareSyncs(const EngineOptions &options, SyncConfiguration syncConfiguration);

} // namespace copse::types
