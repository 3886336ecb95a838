#include "remote_buffers/storage.hpp"

#include "file_buffer.hpp"
#include "file_io.hpp"
#include "memory_buffer.hpp"

#include "wire/envelope.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace copse::remote_buffers {
namespace {

using wire::Code;
using wire::Status;
namespace fs = std::filesystem;

// File names are limited to 255 bytes; a suffix and a hash need some of them.
constexpr std::size_t kLongestName = 200;

/// Encodes any text as a file name. Different texts get different names, and plain texts stay
/// readable.
std::string fileName(const std::string &text) {
  std::string name;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' ||
                       (byte == '.' && !name.empty());
    char code[4] = {character};
    if (!plain)
      std::snprintf(code, sizeof code, "%%%02x", byte);
    name += code;
  }
  if (name.empty())
    return "%";
  if (name.size() <= kLongestName)
    return name;
  const std::uint64_t hash = wire::payloadHash(std::as_bytes(std::span(text)));
  return name.substr(0, kLongestName) + "%%" + std::to_string(hash);
}

constexpr const char *kLockFile = "lock";

/// Returns the name of a store's folder, which must differ from the lock file's name.
std::string folderName(const std::string &store) {
  const std::string name = fileName(store);
  // No other store has this name: a '%' in a store's name is encoded as "%25".
  return name == kLockFile ? "%6cock" : name;
}

class MemoryStorage : public Storage {
  wire::Result<std::shared_ptr<Buffer>> make(const std::string &, BufferShape shape,
                                             std::uint32_t replicas) override {
    return MemoryBuffer::make(std::move(shape), replicas);
  }
};

class FileStorage : public Storage {
public:
  FileStorage(fs::path directory, wire::Descriptor lock)
      : directory_(std::move(directory)), lock_(std::move(lock)) {}

private:
  wire::Result<std::shared_ptr<Buffer>> make(const std::string &name, BufferShape shape,
                                             std::uint32_t replicas) override {
    const fs::path folder = directory_ / folderName(name);
    if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
      return fileFault("make", folder, errno);
    const fs::path file = folder / (fileName(shape.handle) + ".rows");
    return FileBuffer::open(file, std::move(shape), replicas);
  }
  void removeFiles(const std::string &name) override {
    std::error_code ignored; // the next Storage removes what is left
    fs::remove_all(directory_ / folderName(name), ignored);
  }

  fs::path directory_;
  wire::Descriptor lock_; ///< held for the lifetime of this object
};

/// Removes the temporary stores of a process that was killed.
void removeTemporaryStores(const fs::path &directory) {
  const std::string prefix = fileName("~");
  std::error_code error;
  std::vector<fs::path> left;
  for (const auto &entry : fs::directory_iterator(directory, error))
    if (entry.path().filename().string().starts_with(prefix))
      left.push_back(entry.path());
  for (const fs::path &folder : left)
    fs::remove_all(folder, error);
}

} // namespace

bool isTemporary(const std::string &store) { return store.starts_with('~'); }

std::unique_ptr<Storage> Storage::inMemory() { return std::make_unique<MemoryStorage>(); }

wire::Result<std::unique_ptr<Storage>> Storage::inDirectory(fs::path directory) {
  std::error_code error;
  fs::create_directories(directory.parent_path(), error); // on failure mkdir() fails too
  if (::mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return fileFault("make", directory, errno);
  const fs::path file = directory / kLockFile;
  wire::Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!lock)
    return fileFault("make", file, errno);
  if (::flock(lock.number(), LOCK_EX | LOCK_NB) != 0)
    return Status{Code::InvalidOption,
                  "the directory " + directory.string() +
                      " is in use by another process; end it or give another directory"};
  removeTemporaryStores(directory);
  return std::unique_ptr<Storage>(
      std::make_unique<FileStorage>(std::move(directory), std::move(lock)));
}

void Storage::remove(const std::string &name) {
  std::erase_if(opened_, [&](const auto &one) { return one.first.first == name; });
  removeFiles(name);
}

wire::Result<RemoteBufferStore> Storage::open(const std::string &name,
                                              const std::vector<BufferShape> &shapes,
                                              std::uint32_t replicas) {
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (const BufferShape &shape : shapes) {
    std::shared_ptr<Buffer> &known = opened_[{name, shape.handle}];
    if (!known) {
      auto made = make(name, shape, replicas);
      if (!made) {
        opened_.erase({name, shape.handle});
        return made.status();
      }
      known = std::move(*made);
    }
    if (known->shape() != shape || known->replicas() != replicas)
      return Status{Code::InvalidOption,
                    "remote buffer '" + shape.handle + "' of store '" + name + "' has " +
                        sizeText(known->shape(), known->replicas()) + ", not the " +
                        sizeText(shape, replicas) +
                        " that are asked for; use another store name for another program"};
    buffers.push_back(known);
  }
  return RemoteBufferStore(std::move(buffers), replicas);
}

} // namespace copse::remote_buffers
