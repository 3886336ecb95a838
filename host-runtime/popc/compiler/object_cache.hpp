#pragma once

#include "disk_cache/file_cache.hpp"

#include <filesystem>
#include <functional>
#include <llvm/IR/Module.h>
#include <string>
#include <vector>

namespace copse::popc {

/// The modules of ipu1 and ipu2 are parsed apart, because macros and layouts differ, but most are
/// equal when their cycles have been counted. This cache keeps objects by the modules that they are
/// generated from, so that one target takes the object of the other, which may be in progress.
class ObjectCache {
public:
  /// \param generator  arguments of the code generator
  explicit ObjectCache(const std::vector<std::string> &generator);

  /// Makes \p file: from the cache, else by \p generate.
  /// \param bitcode  from which follows what is generated
  void make(const std::filesystem::path &file, const std::string &bitcode,
            const std::function<void()> &generate) const;

private:
  std::string generator_; ///< a hash of it, and of what it consists of
  disk_cache::FileCache files_{"codelets"};
};

/// Returns bitcode that differs if anything in the module does that the code generator could see.
std::string wholeBitcodeOf(const llvm::Module &module);

} // namespace copse::popc
