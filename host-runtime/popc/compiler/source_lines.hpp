#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>
#include <string>

namespace copse::popc {

/// Maps instructions of a module to lines of the user's source, by the module's line tables.
class SourceLines {
public:
  /// \param headers  folder of headers that are no sources of the user: an instruction that was
  ///   inlined from them gets the line of the call
  explicit SourceLines(std::string headers) : headers_(std::move(headers)) {}

  /// Returns the place "/path/file.cpp:12" of an instruction or of a function's first line; empty
  /// if unknown.
  std::string of(const llvm::Instruction &instruction) const;
  std::string of(const llvm::Function &function) const;

private:
  std::string placeIn(const llvm::DIFile *file, unsigned line) const;

  std::string headers_;
};

} // namespace copse::popc
