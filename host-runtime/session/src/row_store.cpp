#include "row_store.hpp"

#include "cluster/key_files.hpp"
#include "locks/mutex.hpp"

#include "remote_buffers/client.hpp"
#include "remote_buffers/storage.hpp"
#include "wire/environment.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace copse::session {
namespace {

using remote_buffers::BufferShape;
using remote_buffers::RemoteBufferStore;
using remote_buffers::Storage;
using Made = wire::Result<std::shared_ptr<RemoteBufferStore>>;

/// Returns the name of a store that later programs can find.
/// \param otherwise  used if the environment gives no name
std::string keptName(const std::string &otherwise) {
  std::string name = wire::environmentVariable("COPSE_RBUFD_NAME");
  return name.empty() ? otherwise : name;
}

/// Returns a watch that warns when rows in this process use too much of the machine's memory.
std::shared_ptr<remote_buffers::GrowthWatch> watchOf(const MachineOptions &machine) {
  const auto memory = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) *
                      static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  const std::uint64_t limit = machine.mostRowBytes.value_or(memory / 2);
  return std::make_shared<remote_buffers::GrowthWatch>(limit, [warn = machine.warn, limit] {
    if (warn)
      warn("remote buffers in this program have grown beyond " + std::to_string(limit >> 20) +
           " MiB, half of this machine's memory; set COPSE_ROWS_DIRECTORY to a directory, and they "
           "are kept in files there");
  });
}

std::string temporaryName(const std::string &suffix) {
  return "~" + std::string(::program_invocation_short_name) + "." + std::to_string(::getpid()) +
         "." + suffix;
}

Made shared(wire::Result<RemoteBufferStore> store) {
  if (!store)
    return store.status();
  return std::make_shared<RemoteBufferStore>(std::move(*store));
}

/// Shares the storages of directories. A directory can be locked only once per process, but several
/// machines of this process may keep rows there.
class Directories {
public:
  Made open(const std::string &directory, const std::vector<BufferShape> &shapes,
            std::uint32_t replicas) {
    const locks::Lock lock(mutex_);
    std::shared_ptr<Storage> storage = storages_[identityOf(directory)].lock();
    if (!storage) {
      auto made = Storage::inDirectory(directory);
      if (!made)
        return made.status();
      storage = std::move(*made);
      storages_[identityOf(directory)] = storage;
    }
    auto store = storage->open(keptName(::program_invocation_short_name), shapes, replicas);
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
  /// Identifies a directory independently of its path; zeroes if it does not exist.
  using Identity = std::pair<dev_t, ino_t>;
  static Identity identityOf(const std::string &directory) {
    struct stat info {};
    return ::stat(directory.c_str(), &info) == 0 ? Identity{info.st_dev, info.st_ino} : Identity{};
  }

  locks::Mutex mutex_; ///< also guards Storage::open()
  std::map<Identity, std::weak_ptr<Storage>> storages_ COPSE_GUARDED_BY(mutex_);
};

/// The place of remote buffers that the environment, or else the cluster, gives.
struct Place {
  std::string rbufd, directory; ///< endpoint and path; both empty: this process
  bool ofCluster = false;       ///< the rbufd is the cluster's own
};

wire::Result<Place> placeOfRows(const std::string &rbufdOfCluster) {
  Place place{wire::environmentVariable("COPSE_RBUFD"),
              wire::environmentVariable("COPSE_ROWS_DIRECTORY")};
  if (!place.rbufd.empty() && !place.directory.empty())
    return wire::Status{wire::Code::InvalidOption,
                        "COPSE_RBUFD and COPSE_ROWS_DIRECTORY both say where remote buffers are "
                        "kept; unset one of them"};
  if (place.rbufd.empty() && place.directory.empty())
    place = {rbufdOfCluster, {}, true};
  return place;
}

std::vector<BufferShape> shapesOf(const Program &program) {
  std::vector<BufferShape> shapes;
  shapes.reserve(program.remoteBuffers.size());
  for (const auto &buffer : program.remoteBuffers)
    shapes.push_back({buffer.handle, buffer.rowBytes, buffer.rows});
  return shapes;
}

/// Returns true if \p place names one daemon, reachable from all IPUs and this process.
bool isOneForAll(const Place &place, const MachineOptions &machine) {
  if (machine.nodes.empty())
    return machine.transport != Transport::Inproc; // they run on this machine
  if (!place.ofCluster)
    return false; // its name on other machines is unknown
  if (!cluster::checkLoopback({place.rbufd}).ok())
    return true;
  return std::all_of(machine.nodes.begin(), machine.nodes.end(),
                     [](const Node &node) { return cluster::checkLoopback({node.control}).ok(); });
}

} // namespace

RowPlace::RowPlace(const MachineOptions &machine, const std::string &temporary)
    : machine_(machine), nameAtRbufd_(keptName(machine.rbufdName)) {
  if (nameAtRbufd_.empty())
    nameAtRbufd_ = temporaryName(temporary);
}

bool RowPlace::isTemporary() const {
  const auto place = placeOfRows(machine_.rbufd);
  return place && !place->rbufd.empty() && remote_buffers::isTemporary(nameAtRbufd_);
}

Made RowPlace::open(const Program &program) const {
  auto place = placeOfRows(machine_.rbufd);
  if (!place)
    return place.status();
  std::vector<BufferShape> shapes = shapesOf(program);
  // Host programs that share a program have one store at an rbufd, if the store has a name.
  const std::uint32_t replicas = std::max(program.replicas, program.allReplicas);
  if (shapes.empty() || (place->rbufd.empty() && place->directory.empty()))
    return shared(RemoteBufferStore::create(std::move(shapes), replicas, watchOf(machine_)));
  if (!place->rbufd.empty()) {
    remote_buffers::ClientOptions options{place->rbufd, nameAtRbufd_};
    options.owns = true;
    if (place->ofCluster) // otherwise it belongs to another user
      options.keys = machine_.keys;
    return shared(remote_buffers::openRemote(options, std::move(shapes), replicas));
  }
  static Directories directories;
  return directories.open(place->directory, shapes, replicas);
}

wire::session::RowStore RowPlace::forIpus(const Program &program) const {
  const auto place = placeOfRows(machine_.rbufd);
  if (!place || place->rbufd.empty() || program.remoteBuffers.empty() ||
      !isOneForAll(*place, machine_))
    return {};
  return {place->rbufd, nameAtRbufd_, shapesOf(program)};
}

} // namespace copse::session
