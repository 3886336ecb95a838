#pragma once

#include "llvm_function.hpp"
#include "llvm_loops.hpp"

#include <string_view>
#include <vector>

namespace copse::popc {

/// The pipeline in which an instruction of a worker is issued. Adjacent main and aux instructions
/// are issued together if they do not depend on each other. Source: the vendor's ISA document.
enum class Lane {
  Main,
  Aux,
  Alone ///< a call of a routine, which is issued alone
};

/// One instruction or routine that the tile's compiler makes of an LLVM instruction.
struct Issue {
  Lane lane = Lane::Main;
  unsigned cycles = 1; ///< [worker cycles]
};

/// The variable cost of a copy or fill, in addition to its Issues: one cycle for each 2^shift
/// bytes.
struct CostPerByte {
  std::string_view bytes; ///< an operand: "%7"
  std::string_view type;  ///< "i64"
  unsigned shift = 0;
};

/// Tells what LLVM instructions of a function cost on a worker. docs/timing-model.md has the table
/// with its sources.
class WorkerCosts {
public:
  /// Keeps references to \p function and \p loops.
  /// \param repeatLimit  the largest count of the architecture's `rpt`
  WorkerCosts(const llvm_text::Function &function, const llvm_text::Loops &loops,
              unsigned repeatLimit);

  /// Returns the instructions in order of issue; empty for an instruction that costs nothing.
  std::vector<Issue> issuesOf(std::size_t instruction) const;
  /// Returns the variable cost of a copy or fill whose size is not known.
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
  /// An entry that calls compute() does not exist on the tile, where the supervisor starts
  /// compute().
  bool startsCompute_ = false;
  std::vector<std::vector<std::size_t>> users_; ///< users of each instruction
};

/// Returns true if a function stands for an instruction of the tile, or for something that tiles do
/// not do. The cost of a call of it is known, and its own code costs nothing.
bool isBuiltin(std::string_view functionName);

} // namespace copse::popc
