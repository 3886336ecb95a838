// Measures the cost of an IPU before it does anything: the time from the start of its process to
// its ready line (limit: 0.3 s), and the resident memory of a Mk2 IPU that is loaded and idle
// (limit: 12 MiB).
#include "session/ipud_process.hpp"
#include "session/machine.hpp"

#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace {

using namespace copse;
using Clock = std::chrono::steady_clock;

double residentMiB(int pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  double all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// A Mk2 with an empty program.
session::Program idleProgram() {
  wire::Image image;
  image.geometry.tiles = 1472;
  image.geometry.memoryBase = 0x4C000;
  image.geometry.memoryBytes = 0x9C000;
  image.programs.push_back({0, 0});
  session::Program program;
  program.images.push_back(std::make_shared<const wire::Image>(std::move(image)));
  return program;
}

double idleMiB(benchmark::State &state) {
  std::ifstream model(COPSE_MODEL_PATH);
  session::MachineOptions options;
  options.ipudPath = COPSE_IPUD_PATH;
  options.machineModel.assign(std::istreambuf_iterator<char>(model), {});
  auto machine = session::Machine::start(options);
  if (!machine || !(*machine)->load(idleProgram()).ok()) {
    state.SkipWithError("the machine does not start or does not load");
    return 0;
  }
  return residentMiB((*machine)->processes().front());
}

void ipudStart(benchmark::State &state) {
  const std::string any = "tcp://127.0.0.1:*";
  for (auto _ : state) {
    const auto begin = Clock::now();
    auto process = session::IpudProcess::spawn({COPSE_IPUD_PATH, {any, any, any}, "ipu 0", "", -1});
    if (!process || !process->awaitReady(begin + std::chrono::seconds(10)).ok()) {
      state.SkipWithError("ipud does not get ready");
      return;
    }
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  state.counters["idle_MiB"] = idleMiB(state);
  state.counters["limit_s"] = 0.3;
  state.counters["limit_MiB"] = 12;
}
BENCHMARK(ipudStart)->Name("ipud_start/subject")->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
