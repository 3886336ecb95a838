// Tests that modelled cycles and results are the same bits whatever the transport, the threads and
// the load.
#include "devices.hpp"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <thread>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr const char *kDeterminismCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class AddTo : public Vertex {
public:
  InOut<Vector<float>> sum;
  Input<Vector<float>> part;
  bool compute() {
    for (unsigned i = 0; i < sum.size(); ++i) sum[i] += part[i];
    return true;
  }
};
class Smooth : public Vertex {
public:
  Input<Vector<float>> above, row, below;
  Output<Vector<float>> next;
  bool compute() {
    for (unsigned i = 0; i < row.size(); ++i)
      next[i] = 0.5f * row[i] + 0.25f * (above[i] + below[i]);
    return true;
  }
};
)";

constexpr unsigned kRow = 600;

/// A program and its result: the rows of stream "out", one per replica.
struct Built {
  Graph graph;
  Sequence program;
};

Tensor rowOn(Graph &graph, unsigned tile, const char *name) {
  const Tensor row = graph.addVariable(FLOAT, {kRow}, name);
  graph.setTileMapping(row, tile);
  graph.setInitialValue(row, 1.25f);
  return row;
}

Built begin(const Device &device, unsigned replicas) {
  Built built{Graph(device, replication_factor(replicas)), {}};
  std::stringstream codelets(kDeterminismCodelets);
  built.graph.addCodelets(codelets);
  return built;
}

Program add(Graph &graph, const Tensor &sum, const Tensor &part, unsigned tile) {
  const ComputeSet set = graph.addComputeSet("add");
  graph.setTileMapping(graph.addVertex(set, "AddTo", {{"sum", sum}, {"part", part}}), tile);
  return Execute(set);
}

std::map<unsigned, unsigned> shift(unsigned replicas, unsigned by) {
  std::map<unsigned, unsigned> map;
  for (unsigned r = 0; r < replicas; ++r)
    map[r] = (r + by) % replicas;
  return map;
}

void output(Built &built, const Tensor &row) {
  const DataStream out = built.graph.addDeviceToHostFIFO("out", FLOAT, kRow);
  built.program.add(Copy(row, out));
}

/// Builds four replicas that pass their rows round a ring and add them up.
Built allReduce(const Device &device) {
  Built built = begin(device, 4);
  Graph &graph = built.graph;
  const Tensor sum = rowOn(graph, 0, "sum"), moving = rowOn(graph, 1, "moving");
  const Program hop =
      Sequence({CrossReplicaCopy(moving, moving, shift(4, 1)), add(graph, sum, moving, 0)});
  built.program.add(Repeat(3, hop));
  output(built, sum);
  return built;
}

/// Builds four replicas that exchange halos and smooth, with many vertices each.
Built stencil(const Device &device) {
  Built built = begin(device, 4);
  Graph &graph = built.graph;
  constexpr unsigned kRows = 24;
  std::vector<Tensor> now, next;
  for (unsigned r = 0; r < kRows + 2; ++r) {
    now.push_back(rowOn(graph, r, "now"));
    next.push_back(rowOn(graph, r, "next"));
  }
  const ComputeSet smooth = graph.addComputeSet("smooth");
  for (unsigned r = 1; r <= kRows; ++r)
    graph.setTileMapping(
        graph.addVertex(
            smooth, "Smooth",
            {{"above", now[r - 1]}, {"row", now[r]}, {"below", now[r + 1]}, {"next", next[r]}}),
        r);
  Sequence step({CrossReplicaCopy(now[kRows], now[0], shift(4, 1)),
                 CrossReplicaCopy(now[1], now[kRows + 1], shift(4, 3)), Execute(smooth)});
  for (unsigned r = 1; r <= kRows; ++r)
    step.add(Copy(next[r], now[r]));
  built.program.add(Repeat(4, step));
  output(built, now[5]);
  return built;
}

/// Builds one replica of four IPUs; each adds its value to the one that the IPU before it sends.
Built pipeline(const Device &device) {
  Built built = begin(device, 1);
  Graph &graph = built.graph;
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  Sequence stage;
  Tensor before = rowOn(graph, 0, "source");
  for (unsigned ipu = 1; ipu < 4; ++ipu) {
    const Tensor here = rowOn(graph, ipu * tiles, "stage");
    stage.add(add(graph, here, before, ipu * tiles));
    before = here;
  }
  built.program.add(Repeat(5, stage));
  output(built, before);
  return built;
}

/// Builds two replicas of two IPUs. Rows are prefetched, summed on the other IPU, and written to
/// the host.
Built streamed(const Device &device) {
  Built built = begin(device, 2);
  Graph &graph = built.graph;
  const DataStream in =
      graph.addHostToDeviceFIFO("in", FLOAT, kRow, ReplicatedStreamMode::BROADCAST);
  const unsigned other = graph.getTarget().getTilesPerIPU();
  const Tensor row = rowOn(graph, 0, "row"), sum = rowOn(graph, other, "sum");
  built.program.add(Repeat(6, Sequence({Copy(in, row), add(graph, sum, row, other)})));
  output(built, sum);
  return built;
}

const struct ProgramCase {
  const char *name;
  Built (*build)(const Device &);
  unsigned replicas;
} kPrograms[] = {{"AllReduce", allReduce, 4},
                 {"Stencil", stencil, 4},
                 {"Pipeline", pipeline, 1},
                 {"Streamed", streamed, 2}};

struct Outcome {
  std::uint64_t cycles = 0; ///< modelled, of one run
  std::vector<float> rows;
  friend bool operator==(const Outcome &, const Outcome &) = default;
};

Outcome run(const ProgramCase &program, const Device &device) {
  Built built = program.build(device);
  Engine engine(built.graph, built.program,
                {{"debug.instrument", "true"},
                 {"exchange.enablePrefetch", "true"},
                 {"exchange.streamBufferOverlap", "none"}});
  Outcome outcome;
  outcome.rows.resize(std::size_t{program.replicas} * kRow);
  std::vector<float> source(kRow);
  std::iota(source.begin(), source.end(), 0.5f);
  if (program.build == streamed)
    engine.connectStream("in", source.data());
  engine.connectStream("out", outcome.rows.data(), outcome.rows.data() + outcome.rows.size());
  engine.load(device);
  engine.run();
  const ProfileValue profile = engine.getExecutionProfile();
  const ProfileValue &only = profile["runs"].asVector().at(0);
  outcome.cycles = only["to"].asUint64() - only["from"].asUint64();
  return outcome;
}

/// Sets a variable of the environment for the object's lifetime.
class Setting {
public:
  Setting(const char *name, const char *value) : name_(name) { ::setenv(name, value, 1); }
  ~Setting() { ::unsetenv(name_); }
  Setting(const Setting &) = delete;
  Setting &operator=(const Setting &) = delete;

private:
  const char *name_;
};

/// Takes processor time while it lives.
class Hog {
public:
  Hog() {
    for (std::thread &thread : threads_)
      thread = std::thread([this] {
        while (!ended_)
          ++spins_;
      });
  }
  ~Hog() {
    ended_ = true;
    for (std::thread &thread : threads_)
      thread.join();
  }
  Hog(const Hog &) = delete;
  Hog &operator=(const Hog &) = delete;

private:
  std::atomic<bool> ended_{false};
  std::atomic<std::uint64_t> spins_{0};
  std::array<std::thread, 3> threads_;
};

class ModelledTime : public ::testing::TestWithParam<ProgramCase> {};
INSTANTIATE_TEST_SUITE_P(Programs, ModelledTime, ::testing::ValuesIn(kPrograms),
                         [](const auto &p) { return p.param.name; });

TEST_P(ModelledTime, IsTheSameOverThreadsTransportsAndLoad) {
  const auto &program = GetParam();
  const Outcome first = run(program, attach(TargetType::IPU_MODEL, 4));
  EXPECT_GT(first.cycles, 1000u);
  EXPECT_NE(first.rows[kRow - 1], 0.0f);
  for (const char *threads : {"1", "3"}) {
    const Setting setting("COPSE_THREADS", threads);
    EXPECT_EQ(run(program, attach(TargetType::IPU_MODEL, 4)), first) << threads << " threads";
  }
  for (const char *transport : {"shm", "ipc", "tcp"}) {
    const Setting setting("COPSE_TRANSPORT", transport);
    EXPECT_EQ(run(program, attach(TargetType::IPU, 4)), first) << transport;
  }
  const Hog hog;
  EXPECT_EQ(run(program, attach(TargetType::IPU, 4)), first) << "beside a CPU hog";
}

} // namespace
} // namespace copse::test
