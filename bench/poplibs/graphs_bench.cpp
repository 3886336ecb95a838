// Claims: what it costs to build graphs of PopLibs operations: vertices, codelets that are
// generated for expressions, plans.
#include "codelet_commands.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace poplar;
using poplar::program::Sequence;
namespace fs = std::filesystem;
namespace pe = popops::expr;

/// The cache of compiled codelets, in a folder of this run.
class Cache {
public:
  Cache() : path_(fs::temp_directory_path() / ("copse-graphs-bench-" + std::to_string(getpid()))) {
    ::setenv("COPSE_CACHE_DIR", path_.c_str(), 1);
  }
  ~Cache() { fs::remove_all(path_); }
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;
  const fs::path &path() const { return path_; }
  void forget() const { fs::remove_all(path_); }

private:
  fs::path path_;
};

Cache &cache() {
  static Cache theCache;
  return theCache;
}

Tensor input(Graph &graph, std::size_t elements) {
  const Tensor t = graph.addVariable(FLOAT, {elements});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

/// Expressions of a few operations that differ in their constant.
std::vector<pe::Any> expressions(unsigned count) {
  std::vector<pe::Any> all;
  for (unsigned i = 0; i != count; ++i)
    all.emplace_back(pe::Tanh(pe::_1 * pe::_2 + pe::Const(static_cast<float>(i))) - pe::_1);
  return all;
}

void addMap(Graph &graph, const std::vector<Tensor> &operands, unsigned count) {
  Sequence prog;
  popops::map(graph, expressions(count), operands, prog);
}

/// Returns the processor time of this process and of its children, among them the compilers.
double spentSeconds() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval &time : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

/// Times map() over \p count expressions in a new graph; their classes are compiled, or come from
/// the cache on disk.
void mapBy(benchmark::State &state, unsigned count, bool isCached) {
  const Cache &codelets = cache();
  const Device device = IPUModel().createDevice();
  double spent = 0;
  const auto time = [&] {
    Graph graph(device);
    const std::vector<Tensor> operands{input(graph, 100000), input(graph, 100000)};
    const double before = spentSeconds();
    state.ResumeTiming();
    addMap(graph, operands, count);
    state.PauseTiming();
    spent += spentSeconds() - before;
  };
  if (isCached) {
    Graph graph(device);
    addMap(graph, {input(graph, 100000), input(graph, 100000)}, count);
  }
  for (auto _ : state) {
    state.PauseTiming();
    if (!isCached)
      codelets.forget();
    time();
    state.ResumeTiming();
  }
  state.counters["cpu_seconds"] = benchmark::Counter(spent, benchmark::Counter::kAvgIterations);
}

void thousandOperations(benchmark::State &state) {
  const Device device = IPUModel().createDevice();
  for (auto _ : state) {
    Graph graph(device);
    Sequence prog;
    const Tensor a = input(graph, 1472 * 64);
    Tensor b = a;
    for (unsigned i = 0; i != 1000; ++i)
      b = i % 2 == 0 ? popops::add(graph, a, b, prog) : popops::tanh(graph, b, prog);
    benchmark::DoNotOptimize(b);
  }
}

void matMulPlan(benchmark::State &state, bool isCached) {
  const Device device = IPUModel().createDevice();
  const Graph graph(device);
  poplin::matmul::PlanningCache cache;
  std::ostringstream plan;
  for (auto _ : state)
    poplin::matMulReportPlan(plan, graph, HALF, HALF, {1024, 768}, {768, 3072}, {},
                             isCached ? &cache : nullptr);
}

/// The first operations load the codelets whose loading addCodelets() has put off.
void addCodelets(benchmark::State &state) {
  const Device device = IPUModel().createDevice();
  for (auto _ : state) {
    state.PauseTiming();
    {
      Graph graph(device);
      const Tensor a = graph.addVariable(FLOAT, {4, 4}), b = graph.addVariable(HALF, {4, 4});
      graph.setTileMapping(a, 0);
      graph.setTileMapping(b, 0);
      Sequence prog;
      state.ResumeTiming();
      popops::addCodelets(graph);
      poplin::addCodelets(graph);
      popnn::addCodelets(graph);
      poprand::addCodelets(graph);
      popops::add(graph, a, a, prog);
      popops::add(graph, b, b, prog);
      popops::reduce(graph, a, {0}, popops::Operation::ADD, prog);
      popnn::softmaxInPlace(graph, a, prog);
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
}

/// Times all that the build does for codelets.
void buildCodelets(benchmark::State &state) {
  double before = 0;
  for (auto _ : state) {
    before = spentSeconds();
    const Cache &output = cache();
    fs::create_directories(output.path());
    for (const std::string command : {POPLIBS_CODELETS})
      if (std::system((command + " -o " + (output.path() / "built.gp").string()).c_str()) != 0)
        state.SkipWithError("popc failed");
  }
  state.counters["cpu_seconds"] = spentSeconds() - before;
}

void add(const char *name, const std::function<void(benchmark::State &)> &function) {
  benchmark::RegisterBenchmark((std::string("poplibs_") + name + "/subject").c_str(), function)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace

int main(int argc, char **argv) {
  add("thousand_operations", thousandOperations);
  add("first_map", [](benchmark::State &s) { mapBy(s, 1, false); });
  add("twenty_maps", [](benchmark::State &s) { mapBy(s, 20, false); });
  add("cached_map", [](benchmark::State &s) { mapBy(s, 1, true); });
  add("add_codelets", addCodelets);
  add("build_codelets", buildCodelets);
  add("matmul_plan", [](benchmark::State &s) { matMulPlan(s, false); });
  add("matmul_plan_cached", [](benchmark::State &s) { matMulPlan(s, true); });
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
