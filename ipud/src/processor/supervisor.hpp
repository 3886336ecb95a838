#pragma once

#include "processor/tile_processor.hpp"

namespace copse::ipud {

/// Runs a supervisor function, or blocks of instructions for native code that runs as a supervisor.
/// Workers run to their end when they are launched; the workers of one `runall` run in step. The
/// supervisor's clock then tells which of them are still active.
class Supervisor {
public:
  Supervisor(TileProcessor &processor, TileContexts &tile, std::byte *memory, std::uint32_t tileId);

  TileProcessor::Result run(std::uint32_t entry, std::uint32_t vertexBase, std::uint32_t stack);
  /// Runs all of \p block, whose instructions are in no tile's memory. Time and workers continue
  /// from one block to the next.
  /// \returns the duration, and the status of all workers so far
  TileProcessor::Result runBlock(const CodePage &block);
  RegisterFiles &registers() { return core_.registers; }

private:
  using Instruction = isa::Instruction;
  TileProcessor::Result runTo(std::uint32_t end);
  bool step();
  bool stepOther(const Instruction &instruction);
  bool own(const Instruction &instruction);
  bool isEntry(std::uint32_t address) const;
  bool launchOne(const Instruction &instruction);
  bool launchAll(const Instruction &instruction);
  bool launch(unsigned first, unsigned last, std::uint32_t entry, std::uint32_t vertexBase,
              std::uint32_t stride);
  bool sync(std::uint32_t zone);
  bool get(const Instruction &instruction);
  bool put(const Instruction &instruction);
  bool loadWeights(const Instruction &instruction);
  std::uint32_t readCsr(std::uint32_t index) const;
  bool writeCsr(std::uint32_t index, std::uint32_t value);
  std::uint32_t contextStatus() const;
  bool isActive(unsigned worker) const { return busyUntil_[worker] > clock_; }
  void wait(const Instruction &instruction);
  void finish(const Instruction &instruction, bool jumped);

  TileProcessor &processor_;
  TileContexts &tile_;
  Core &core_;
  Fetcher fetcher_;
  const std::uint32_t tileId_;
  const SupervisorTiming timing_;
  std::uint64_t clock_ = 0;                         ///< time of the next issue [tile cycles]
  std::array<std::uint64_t, 16> ready_{};           ///< time at which each register is available
  std::array<std::uint64_t, kWorkers> busyUntil_{}; ///< end of each worker
  bool localStatus_ = true, launchError_ = false;
  std::unique_ptr<TileFault> workerFault_;
};

} // namespace copse::ipud
