#include "local_cluster.hpp"

#include "cluster/key_files.hpp"
#include "daemon_process.hpp"

#include "fabric/endpoint.hpp"
#include "remote_buffers/client.hpp"
#include "session/ipud_process.hpp"
#include "session/node_query.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

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
constexpr auto kPatience = 3s; // a daemon that was asked to end takes two
constexpr int kPortTries = 3;

fs::path daemonsFileIn(const fs::path &directory) { return directory / "daemons.json"; }

/// Only this user may enter: who reaches a daemon's Unix socket may load code into it.
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

/// Ports of loopback that were free just now: all are picked before any is let go. Somebody else
/// may get one before the daemon does; then other ones are tried.
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

Cluster readChecked(const fs::path &file) {
  auto cluster = cluster::readCluster(file);
  if (!cluster)
    throw std::runtime_error(cluster.status().message);
  return std::move(*cluster);
}

/// The file of \p wanted: written now, or one of the same kind that is there already.
Cluster agreeOn(const LocalCluster &wanted, bool someRun) {
  const fs::path file = clusterFileIn(wanted.directory);
  if (!someRun) {
    const Cluster cluster = clusterFor(wanted);
    if (wanted.keys)
      if (const auto written = cluster::writeKeys(cluster.keys, cluster::nodesOf(cluster));
          !written)
        throw std::runtime_error(written.status().message);
    std::ofstream stream(file, std::ios::trunc);
    stream << cluster::formatCluster(cluster);
    if (!stream.flush())
      throw std::runtime_error(file.string() + " cannot be written");
    stream.close();
    return readChecked(file); // says what is wrong with what was asked for
  }
  Cluster there = readChecked(file);
  const auto link = fabric::Endpoint::parse(there.ipus.front().link.address);
  const bool sameKind = link && link->transport() == wanted.transport;
  if (there.ipus.size() != wanted.ipus || there.topology != wanted.topology || !sameKind ||
      there.keys.empty() == wanted.keys || there.lease != wanted.lease)
    throw std::runtime_error("another cluster, of " + std::to_string(there.ipus.size()) +
                             " IPUs, is up in " + wanted.directory.string() +
                             "; end it with copse down, or give another --directory");
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

std::vector<Wanted> daemonsOf(const Cluster &cluster, const std::string &file) {
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

/// A daemon that ended before it was ready: of a port that somebody else has, for instance.
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
        throw EndedEarly(daemons[i].name + " ended before it was ready; see " + log);
      if (Clock::now() >= deadline)
        throw std::runtime_error(daemons[i].name + " is not ready in time; see " + log);
    }
  }
}

/// Those of \p before that still run stay.
void startDaemons(const Cluster &cluster, const std::vector<DaemonProcess> &before,
                  const fs::path &directory) {
  std::vector<DaemonProcess> all, started;
  try {
    for (const Wanted &one : daemonsOf(cluster, clusterFileIn(directory))) {
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
    writeDaemons(daemonsFileIn(directory), all);
    awaitReady(cluster, all, directory);
  } catch (...) {
    endDaemons(started, kPatience);
    throw;
  }
}

} // namespace

fs::path defaultClusterDirectory() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it meanwhile
  const char *const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime != '\0')
    return fs::path(runtime) / "copse";
  return "/tmp/copse-" + std::to_string(::geteuid());
}

fs::path clusterFileIn(const fs::path &directory) { return directory / "cluster.json"; }

fs::path startCluster(const LocalCluster &wanted) {
  makePrivate(wanted.directory);
  const std::vector<DaemonProcess> before = readDaemons(daemonsFileIn(wanted.directory));
  const bool someRun =
      std::any_of(before.begin(), before.end(), [](const auto &one) { return one.runs(); });
  for (int tries = someRun || !isTcp(wanted) ? 1 : kPortTries;; --tries) {
    try {
      startDaemons(agreeOn(wanted, someRun), before, wanted.directory);
      return clusterFileIn(wanted.directory);
    } catch (const EndedEarly &) {
      if (tries <= 1)
        throw;
    }
  }
}

std::size_t endCluster(const fs::path &directory) {
  const fs::path list = daemonsFileIn(directory);
  const auto daemons = readDaemons(list);
  if (daemons.empty())
    throw std::runtime_error("no cluster is up in " + directory.string());
  endDaemons(daemons, kPatience);
  for (const DaemonProcess &daemon : daemons) // sockets of daemons that were killed stay behind
    for (const char *suffix : {".log", ".control", ".link", ".link.short", ".sync", ".socket"})
      fs::remove(directory / (daemon.name + suffix));
  fs::remove(clusterFileIn(directory));
  fs::remove(list);
  std::error_code ignored; // rows, and what others have put there, stay
  fs::remove(directory, ignored);
  return daemons.size();
}

} // namespace copse::tools
