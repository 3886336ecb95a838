#pragma once

#include "popc/vertex_type.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

struct FoundCode;

/// How clang is to read an expanded source.
struct SourceToParse {
  std::string text;
  std::string path;
  Architecture arch = Architecture::Cpu;
  std::vector<std::string> arguments; ///< for clang
  /// Text for the module's description (runtimeSymbols()); nothing: the text has its entry points
  /// already.
  std::optional<std::string> moduleInfo;
};

/// A source that clang has parsed once.
struct ParsedCode {
  ParsedCode();
  ParsedCode(ParsedCode &&) noexcept;
  ~ParsedCode();

  std::unique_ptr<llvm::Module> module; ///< before any optimisation
  std::unique_ptr<FoundCode> found;     ///< empty if the text had its entry points already
  std::string entries;                  ///< C++ text that was parsed after the source
};

/// Parses a source in C or C++ and generates LLVM's module. Vertex classes are found in clang's
/// tree when the end of the source is reached, and the entry points that follow from them are
/// parsed as if they were the rest of the source.
///
/// A source for CPU targets that chooses between halves and numbers is changed and parsed again
/// (half_choices.hpp); \p source then has the changed text.
/// \param context  of the module
/// \throws std::runtime_error  with clang's messages
ParsedCode parsed(SourceToParse &source, llvm::LLVMContext &context);

} // namespace copse::popc
