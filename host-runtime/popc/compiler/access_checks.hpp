#pragma once

#include <llvm/IR/PassManager.h>
#include <string>

namespace copse::popc {

/// `copse check` has to compare each access to tile memory with the fields of the vertex. Inserts a
/// call of wire::kCheckAccessSymbol in front of each load and store that may access tile memory.
/// The call also gives the access's place in the source. The module's results and the cycles that
/// it counts stay unchanged.
///
/// The module must be simplified, with line tables, and with its cycles already counted, so that
/// the inserted code costs none.
class AccessChecksPass : public llvm::PassInfoMixin<AccessChecksPass> {
public:
  /// \param headers  folder of the device headers: an access in one of them is attributed to the
  ///   calling code
  explicit AccessChecksPass(std::string headers) : headers_(std::move(headers)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  std::string headers_;
};

} // namespace copse::popc
