// Claims about an IPU-Link through shared memory between two processes: it carries messages of 1
// MiB at 1.0 or more of the speed of MPI_Send and MPI_Recv of Open MPI through shared memory, from
// memory of one process to memory of the other; and a message of 64 bytes takes at most twice as
// long. A message of 64 bytes costs little more if its IPU exchanges data with many others.
#include "mpi_reference.hpp"

#include "disk_cache/private_directory.hpp"
#include "fabric/buffer_reuse.hpp"
#include "fabric/link_node.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace copse;
using namespace std::chrono_literals;
using Clock = fabric::LinkNode::Clock;

[[noreturn]] void fail(const std::string &why) { throw std::runtime_error(why); }

fabric::Endpoint endpointIn(const disk_cache::PrivateDirectory &folder, std::uint32_t ipu) {
  return fabric::Endpoint::shm((folder.path() / std::to_string(ipu)).string());
}

/// The memory of one tile of an IPU at an end of a link.
class End {
public:
  End(std::uint32_t self, const disk_cache::PrivateDirectory &folder, std::size_t bytes)
      : tile_(bytes, static_cast<std::byte>(self)), other_{1 - self} {
    auto node = fabric::LinkNode::bind(fabric::linkTransports(context_), endpointIn(folder, self));
    if (!node)
      fail(node.status().message);
    node_ = std::move(*node);
    const auto status = node_->connect(
        {wire::Topology::Mesh, 2, {self}, {{other_, endpointIn(folder, other_.value)}}, 0});
    if (!status.ok())
      fail(status.message);
  }
  void send(std::size_t bytes) {
    fabric::Payload payload = node_->payloadTo(other_, bytes);
    std::memcpy(payload.data(), tile_.data(), bytes);
    if (const auto status = node_->send(other_, 0, std::move(payload)); !status.ok())
      fail(status.message);
  }
  void receive(std::size_t bytes) {
    const auto payload = node_->receive(other_, 0, Clock::now() + 20s);
    if (!payload || payload->size() != bytes)
      fail(payload ? "a message is not as long as what was sent" : payload.status().message);
    std::memcpy(tile_.data(), payload->data(), bytes);
  }
  std::byte at(std::size_t i) const { return tile_[i]; }

private:
  zmq::context_t context_;
  std::vector<std::byte> tile_;
  wire::IpuId other_;
  std::unique_ptr<fabric::LinkNode> node_;
};

struct Transfer {
  const char *name;
  const char *mpi; ///< what mpi_pair does
  std::size_t bytes;
  int rounds;
  bool echo;
};
constexpr Transfer kTransfers[] = {{"link_shm_1MiB", "send", 1 << 20, 512, false},
                                   {"link_shm_64KiB", "send", 64 << 10, 4096, false},
                                   {"link_shm_latency", "echo", 64, 20'000, true}};

void run(End &end, const Transfer &transfer, bool first) {
  for (int i = 0; i < transfer.rounds; ++i) {
    if (first || (transfer.echo && i > 0))
      end.send(transfer.bytes);
    if (!first || transfer.echo)
      end.receive(transfer.bytes);
  }
  if (!first)
    end.send(transfer.echo ? transfer.bytes : 1);
  else if (!transfer.echo)
    end.receive(1);
}

/// Two processes, of which this is the first.
class Processes {
public:
  explicit Processes(const Transfer &transfer) : transfer_(transfer) {
    child_ = ::fork();
    if (child_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      End end(1, folder_, transfer.bytes);
      for (;;)
        run(end, transfer_, false);
    }
    end_ = std::make_unique<End>(0, folder_, transfer.bytes);
  }
  ~Processes() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    end_.reset();
  }
  Processes(const Processes &) = delete;
  Processes &operator=(const Processes &) = delete;

  void exchange() {
    run(*end_, transfer_, true);
    if (transfer_.echo && end_->at(transfer_.bytes / 2) != std::byte{0})
      fail("the message that came back is another");
  }

private:
  Transfer transfer_;
  disk_cache::PrivateDirectory folder_;
  pid_t child_ = -1;
  std::unique_ptr<End> end_;
};

void subject(benchmark::State &state, const Transfer &transfer) {
  Processes processes(transfer);
  processes.exchange(); // connects, and touches all memory
  for (auto _ : state) {
    const auto start = Clock::now();
    processes.exchange();
    const std::chrono::duration<double> time = Clock::now() - start;
    state.SetIterationTime(time.count() / transfer.rounds / (transfer.echo ? 2 : 1));
  }
}

void reference(benchmark::State &state, const Transfer &transfer) {
  for (auto _ : state)
    state.SetIterationTime(bench::secondsOfMpi(2, "--mca btl vader,self",
                                               std::string(MPI_PAIR " ") + transfer.mpi + " " +
                                                   std::to_string(transfer.bytes) + " " +
                                                   std::to_string(transfer.rounds)));
}

/// Nodes in this process, each with links to all others, and a message that two of them pass to and
/// fro: this measures its cost without a thread that waits.
class Nodes {
public:
  explicit Nodes(std::uint32_t ipus) {
    std::vector<wire::IpuId> all;
    for (std::uint32_t ipu = 0; ipu < ipus; ++ipu)
      all.push_back({ipu});
    std::map<wire::IpuId, fabric::Endpoint> endpoints;
    for (const wire::IpuId ipu : all)
      endpoints.emplace(ipu, endpointIn(folder_, ipu.value));
    for (const wire::IpuId ipu : all) {
      auto node = fabric::LinkNode::bind(fabric::linkTransports(context_), endpoints.at(ipu));
      if (!node)
        fail(node.status().message);
      nodes_.push_back(std::move(*node));
      check(nodes_.back()->connect({wire::Topology::Mesh, ipus, ipu, endpoints, 0}));
    }
    for (const auto &node : nodes_)
      check(node->openDirectChannels(all));
  }
  void pass(std::uint32_t from, std::uint32_t to) {
    check(nodes_[from]->send({to}, 0, nodes_[from]->payloadTo({to}, 64)));
    check(nodes_[to]->receive({from}, 0, Clock::now() + 20s).status());
  }

private:
  static void check(const wire::Status &status) {
    if (!status.ok())
      fail(status.message);
  }

  disk_cache::PrivateDirectory folder_;
  zmq::context_t context_;
  std::vector<std::unique_ptr<fabric::LinkNode>> nodes_;
};

void passAround(benchmark::State &state, std::uint32_t ipus) {
  Nodes nodes(ipus);
  nodes.pass(0, 1);
  nodes.pass(1, 0);
  for (auto _ : state) {
    nodes.pass(0, 1);
    nodes.pass(1, 0);
  }
}

void add(const std::string &name, void (*work)(benchmark::State &, const Transfer &),
         const Transfer &transfer) {
  benchmark::RegisterBenchmark(name.c_str(), work, transfer)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

} // namespace

int main(int argc, char **argv) {
  fabric::reuseBuffers(); // as ipud does
  for (const Transfer &transfer : kTransfers) {
    add(std::string(transfer.name) + "/subject", subject, transfer);
    add(std::string(transfer.name) + "/reference", reference, transfer);
  }
  benchmark::RegisterBenchmark("link_shm_16_peers/subject", passAround, 16);
  benchmark::RegisterBenchmark("link_shm_16_peers/reference", passAround, 2);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
