// Claims: an all-reduce over emulated IPUs takes little more wall-clock time than MPI_Allreduce takes over as many
// processes of this machine, which are joined by tcp on loopback in both.
#include "attached_ipus.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gcl/Collectives.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/TileMapping.hpp>
#include <stdexcept>
#include <string>

namespace {

using poplar::program::Repeat;
using poplar::program::Sequence;

struct Size {
  const char *name;
  unsigned processes;
  std::size_t bytes;
  unsigned rounds; ///< of one measurement
};
constexpr Size kSizes[] = {{"all_reduce_64MiB_4", 4, std::size_t{64} << 20, 2},
                           {"all_reduce_64MiB_8", 8, std::size_t{64} << 20, 2},
                           {"all_reduce_1KiB_4", 4, 1024, 500}};

/// A loaded program of all-reduces.
class AllReduce {
public:
  explicit AllReduce(const Size &size)
      : rounds_(size.rounds), device_(copse::bench::attachedIpus(size.processes)),
        engine_(programs(size, device_)) {
    engine_.load(device_);
    secondsOfOne(); // connections are made, and memory is there
  }
  double secondsOfOne() {
    const auto start = std::chrono::steady_clock::now();
    engine_.run(0);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
           rounds_;
  }

private:
  static poplar::Engine programs(const Size &size, const poplar::Device &device) {
    poplar::Graph graph(device, poplar::replication_factor(size.processes));
    const poplar::Tensor data =
        graph.addVariable(poplar::FLOAT, {size.bytes / sizeof(float)}, "data");
    poputil::mapTensorLinearly(graph, data);
    Sequence turn;
    gcl::allReduceInPlaceCrossReplica(graph, data, gcl::CollectiveOperator::MAX, turn);
    return poplar::Engine(graph, Repeat(size.rounds, turn));
  }

  unsigned rounds_;
  poplar::Device device_;
  poplar::Engine engine_;
};

void subject(benchmark::State &state, const Size &size) {
  AllReduce reduce(size);
  for (auto _ : state)
    state.SetIterationTime(reduce.secondsOfOne());
}

double secondsOfMpi(const Size &size) {
  // Without shared memory; more processes than cores, so a process that waits lets others run.
  const std::string command =
      MPIRUN " -n " + std::to_string(size.processes) +
      " --oversubscribe --allow-run-as-root --mca btl tcp,self --mca btl_tcp_if_include lo"
      " --mca mpi_yield_when_idle 1 " MPI_ALL_REDUCE " " +
      std::to_string(size.bytes) + " " + std::to_string(size.rounds);
  FILE *const output = ::popen(command.c_str(), "r");
  double seconds = 0;
  const bool hasRead = output != nullptr && std::fscanf(output, "%lf", &seconds) == 1;
  if (output == nullptr || ::pclose(output) != 0 || !hasRead)
    throw std::runtime_error("'" + command + "' failed");
  return seconds;
}

void reference(benchmark::State &state, const Size &size) {
  for (auto _ : state)
    state.SetIterationTime(secondsOfMpi(size));
}

} // namespace

int main(int argc, char **argv) {
  for (const Size &size : kSizes) {
    const std::string name = size.name;
    benchmark::RegisterBenchmark((name + "/subject").c_str(), subject, size)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((name + "/reference").c_str(), reference, size)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
