#include "local_cluster.hpp"

#include "cluster/key_files.hpp"
#include "daemon_process.hpp"

#include "fabric/endpoint.hpp"
#include "remote_buffers/client.hpp"
#include "session/ipud_process.hpp"
#include "session/node_query.hpp"
#include "wire/environment.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace copse::tools {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using cluster::Cluster;
using cluster::ClusterEndpoint;
using fabric::Endpoint;
using fabric::TransportKind;
using Clock = std::chrono::steady_clock;

constexpr auto kReadyTimeout = 20s;
constexpr auto kEndTimeout = 3s; // a daemon takes two after SIGTERM
constexpr int kPortTries = 3;
// A daemon between fork and exec holds the lock of the copse up that starts it.
constexpr auto kStartOfDaemon = 200ms;
constexpr int kLooksForDaemons = 2;
constexpr auto kBetweenLooks = 30ms;

/// Only this user may enter: a process that reaches a daemon's Unix socket can load code into it.
void makePrivate(const fs::path &directory) {
  fs::create_directories(directory.parent_path());
  struct stat info {};
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    throw std::runtime_error("cannot make " + directory.string() + ": " +
                             std::generic_category().message(errno));
  if (::lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
    throw std::runtime_error(directory.string() +
                             " is no directory that only you may enter; chmod 700 it, or give "
                             "another one with --directory");
}

/// Lets only one copse up or copse down work in a directory at a time. The lock is on the directory
/// itself, so that no file stays behind; the kernel releases the lock of a process that is killed.
class DirectoryLock {
public:
  /// \throws std::runtime_error if another process holds the lock for longer than \p timeout
  DirectoryLock(const fs::path &directory, std::chrono::milliseconds timeout) {
    const auto deadline = Clock::now() + timeout;
    while (!tryLock(directory)) {
      if (Clock::now() >= deadline)
        throw std::runtime_error("another copse up or copse down is at work in " +
                                 directory.string() + "; wait until it has ended");
      std::this_thread::sleep_for(20ms);
    }
  }
  ~DirectoryLock() { close(); }
  DirectoryLock(const DirectoryLock &) = delete;
  DirectoryLock &operator=(const DirectoryLock &) = delete;

private:
  /// If copse down has removed the directory since it was opened, this is another directory.
  bool tryLock(const fs::path &directory) {
    makePrivate(directory);
    descriptor_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor_ < 0)
      return false;
    struct stat mine {
    }, there{};
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor_, &mine) == 0 &&
        ::lstat(directory.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
        mine.st_dev == there.st_dev)
      return true;
    close();
    return false;
  }
  void close() {
    if (descriptor_ >= 0)
      ::close(std::exchange(descriptor_, -1));
  }
  int descriptor_ = -1;
};

/// Returns free ports of loopback: all are chosen before any is released. Another process may take
/// one before the daemon does; then other ports are tried.
std::vector<std::uint16_t> freePorts(std::size_t count) {
  std::vector<int> sockets;
  std::vector<std::uint16_t> ports;
  while (ports.size() < count) {
    sockets.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    if (::bind(sockets.back(), generic, size) != 0 ||
        ::getsockname(sockets.back(), generic, &size) != 0)
      throw std::runtime_error(std::string("no free port: ") +
                               std::generic_category().message(errno));
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int socket : sockets)
    ::close(socket);
  return ports;
}

bool isTcp(const LocalCluster &wanted) { return wanted.transport == TransportKind::Tcp; }

Cluster clusterFor(const LocalCluster &wanted) {
  const auto ports =
      freePorts(isTcp(wanted) ? 3 * static_cast<std::size_t>(wanted.ipus) + 1 : std::size_t{0});
  std::size_t next = 0;
  const auto endpoint = [&](const std::string &name) {
    const Endpoint at = isTcp(wanted) ? Endpoint::tcp("127.0.0.1", ports[next++])
                                      : Endpoint::ipc((wanted.directory / name).string());
    return ClusterEndpoint{at.text(), at.text()};
  };
  Cluster cluster;
  cluster.topology = wanted.topology;
  cluster.lease = wanted.lease;
  for (std::uint32_t ipu = 0; ipu < wanted.ipus; ++ipu) {
    const std::string name = "ipu-" + std::to_string(ipu);
    const ClusterEndpoint control = endpoint(name + ".control");
    ClusterEndpoint link = endpoint(name + ".link");
    if (wanted.transport == TransportKind::Shm)
      link.address = link.listen =
          Endpoint::shm((wanted.directory / (name + ".link")).string()).text();
    cluster.ipus.push_back({control, link, endpoint(name + ".sync"), ""});
  }
  cluster.rbufd = {endpoint("rbufd.socket"), (wanted.directory / "rows").string(), "", ""};
  if (wanted.keys)
    cluster.keys = wanted.directory / "keys";
  return cluster;
}

Cluster checked(wire::Result<Cluster> cluster) {
  if (!cluster)
    throw std::runtime_error(cluster.status().message);
  return std::move(*cluster);
}

/// Writes the file of \p wanted, completely or not at all.
Cluster writeCluster(const LocalCluster &wanted) {
  const fs::path file = clusterFileIn(wanted.directory), draft = file.string() + ".new";
  const std::string text = cluster::formatCluster(clusterFor(wanted));
  Cluster cluster = checked(cluster::parseCluster(text, file));
  if (wanted.keys)
    if (const auto written = cluster::writeKeys(cluster.keys, cluster::nodesOf(cluster)); !written)
      throw std::runtime_error(written.status().message);
  std::ofstream stream(draft, std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream)
    throw std::runtime_error(draft.string() + " cannot be written");
  fs::rename(draft, file);
  return cluster;
}

std::string nameOf(TransportKind transport) {
  switch (transport) {
  case TransportKind::Tcp:
    return "tcp";
  case TransportKind::Shm:
    return "shm";
  default:
    return "ipc";
  }
}

/// Returns the differences between \p there and \p wanted: "2 IPUs instead of 4, a mesh instead of
/// a torus"; empty if there are none.
std::string differences(const Cluster &there, const LocalCluster &wanted) {
  std::string text;
  const auto compare = [&](const std::string &has, const std::string &shall) {
    if (has != shall)
      text += (text.empty() ? "" : ", ") + has + " instead of " + shall;
  };
  const auto ipus = [](std::size_t count) {
    return std::to_string(count) + (count == 1 ? " IPU" : " IPUs");
  };
  const auto shape = [](wire::Topology topology) {
    return topology == wire::Topology::Torus ? "a torus" : "a mesh";
  };
  const auto link = Endpoint::parse(there.ipus.front().link.address);
  compare(ipus(there.ipus.size()), ipus(wanted.ipus));
  compare(shape(there.topology), shape(wanted.topology));
  compare(link ? nameOf(link->transport()) : "unknown links", nameOf(wanted.transport));
  compare(there.keys.empty() ? "no keys" : "keys", wanted.keys ? "keys" : "no keys");
  compare("a lease of " + std::to_string(there.lease.count()) + " ms",
          "a lease of " + std::to_string(wanted.lease.count()) + " ms");
  return text;
}

/// Returns the cluster that already runs, which must match \p wanted.
Cluster clusterThere(const LocalCluster &wanted) {
  const fs::path file = clusterFileIn(wanted.directory);
  if (!fs::exists(file))
    throw std::runtime_error("daemons of another cluster run in " + wanted.directory.string() +
                             " without its file; end them with copse down");
  Cluster there = checked(cluster::readCluster(file));
  if (const std::string differs = differences(there, wanted); !differs.empty())
    throw std::runtime_error("another cluster is up in " + wanted.directory.string() + ", with " +
                             differs + "; end it with copse down, or give another --directory");
  return there;
}

std::string programFor(const std::string &daemon) {
  auto ipud = session::findIpud("");
  if (!ipud)
    throw std::runtime_error(ipud.status().message);
  return daemon == "ipud" ? *ipud : (fs::path(*ipud).parent_path() / daemon).string();
}

struct Wanted {
  std::string name;
  std::vector<std::string> command;
};

std::vector<Wanted> commandsOf(const Cluster &cluster, const std::string &file) {
  std::vector<Wanted> all;
  const std::string ipud = programFor("ipud");
  for (std::size_t ipu = 0; ipu < cluster.ipus.size(); ++ipu)
    all.push_back(
        {"ipu-" + std::to_string(ipu), {ipud, "--cluster", file, "--ipu", std::to_string(ipu)}});
  all.push_back({"rbufd", {programFor("rbufd"), "--cluster", file}});
  return all;
}

std::shared_ptr<const fabric::Keyring> hostKeys(const Cluster &cluster) {
  auto keys = cluster::keysOfHost(cluster);
  if (!keys)
    throw std::runtime_error(keys.status().message);
  return std::move(*keys);
}

/// Reports a daemon that ended before it was ready, for instance because another process has its
/// port.
struct EndedEarly : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void awaitReady(const Cluster &cluster, const std::vector<DaemonProcess> &daemons,
                const fs::path &directory) {
  const auto keys = hostKeys(cluster);
  zmq::context_t context(1);
  const auto deadline = Clock::now() + kReadyTimeout;
  for (std::size_t i = 0; i < daemons.size(); ++i) {
    const auto answers = [&] {
      if (i >= cluster.ipus.size())
        return remote_buffers::askCounters(cluster.rbufd->endpoint.address, 250ms, keys).ok();
      const auto state =
          session::inspectNode(context, session::nodeAt(cluster, i, keys.get()), 250ms);
      return state.ok() && state->pid == daemons[i].pid; // and not one of another cluster
    };
    while (!answers()) {
      const std::string log = (directory / (daemons[i].name + ".log")).string();
      if (!daemons[i].runs())
        throw EndedEarly(daemons[i].name + " " + daemons[i].howItEnded() +
                         " before it was ready; see " + log);
      if (Clock::now() >= deadline)
        throw std::runtime_error(daemons[i].name + " is not ready in time; see " + log);
    }
  }
}

/// Starts the daemons that do not run yet; \p before are the daemons of an earlier call.
void startDaemons(const Cluster &cluster, const std::vector<DaemonProcess> &before,
                  const fs::path &directory) {
  std::vector<DaemonProcess> all, started;
  try {
    for (const Wanted &one : commandsOf(cluster, clusterFileIn(directory))) {
      const auto old = std::find_if(before.begin(), before.end(), [&](const auto &daemon) {
        return daemon.name == one.name && daemon.runs();
      });
      if (old != before.end()) {
        all.push_back(*old);
        continue;
      }
      all.push_back(startDaemon(one.name, one.command, directory / (one.name + ".log")));
      started.push_back(all.back());
    }
    awaitReady(cluster, all, directory);
  } catch (...) {
    endDaemons(started, kEndTimeout);
    throw;
  }
}

/// Returns true if a folder of rows has no store; then the files that the rbufd has created there
/// are useless.
bool isEmptyOfRows(const fs::path &rows) {
  return fs::is_directory(rows) &&
         std::none_of(fs::directory_iterator(rows), {},
                      [](const auto &entry) { return entry.is_directory(); });
}

/// Removes all files except stored rows: logs, and the sockets of daemons that were killed.
/// \returns true if there were any
bool removeFilesOfDaemons(const fs::path &directory) {
  const auto isOfDaemon = [](const std::string &name) {
    const auto digits = name.find_first_not_of("0123456789", 4);
    return name.rfind("rbufd.", 0) == 0 || name.rfind("cluster.json", 0) == 0 || name == "keys" ||
           (name.rfind("ipu-", 0) == 0 && digits != std::string::npos && name[digits] == '.');
  };
  std::vector<fs::path> left;
  for (const auto &entry : fs::directory_iterator(directory))
    if (isOfDaemon(entry.path().filename()))
      left.push_back(entry.path());
  const bool any = !left.empty();
  if (isEmptyOfRows(directory / "rows"))
    left.push_back(directory / "rows");
  for (const fs::path &path : left)
    fs::remove_all(path);
  return any;
}

} // namespace

fs::path defaultClusterDirectory() {
  if (const fs::path runtime = wire::environmentVariable("XDG_RUNTIME_DIR"); !runtime.empty())
    return runtime / "copse";
  return "/tmp/copse-" + std::to_string(::geteuid());
}

fs::path clusterFileIn(const fs::path &directory) { return directory / "cluster.json"; }

fs::path startCluster(const LocalCluster &asked) {
  LocalCluster wanted = asked;
  makePrivate(wanted.directory);
  wanted.directory = fs::canonical(wanted.directory);
  const DirectoryLock lock(wanted.directory, kStartOfDaemon);
  const fs::path file = clusterFileIn(wanted.directory);
  const std::vector<DaemonProcess> before = daemonsOf(file);
  if (!before.empty()) {
    startDaemons(clusterThere(wanted), before, wanted.directory);
    return file;
  }
  for (int tries = isTcp(wanted) ? kPortTries : 1;; --tries) {
    try {
      startDaemons(writeCluster(wanted), {}, wanted.directory);
      return file;
    } catch (const EndedEarly &) {
      if (tries > 1)
        continue;
      fs::remove(file); // otherwise programs would use this cluster
      throw;
    } catch (...) {
      fs::remove(file);
      throw;
    }
  }
}

std::size_t endCluster(const fs::path &given) {
  if (!fs::exists(given))
    throw std::runtime_error("no cluster is up in " + given.string());
  const fs::path directory = fs::canonical(given);
  const DirectoryLock lock(directory, kReadyTimeout);
  const fs::path file = clusterFileIn(directory);
  std::size_t ended = 0;
  // A daemon that was being started when copse up was killed may be missing from the first list.
  for (int looks = 0; looks < kLooksForDaemons; ++looks) {
    const auto daemons = daemonsOf(file);
    endDaemons(daemons, kEndTimeout);
    ended += daemons.size();
    std::this_thread::sleep_for(kBetweenLooks);
  }
  const bool wasThere = removeFilesOfDaemons(directory);
  std::error_code ignored; // rows, and files of other programs, stay
  fs::remove(directory, ignored);
  if (!wasThere && ended == 0)
    throw std::runtime_error("no cluster is up in " + directory.string());
  return ended;
}

} // namespace copse::tools
