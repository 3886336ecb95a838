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

/// The codelet modules that this daemon was sent, by the hash of their bytes. Each is a memory
/// file, so no disk and no writable directory is needed, unless somebody wants files.
///
/// Programs come and go, and a daemon of a cluster stays: beyond a limit, modules that nobody asked
/// for since longest are forgotten. Not those of the last question, which are about to be loaded,
/// nor any that the dynamic loader still has open: it takes a path that it knows for the module
/// that it knows.
///
/// Thread: one at a time.
class ModuleStore {
public:
  static constexpr std::uint64_t kDefaultLimit = 64 << 20;

  /// \param limit  of the modules that are kept [bytes]
  /// \param directory  where modules become files, which stay when the store ends; empty: memory files
  explicit ModuleStore(std::uint64_t limit = kDefaultLimit, std::filesystem::path directory = {})
      : limit_(limit), directory_(std::move(directory)) {}
  ~ModuleStore();
  ModuleStore(const ModuleStore &) = delete;
  ModuleStore &operator=(const ModuleStore &) = delete;

  /// Those of \p sha256, the modules of one image, that are not here. The others stay until the
  /// next question.
  std::vector<std::string> missing(const std::vector<std::string> &sha256);

  /// \returns BadFrame when \p sha256 is not the hash of \p bytes; OutOfMemory
  wire::Status add(const std::string &sha256, const std::string &name,
                   std::span<const std::byte> bytes);

  /// A path for dlopen().
  /// \returns NotFound
  wire::Result<std::filesystem::path> find(const wire::ModuleRef &module) const;

private:
  struct File {
    int descriptor = -1;
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::uint64_t askedFor = 0; ///< number of the last question about it
  };
  using Files = std::map<std::string, File>;

  /// \returns a new file, open for writing, with descriptor -1 if there is none
  File made(const std::string &sha256, const std::string &name) const;
  void forgetOld();
  Files::iterator oldest();

  const std::uint64_t limit_;
  const std::filesystem::path directory_;
  Files files_; ///< by hash
  std::uint64_t bytes_ = 0, questions_ = 0;
};

} // namespace copse::ipud
