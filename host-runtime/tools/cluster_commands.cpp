#include "cluster_commands.hpp"

#include "cluster/key_files.hpp"
#include "cluster_status.hpp"
#include "isa/memory_map.hpp"
#include "report.hpp"

#include "fabric/endpoint.hpp"
#include "poplar/Target.hpp"
#include "session/node_query.hpp"
#include "wire/environment.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace copse::tools {
namespace {

/// An ipud without a program does not know its chip, so DeviceManager describes the devices of a
/// cluster.
void checkHasMemory(const wire::TileAddress &word) {
  const unsigned tiles = poplar::Target::createIPUTarget(1, "ipu2").getTilesPerIPU();
  constexpr isa::MemoryMap kMemory = isa::memoryMapOf(isa::Architecture::Ipu2);
  std::ostringstream text;
  if (word.tile >= tiles)
    text << "--tile: there is no tile " << word.tile << "; an IPU has tiles 0 to " << tiles - 1;
  else if (word.address < kMemory.begin || word.address >= kMemory.end)
    text << std::hex << std::showbase << "--address: a tile has no memory at " << word.address
         << ", but from " << kMemory.begin << " to " << kMemory.end - 1;
  if (!text.str().empty())
    throw WrongArguments(text.str());
}

/// IPU-Links join pairs of IPUs.
std::string isOneOrEven(const std::string &number) {
  const char last = number.empty() ? '1' : number.back();
  return number == "1" || (last - '0') % 2 == 0
             ? ""
             : "Value " + number + " is odd; a cluster has 1 IPU, or an even number of IPUs";
}

} // namespace

ClusterCommands::ClusterCommands(CLI::App &app)
    : up_(app.add_subcommand("up", "start a cluster of processes on this machine")),
      status_(app.add_subcommand("status", "print the state of the IPUs and links of a cluster")),
      down_(app.add_subcommand("down", "end the cluster that copse up started")),
      keys_(app.add_subcommand("keys", "write keys for the nodes of a cluster")),
      inject_(app.add_subcommand(
          "inject", "give a word of tile memory a parity error, which stays until gc-reset")) {
  up_->add_option("--ipus", wanted_.ipus, "number of IPUs: 1, or an even number up to 256")
      ->check(CLI::Range(1, 256))
      ->check(isOneOrEven)
      ->capture_default_str();
  up_->add_option("--topology", topology_, "topology of the IPU-Links")
      ->check(CLI::IsMember({"mesh", "torus"}))
      ->capture_default_str();
  up_->add_option("--transport", transport_,
                  "transport of all connections: shm (links through shared memory), ipc, or tcp on "
                  "loopback")
      ->check(CLI::IsMember({"shm", "ipc", "tcp"}))
      ->capture_default_str();
  auto *const keys =
      up_->add_flag("--keys", keysAsked_,
                    "encrypt connections, and admit peers with keys only; default with tcp");
  up_->add_flag("--insecure", insecure_,
                "over tcp, make no keys: every user of this machine can then run code in the ipuds")
      ->excludes(keys);
  for (CLI::App *const command : {up_, down_})
    command
        ->add_option("--directory", wanted_.directory,
                     "directory of the cluster's file, sockets, logs and rows")
        ->capture_default_str();
  for (CLI::App *const command : {status_, keys_, inject_})
    command->add_option("--cluster", file_,
                        "the cluster file; default: $COPSE_CLUSTER, else the file of copse up");
  inject_->add_option("--ipu", ipu_, "number of the IPU in the cluster")->required();
  inject_->add_option("--tile", word_.tile, "number of the tile on its IPU")->required();
  inject_->add_option("--address", word_.address, "address of the word in the tile's memory")
      ->required();
  CLI::Option *const json = status_->add_flag("-j,--json", json_, "print JSON instead of tables");
  CLI::Option *const watch =
      status_->add_flag("-w,--watch", watch_, "print what the IPUs do, again and again");
  watch->excludes(json);
  status_->add_option("--interval", watching_.seconds, "time between two tables [s]")
      ->needs(watch)
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  status_->add_option("--count", watching_.count, "number of tables; 0: until the command is ended")
      ->needs(watch)
      ->capture_default_str();
}

int ClusterCommands::run() const {
  if (*status_)
    return watch_ ? watchStatus() : printStatus();
  if (*keys_)
    return writeKeys();
  if (*inject_)
    return injectError();
  if (*down_) {
    std::printf("ended %zu daemons\n", endCluster(wanted_.directory));
    return 0;
  }
  LocalCluster wanted = wanted_;
  wanted.topology = topology_ == "torus" ? wire::Topology::Torus : wire::Topology::Mesh;
  wanted.transport = fabric::transportNamed(transport_).value_or(wanted.transport);
  const bool isTcp = wanted.transport == fabric::TransportKind::Tcp;
  if (!isTcp && (keysAsked_ || insecure_))
    throw WrongArguments("--keys and --insecure are for --transport tcp; over " + transport_ +
                         ", the directory keeps others out");
  wanted.keys = isTcp && !insecure_;
  if (isTcp && insecure_)
    std::fprintf(stderr, "copse: without keys, every user of this machine can run code in these "
                         "ipuds, as you\n");
  const std::string file = startCluster(wanted);
  std::printf("%u IPUs are ready\nexport COPSE_CLUSTER=%s\n", wanted.ipus, file.c_str());
  return 0;
}

cluster::Cluster ClusterCommands::chosenCluster() const {
  const std::string file = file_.empty() ? presentClusterFile() : file_;
  if (file.empty())
    throw std::runtime_error(
        "no cluster is up here; start one with copse up, or name a file with --cluster");
  auto cluster = cluster::readCluster(file);
  if (!cluster)
    throw std::runtime_error(cluster.status().message);
  return std::move(*cluster);
}

int ClusterCommands::writeKeys() const {
  const cluster::Cluster cluster = chosenCluster();
  if (cluster.keys.empty())
    throw std::runtime_error(cluster.file + " names no directory for keys; add \"keys\": \"keys\"");
  const auto written = cluster::writeKeys(cluster.keys, cluster::nodesOf(cluster));
  if (!written)
    throw std::runtime_error(written.status().message);
  std::printf("%zu new keys in %s\n", *written, cluster.keys.c_str());
  return 0;
}

int ClusterCommands::injectError() const {
  constexpr std::chrono::seconds kTimeout{3};
  const cluster::Cluster cluster = chosenCluster();
  if (ipu_ >= cluster.ipus.size())
    throw WrongArguments("the cluster has no ipu " + std::to_string(ipu_) + "; it has " +
                         std::to_string(cluster.ipus.size()) + " IPUs");
  checkHasMemory(word_);
  const auto keys = cluster::keysOfHost(cluster);
  if (!keys)
    throw std::runtime_error(keys.status().message);
  zmq::context_t context(1);
  const auto status = session::injectError(
      context, session::nodeAt(cluster, ipu_, keys.value().get()), word_, kTimeout);
  if (!status.ok())
    throw std::runtime_error("ipu " + std::to_string(ipu_) + ": " + status.message);
  return 0;
}

int ClusterCommands::printStatus() const {
  const auto status = statusOf(chosenCluster());
  if (json_)
    std::cout << jsonText(status) << '\n';
  else
    tools::printStatus(status, std::cout);
  return status["ready"].get<bool>() ? 0 : 1;
}

int ClusterCommands::watchStatus() const {
  const cluster::Cluster cluster = chosenCluster();
  WatchOptions options = watching_;
  options.inPlace = ::isatty(STDOUT_FILENO) != 0;
  watchCluster([&] { return statusOf(cluster); }, options, std::cout);
  return 0;
}

std::string presentClusterFile() {
  if (const std::string named = wire::environmentVariable("COPSE_CLUSTER"); !named.empty())
    return named;
  const std::filesystem::path file = clusterFileIn(defaultClusterDirectory());
  std::error_code error;
  return std::filesystem::exists(file, error) ? file.string() : "";
}

} // namespace copse::tools
