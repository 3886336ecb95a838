// Measures the cost of a large graph: building it through the public API and compiling it, on one
// thread, and loading it.
#include "attached_ipus.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace {

using namespace poplar;
using namespace poplar::program;

constexpr unsigned kIpus = 16;
constexpr std::size_t kElements = 4; ///< elements per edge

constexpr const char *kCodelet = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Blend : public Vertex {
public:
  Input<Vector<float>> a, b, c;
  Output<Vector<float>> d;
  bool compute() {
    for (unsigned i = 0; i < d.size(); ++i) d[i] = a[i] + b[i] * c[i];
    return true;
  }
};
)";

double peakMiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

const OptionFlags kNoCache{{"copse.executableCache", "off"}};

/// Vertices of four edges, spread evenly; one edge of each reads the neighbouring tile.
Execute build(Graph &graph, std::size_t vertices) {
  const std::size_t tiles = graph.getTarget().getNumTiles();
  const auto variable = [&](const char *name) {
    const Tensor t = graph.addVariable(FLOAT, {vertices * kElements}, name);
    for (std::size_t tile = 0; tile < tiles; ++tile)
      graph.setTileMapping(
          t.slice(vertices * tile / tiles * kElements, vertices * (tile + 1) / tiles * kElements),
          static_cast<unsigned>(tile));
    return t;
  };
  const Tensor a = variable("a"), b = variable("b"), c = variable("c"), d = variable("d");
  const ComputeSet set = graph.addComputeSet("blend");
  const std::size_t away = vertices / tiles + 1;
  for (std::size_t tile = 0; tile < tiles; ++tile)
    for (std::size_t v = vertices * tile / tiles; v < vertices * (tile + 1) / tiles; ++v) {
      const std::size_t at = v * kElements, remote = (v + away) % vertices * kElements;
      const VertexRef vertex = graph.addVertex(set, "Blend",
                                               {{"a", a.slice(at, at + kElements)},
                                                {"b", b.slice(at, at + kElements)},
                                                {"c", c.slice(remote, remote + kElements)},
                                                {"d", d.slice(at, at + kElements)}});
      graph.setTileMapping(vertex, static_cast<unsigned>(tile));
    }
  return Execute(set);
}

void compileVertices(benchmark::State &state, std::size_t vertices) {
  for (auto _ : state) {
    Graph graph(Target::createIPUTarget(kIpus, "ipu2"));
    std::stringstream source(kCodelet);
    state.PauseTiming(); // compiling the codelet is not the graph's cost
    graph.addCodelets(source);
    state.ResumeTiming();
    benchmark::DoNotOptimize(compileGraph(graph, {build(graph, vertices)}, kNoCache));
  }
  state.counters["ns_per_vertex"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(vertices) * 1e-9,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["peak_MiB"] = peakMiB();
}
BENCHMARK_CAPTURE(compileVertices, million, 1'000'000)
    ->Name("compile_million_vertices/subject")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
// The cost of a vertex must not grow with their number.
BENCHMARK_CAPTURE(compileVertices, many, 1'000'000)
    ->Name("compile_growth/subject")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(compileVertices, fewer, 100'000)
    ->Name("compile_growth/reference")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

/// The image of a million vertices on its way to 16 ipud processes.
void load(benchmark::State &state) {
  const Device device = copse::bench::attachedIpus(kIpus);
  Graph graph(device.getTarget());
  std::stringstream source(kCodelet);
  graph.addCodelets(source);
  Engine engine(graph, build(graph, 1'000'000), kNoCache);
  for (auto _ : state)
    engine.load(device);
  engine.run();
}
BENCHMARK(load)
    ->Name("load_million_vertices/subject")
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1);

/// A folder for cached files, gone when the program ends.
class OwnCache {
public:
  OwnCache() {
    if (::mkdtemp(name_.data()) != nullptr)
      ::setenv("COPSE_CACHE_DIR", name_.c_str(), 1);
  }
  ~OwnCache() {
    std::error_code ignored;
    std::filesystem::remove_all(name_, ignored);
  }
  OwnCache(const OwnCache &) = delete;
  OwnCache &operator=(const OwnCache &) = delete;

private:
  std::string name_ = (std::filesystem::temp_directory_path() / "copse-bench-XXXXXX").string();
};

std::string saved(const Executable &executable) {
  std::ostringstream file;
  executable.serialize(file);
  return std::move(file).str();
}

/// The second compilation of a graph: from the cache, or once more.
void compileAgain(benchmark::State &state, bool cached) {
  static const OwnCache cache;
  Graph graph(Target::createIPUTarget(kIpus, "ipu2"));
  std::stringstream source(kCodelet);
  graph.addCodelets(source);
  const Execute program = build(graph, 1'000'000);
  const OptionFlags options = cached ? OptionFlags{{"copse.executableCache", "on"}} : kNoCache;
  const std::string first = saved(compileGraph(graph, {program}, options));
  for (auto _ : state) {
    const Executable second = compileGraph(graph, {program}, options);
    state.PauseTiming();
    if (saved(second) != first)
      state.SkipWithError("the second executable is not the first");
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(compileAgain, hit, true)
    ->Name("compile_cached/subject")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(compileAgain, miss, false)
    ->Name("compile_cached/reference")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

/// Variables of one element each, over two IPUs, chained by copies into one tensor.
void compileVariables(benchmark::State &state) {
  constexpr std::size_t kVariables = 1'000'000;
  for (auto _ : state) {
    Graph graph(Target::createIPUTarget(2, "ipu2"));
    const std::size_t tiles = graph.getTarget().getNumTiles();
    std::vector<Tensor> all;
    all.reserve(kVariables);
    for (std::size_t i = 0; i < kVariables; ++i) {
      all.push_back(graph.addVariable(INT, {1}));
      graph.setTileMapping(all.back(), static_cast<unsigned>(i % tiles));
    }
    const Tensor joined = concat(all);
    const Tensor copy = graph.addVariable(INT, {kVariables}, VariableMappingMethod::LINEAR);
    benchmark::DoNotOptimize(compileGraph(graph, {Copy(joined, copy)}, kNoCache));
  }
  state.counters["peak_MiB"] = peakMiB();
}
BENCHMARK(compileVariables)
    ->Name("compile_million_variables/subject")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

constexpr std::size_t kViews = 100'000;

/// Applies \p each to kViews slices of one tensor; reports the time per slice.
void timeViews(benchmark::State &state, const auto &each) {
  Graph graph(Target::createIPUTarget(1, "ipu2"));
  const Tensor t = graph.addVariable(FLOAT, {kViews * kElements});
  for (auto _ : state)
    each(graph, t);
  state.counters["us_per_view"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kViews * 1e-6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

std::vector<Tensor> slicesOf(const Tensor &t) {
  std::vector<Tensor> slices;
  slices.reserve(kViews);
  for (std::size_t i = 0; i < kViews; ++i)
    slices.push_back(t.slice(i * kElements, (i + 1) * kElements));
  return slices;
}

void sliceViews(benchmark::State &state) {
  timeViews(state, [](Graph &, const Tensor &t) { benchmark::DoNotOptimize(slicesOf(t)); });
}
BENCHMARK(sliceViews)->Name("view_slice/subject")->Unit(benchmark::kMillisecond);

void mapViews(benchmark::State &state) {
  std::vector<Tensor> slices;
  timeViews(state, [&](Graph &graph, const Tensor &t) {
    if (slices.empty())
      slices = slicesOf(t);
    const unsigned tiles = graph.getTarget().getNumTiles();
    for (std::size_t i = 0; i < kViews; ++i)
      graph.setTileMapping(slices[i], static_cast<unsigned>(i % tiles));
  });
}
BENCHMARK(mapViews)->Name("view_map/subject")->Unit(benchmark::kMillisecond);

/// Every second slice comes before all others: a row of as many pieces as there are slices.
void concatViews(benchmark::State &state) {
  std::vector<Tensor> slices;
  timeViews(state, [&](Graph &, const Tensor &t) {
    if (slices.empty()) {
      const auto inOrder = slicesOf(t);
      for (const std::size_t first : {1, 0})
        for (std::size_t i = first; i < kViews; i += 2)
          slices.push_back(inOrder[i]);
    }
    benchmark::DoNotOptimize(concat(slices));
  });
}
BENCHMARK(concatViews)->Name("view_concat/subject")->Unit(benchmark::kMillisecond);

/// Channels of 1,450,000,000 elements, taken apart into groups, seen in another order, and sliced.
void regroupViews(benchmark::State &state) {
  constexpr std::size_t kTimes = 1000;
  Graph graph(Target::createIPUTarget(1, "ipu2"));
  const Tensor t = graph.addVariable(HALF, {5, 7, 100, 101, 64, 4, 16});
  for (auto _ : state)
    for (std::size_t i = 0; i < kTimes; ++i) {
      const Tensor seen = t.dimShuffle({0, 5, 2, 3, 4, 1, 6}).reshape({20, 100, 101, 64, 112});
      const std::size_t begin = i * 1'000'000 + 5;
      benchmark::DoNotOptimize(seen.flatten().slice(begin, begin + 64).getContiguousRegions());
    }
  state.counters["us_per_view"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kTimes * 1e-6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(regroupViews)->Name("view_regroup/subject")->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
