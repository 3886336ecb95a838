#pragma once

#include "llvm_function.hpp"
#include "llvm_loops.hpp"

#include <string_view>
#include <vector>

namespace copse::popc {

/// Where an instruction of a worker is issued. A main and an aux instruction that stand side by
/// side, and do not need each other, are issued together. Source: the vendor's ISA document.
enum class Lane {
  Main,
  Aux,
  Alone ///< a call of a routine: nothing is issued beside it
};

/// One instruction, or a routine, of what the tile's compiler makes of an LLVM instruction.
struct Issue {
  Lane lane = Lane::Main;
  unsigned cycles = 1; ///< [worker cycles]
};

/// What the copy or fill of as many bytes as an operand says costs beside its Issues: one cycle
/// more for each 2^shift bytes.
struct CostPerByte {
  std::string_view bytes; ///< an operand: "%7"
  std::string_view type;  ///< "i64"
  unsigned shift = 0;
};

/// What LLVM instructions of a function become on a worker. docs/timing-model.md has the table
/// with its sources.
class WorkerCosts {
public:
  /// Keeps references to both.
  /// \param repeatLimit  the largest count of `rpt` of the architecture
  WorkerCosts(const llvm_text::Function &function, const llvm_text::Loops &loops,
              unsigned repeatLimit);

  /// In the order of issue; nothing for what costs nothing.
  std::vector<Issue> issuesOf(std::size_t instruction) const;
  /// For a copy or fill whose size is not known.
  std::optional<CostPerByte> perByteOf(std::size_t instruction) const;

private:
  using Instruction = llvm_text::Instruction;

  std::vector<Issue> ofInteger(const Instruction &instruction, std::size_t number) const;
  std::vector<Issue> ofComparison(const Instruction &instruction, std::size_t number) const;
  std::vector<Issue> ofConversion(const Instruction &instruction) const;
  std::vector<Issue> ofBitcast(const Instruction &instruction) const;
  std::vector<Issue> ofAddress(const Instruction &instruction, std::size_t number) const;
  std::vector<Issue> ofSelect(const Instruction &instruction) const;
  std::vector<Issue> ofBranch(const Instruction &instruction, std::size_t number) const;
  std::vector<Issue> ofCall(const Instruction &instruction) const;

  bool isAddressWork(const Instruction &instruction) const;
  bool isOnlyFor(std::string_view value, std::string_view user) const;
  bool countsOnly(std::size_t increment) const;
  bool repeats(const llvm_text::Loop &loop) const;
  const Instruction *definitionOf(std::string_view value) const;
  bool isLoaded(std::string_view value) const;
  bool isOfTheHost(const llvm_text::Instruction &access) const;

  const llvm_text::Function &function_;
  const llvm_text::Loops &loops_;
  unsigned repeatLimit_;
  /// An entry that calls compute() does not exist on the tile: the supervisor starts compute().
  bool startsCompute_ = false;
  std::vector<std::vector<std::size_t>> users_; ///< by instruction
};

/// Whether a function stands for an instruction of the tile, or for something that no tile does:
/// the cost of calling it is known, and its own code costs nothing.
bool isBuiltin(std::string_view functionName);

} // namespace copse::popc
