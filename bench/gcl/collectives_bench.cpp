// Claims: an all-reduce over emulated IPUs takes little more wall-clock time than MPI_Allreduce
// takes over as many processes of this machine, which are joined by tcp on loopback in both.
#include "attached_ipus.hpp"
#include "mpi_reference.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <gcl/Collectives.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/TileMapping.hpp>
#include <string>

namespace {

using poplar::program::Repeat;
using poplar::program::Sequence;

struct Size {
  const char *name;
  unsigned processes;
  std::size_t bytes;
  unsigned rounds; ///< rounds per measurement
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

void reference(benchmark::State &state, const Size &size) {
  // Without shared memory; more processes than cores, so a process that waits lets others run.
  for (auto _ : state)
    state.SetIterationTime(copse::bench::secondsOfMpi(
        static_cast<int>(size.processes),
        "--mca btl tcp,self --mca btl_tcp_if_include lo --mca mpi_yield_when_idle 1",
        MPI_ALL_REDUCE " " + std::to_string(size.bytes) + " " + std::to_string(size.rounds)));
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
