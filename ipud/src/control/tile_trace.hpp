#pragma once

#include "control/loaded.hpp"
#include "control/step_observer.hpp"
#include "tile/vertex_trace.hpp"

#include "ipud/tile_trace_options.hpp"

#include <fstream>
#include <map>
#include <string>

namespace copse::ipud {

/// Traces the tile instructions of one IPU to files with one JSON object per line:
///   ipuN-PID.instructions.jsonl  each instruction or bundle, in the order of execution
///   ipuN-PID.statistics.jsonl    per vertex class, what was gathered between two flush() calls
class TileTrace : public VertexTrace, public StepObserver {
public:
  TileTrace(const TileTraceOptions &options, const Loaded &loaded);

  /// Returns true if this IPU is to be traced.
  static bool wantsIpu(const TileTraceOptions &options, const PlaceInPartition &placement);

  void beginComputeSet(std::uint32_t index, Vertices &vertices) override;
  bool wants(std::uint32_t tile) const override;
  void enter(std::uint32_t tile, const wire::VertexRecord &vertex) override;
  void leave(std::uint64_t cycles) override;
  void issue(const Core &core, unsigned context) override;

  /// Writes all gathered data to the files.
  void flush() override;

private:
  /// The instructions that the vertices of one class have executed.
  struct Statistics {
    std::uint64_t vertices = 0, cycles = 0, issues = 0, bundles = 0;
    std::map<std::string, std::uint64_t, std::less<>> instructions; ///< by mnemonic
  };
  void list(const Core &core, unsigned context, const std::array<std::uint32_t, 2> &words);

  const TileTraceOptions options_;
  const Loaded &loaded_;
  std::filesystem::path file_; ///< without extension
  std::ofstream instructions_;
  std::uint64_t listed_ = 0;
  const wire::ComputeSet *computeSet_ = nullptr;
  std::uint32_t tile_ = 0;
  const wire::CodeletFunction *function_ = nullptr;
  Statistics *current_ = nullptr;                ///< statistics of function_
  std::map<std::string, Statistics> statistics_; ///< by vertex class
};

} // namespace copse::ipud
