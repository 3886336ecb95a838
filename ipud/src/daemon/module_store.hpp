#pragma once

#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace copse::ipud {

/// Keeps the codelet modules that this daemon has received, by the hash of their bytes. A module is
/// a memory file, so no disk or writable directory is needed, unless files are requested.
///
/// A daemon of a cluster outlives many programs. Beyond a limit, the store evicts the least
/// recently requested modules. The store keeps the modules of the last request, which are about to
/// be loaded, and those that the dynamic loader still has open, because the loader assumes that a
/// known path is a known module.
///
/// Thread: one at a time.
class ModuleStore {
public:
  static constexpr std::uint64_t kDefaultLimit = 64 << 20;

  /// \param limit      total size of the kept modules [bytes]
  /// \param directory  where modules are written as files, which remain after the store ends;
  ///   empty: memory files
  explicit ModuleStore(std::uint64_t limit = kDefaultLimit, std::filesystem::path directory = {})
      : limit_(limit), directory_(std::move(directory)) {}
  ~ModuleStore();
  ModuleStore(const ModuleStore &) = delete;
  ModuleStore &operator=(const ModuleStore &) = delete;

  /// Returns those modules of \p sha256, the modules of one image, that are missing. The others are
  /// kept until the next call.
  std::vector<std::string> missing(const std::vector<std::string> &sha256);

  /// \returns BadFrame if \p sha256 is not the hash of \p bytes; OutOfMemory
  wire::Status add(const std::string &sha256, const std::string &name,
                   std::span<const std::byte> bytes);

  /// Returns a path for dlopen().
  /// \returns NotFound if the module is missing
  wire::Result<std::filesystem::path> find(const wire::ModuleRef &module) const;

private:
  struct File {
    int descriptor = -1;
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::uint64_t askedFor = 0; ///< number of the last missing() call that named it
  };
  using Files = std::map<std::string, File>;

  /// \returns a new file open for writing; its descriptor is -1 after a failure
  File made(const std::string &sha256, const std::string &name) const;
  void forgetOld();
  Files::iterator oldest();

  const std::uint64_t limit_;
  const std::filesystem::path directory_;
  Files files_; ///< by hash
  std::uint64_t bytes_ = 0, questions_ = 0;
};

} // namespace copse::ipud
