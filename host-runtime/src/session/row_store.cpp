#include "session/row_store.hpp"

#include "remote_buffers/client.hpp"
#include "remote_buffers/storage.hpp"

#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <utility>

namespace copse::session {
namespace {

using remote_buffers::BufferShape;
using remote_buffers::RemoteBufferStore;
using remote_buffers::Storage;
using Made = wire::Result<std::shared_ptr<RemoteBufferStore>>;

std::string fromEnvironment(const char *name) {
  const char *value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  return value != nullptr ? value : "";
}

std::string storeName() {
  std::string name = fromEnvironment("COPSE_RBUFD_NAME");
  return name.empty() ? ::program_invocation_short_name : name;
}

Made shared(wire::Result<RemoteBufferStore> store) {
  if (!store)
    return store.status();
  return std::make_shared<RemoteBufferStore>(std::move(*store));
}

/// A directory can be locked once, but every machine of this process may keep rows there.
class Directories {
public:
  Made open(const std::string &directory, std::vector<BufferShape> shapes, std::uint32_t replicas) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Storage> storage = storages_[identityOf(directory)].lock();
    if (!storage) {
      auto made = Storage::inDirectory(directory);
      if (!made)
        return made.status();
      storage = std::move(*made);
      storages_[identityOf(directory)] = storage;
    }
    auto store = storage->open(storeName(), std::move(shapes), replicas);
    if (!store)
      return store.status();
    struct Held {
      std::shared_ptr<Storage> storage;
      RemoteBufferStore store;
    };
    const auto held = std::make_shared<Held>(Held{std::move(storage), std::move(*store)});
    return std::shared_ptr<RemoteBufferStore>(held, &held->store);
  }

private:
  /// A directory by whatever path; zeroes when there is none.
  using Identity = std::pair<dev_t, ino_t>;
  static Identity identityOf(const std::string &directory) {
    struct stat info {};
    return ::stat(directory.c_str(), &info) == 0 ? Identity{info.st_dev, info.st_ino} : Identity{};
  }

  std::mutex mutex_; ///< guards what follows, and Storage::open()
  std::map<Identity, std::weak_ptr<Storage>> storages_;
};

} // namespace

Made makeRowStore(const Program &program, const std::string &rbufd,
                  std::shared_ptr<const fabric::Keyring> keys) {
  std::vector<BufferShape> shapes;
  for (const auto &buffer : program.remoteBuffers)
    shapes.push_back({buffer.handle, buffer.rowBytes, buffer.rows});
  std::string endpoint = fromEnvironment("COPSE_RBUFD");
  const std::string directory = fromEnvironment("COPSE_ROWS_DIRECTORY");
  if (!endpoint.empty() && !directory.empty())
    return wire::Status{wire::Code::InvalidOption,
                        "COPSE_RBUFD and COPSE_ROWS_DIRECTORY both say where remote buffers are "
                        "kept; unset one of them"};
  if (endpoint.empty() && directory.empty())
    endpoint = rbufd;
  else
    keys.reset(); // it is another one's
  if (shapes.empty() || (endpoint.empty() && directory.empty()))
    return shared(RemoteBufferStore::create(std::move(shapes), program.replicas));
  if (!endpoint.empty()) {
    remote_buffers::ClientOptions options{endpoint, storeName()};
    options.keys = std::move(keys);
    return shared(remote_buffers::openRemote(options, std::move(shapes), program.replicas));
  }
  static Directories directories;
  return directories.open(directory, std::move(shapes), program.replicas);
}

} // namespace copse::session
