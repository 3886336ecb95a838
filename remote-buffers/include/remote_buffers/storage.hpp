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

/// Whether a store of this name is nobody's to find again: its rows are deleted when whoever opened
/// it says so, when nobody has used it for kTemporaryLease, and when a Storage begins. Such names
/// begin with '~'.
bool isTemporary(const std::string &store);
inline constexpr std::chrono::minutes kTemporaryLease{10};

/// Remote buffers by name, for those who want to find them again: a buffer is known by the name of
/// its store (a program's name) and its handle, and is there from the first open() on.
///
/// Thread: open() one at a time; what it gives, any.
class Storage {
public:
  virtual ~Storage() = default;

  /// In memory of this process: rows live as long as the Storage.
  static std::unique_ptr<Storage> inMemory();
  /// A file for each buffer, DIRECTORY/STORE/HANDLE.rows. A row that was written survives the end
  /// of this process, kill -9 included, but not of the machine; a damaged row is found by its
  /// checksum. The directory is made if need be, for this user alone, and is locked.
  /// \returns InvalidOption naming the directory when it cannot be used, or another process uses it
  static wire::Result<std::unique_ptr<Storage>> inDirectory(std::filesystem::path directory);

  /// The buffers of store \p name, those that are not there yet made of zeroes.
  /// \returns InvalidOption for a buffer that is there with another size or number of replicas, or
  ///          whose file is not one of ours; OutOfMemory naming buffer or file when there is no
  ///          room
  wire::Result<RemoteBufferStore>
  open(const std::string &name, const std::vector<BufferShape> &shapes, std::uint32_t replicas);

  /// Deletes the rows of store \p name. Who has it open still has its buffers, until he lets go.
  void remove(const std::string &name);

  /// Buffers that were opened.
  std::size_t buffers() const { return opened_.size(); }

private:
  virtual wire::Result<std::shared_ptr<Buffer>> make(const std::string &name, BufferShape shape,
                                                     std::uint32_t replicas) = 0;
  virtual void removeFiles(const std::string &) {}

  std::map<std::pair<std::string, std::string>, std::shared_ptr<Buffer>> opened_;
};

} // namespace copse::remote_buffers
