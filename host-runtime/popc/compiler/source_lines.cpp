#include "source_lines.hpp"

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>

namespace copse::popc {

std::string SourceLines::of(const llvm::Instruction &instruction) const {
  for (const llvm::DILocation *at = instruction.getDebugLoc(); at != nullptr;
       at = at->getInlinedAt())
    if (std::string place = placeIn(at->getFile(), at->getLine()); !place.empty())
      return place;
  return {};
}

std::string SourceLines::of(const llvm::Function &function) const {
  const llvm::DISubprogram *const known = function.getSubprogram();
  return known == nullptr ? "" : placeIn(known->getFile(), known->getLine());
}

/// Returns an empty text for lines that the user has not written. Popc's own code comes from files
/// in angle brackets.
std::string SourceLines::placeIn(const llvm::DIFile *file, unsigned line) const {
  if (file == nullptr || file->getFilename().empty() || line == 0)
    return {};
  const llvm::StringRef name = file->getFilename(), folder = file->getDirectory();
  // A name is relative if the compiler runs in a parent folder of the source.
  const bool isWhole = folder.empty() || name.front() == '/' || name.front() == '<';
  const std::string path = isWhole ? name.str() : (folder + "/" + name).str();
  const bool isOfUser = path.front() != '<' && !llvm::StringRef(path).starts_with(headers_);
  return isOfUser ? path + ":" + std::to_string(line) : "";
}

} // namespace copse::popc
