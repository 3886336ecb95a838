#pragma once

#include "remote_buffers/store.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace copse::remote_buffers {

/// Returns true if \p store names a temporary store, which begins with '~'. The rows of a temporary
/// store are deleted when its owner ends it, when it has not been used for kTemporaryLease, and
/// when a Storage is created over its directory.
bool isTemporary(const std::string &store);
inline constexpr std::chrono::minutes kTemporaryLease{10};

/// Keeps remote buffers so that later runs of a program can find them again. A buffer is identified
/// by the name of its store (by default the program's name) and its handle, and exists from the
/// first open() on.
///
/// Thread: open() one at a time; the opened stores, any.
class Storage {
public:
  virtual ~Storage() = default;

  /// Stores rows in the memory of this process, for the lifetime of the Storage.
  static std::unique_ptr<Storage> inMemory();
  /// Stores each buffer in a file, DIRECTORY/STORE/HANDLE.rows. A written row survives the end of
  /// this process, even by kill -9, but not a crash of the machine; a checksum detects damaged
  /// rows. The directory is created if necessary, readable by this user only, and locked.
  /// \returns InvalidOption naming the directory if it cannot be used, or if another process uses
  ///   it
  static wire::Result<std::unique_ptr<Storage>> inDirectory(std::filesystem::path directory);

  /// Returns the buffers of store \p name. Missing buffers are created and filled with zeroes.
  /// \returns InvalidOption if an existing buffer has another size or number of replicas, or if its
  ///   file has a wrong format; OutOfMemory naming the buffer or file if there is no room
  wire::Result<RemoteBufferStore>
  open(const std::string &name, const std::vector<BufferShape> &shapes, std::uint32_t replicas);

  /// Deletes the rows of store \p name. Users that have the store open keep its buffers until they
  /// close it.
  void remove(const std::string &name);

  /// Returns the number of buffers that were opened.
  std::size_t buffers() const { return opened_.size(); }

private:
  virtual wire::Result<std::shared_ptr<Buffer>> make(const std::string &name, BufferShape shape,
                                                     std::uint32_t replicas) = 0;
  virtual void removeFiles(const std::string &) {}

  std::map<std::pair<std::string, std::string>, std::shared_ptr<Buffer>> opened_;
};

} // namespace copse::remote_buffers
