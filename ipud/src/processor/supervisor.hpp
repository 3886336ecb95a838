#pragma once

#include "processor/tile_processor.hpp"

namespace copse::ipud {

/// A function of the supervisor while it runs, or native code that runs as one and executes blocks
/// of instructions. Workers run to their end when they are launched, those of
/// one `runall` in step; the supervisor's clock then tells which of them are still active.
class Supervisor {
public:
  Supervisor(TileProcessor &processor, TileContexts &tile, std::byte *memory, std::uint32_t tileId);

  TileProcessor::Result run(std::uint32_t entry, std::uint32_t vertexBase, std::uint32_t stack);
  /// Instructions that are in no tile's memory, all of \p block. Time and workers go on from one
  /// block to the next.
  /// \returns how long it took, and the status of all workers so far
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
  std::uint64_t clock_ = 0;                         ///< of the next issue [tile cycles]
  std::array<std::uint64_t, 16> ready_{};           ///< when each register has its value
  std::array<std::uint64_t, kWorkers> busyUntil_{}; ///< when each worker ends
  bool localStatus_ = true, launchError_ = false;
  std::unique_ptr<TileFault> workerFault_;
};

} // namespace copse::ipud
