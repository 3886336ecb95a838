// Claims: a sync point over 4 ipud processes of one machine, and one over 16, takes no longer than
// an MPI_Barrier of Open MPI over as many processes, through shared memory, on the same cores.
#include "mpi_reference.hpp"
#include "sync_points.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

namespace {

using namespace copse;

constexpr int kRuns = 4; // runs per iteration

void subject(benchmark::State &state, int processes) {
  bench::SyncPoints points(static_cast<std::uint32_t>(processes));
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    for (int run = 0; run < kRuns; ++run)
      points.run();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(time.count() / kRuns / bench::kSyncPointsPerRun);
  }
}

void reference(benchmark::State &state, int processes) {
  const std::string rounds = std::to_string(kRuns * bench::kSyncPointsPerRun);
  for (auto _ : state)
    state.SetIterationTime(
        bench::secondsOfMpi(processes, "--mca btl vader,self", MPI_PAIR " barrier 1 " + rounds));
}

void add(const std::string &name, void (*work)(benchmark::State &, int), int processes) {
  benchmark::RegisterBenchmark(name.c_str(), work, processes)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

} // namespace

int main(int argc, char **argv) {
  for (const int processes : {4, 16}) {
    const std::string name = "sync_mpi_" + std::to_string(processes);
    add(name + "/subject", subject, processes);
    add(name + "/reference", reference, processes);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
