#include "devices.hpp"

#include "poplar/exceptions.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::HasSubstr;

constexpr const char *kWorkerOrderCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Racy : public MultiVertex {
public:
  Output<int> last;
  bool compute(unsigned worker) { *last = static_cast<int>(worker); return true; }
};
class Sound : public MultiVertex {
public:
  Output<Vector<int>> workers;
  bool compute(unsigned worker) { workers[worker] = static_cast<int>(worker); return true; }
};
)";

/// Sets POPLAR_SIMULATOR_OPTIONS for the object's lifetime.
class SimulatorOptions {
public:
  explicit SimulatorOptions(const char *json) { ::setenv("POPLAR_SIMULATOR_OPTIONS", json, 1); }
  ~SimulatorOptions() { ::unsetenv("POPLAR_SIMULATOR_OPTIONS"); }
  SimulatorOptions(const SimulatorOptions &) = delete;
  SimulatorOptions &operator=(const SimulatorOptions &) = delete;
};

class WorkerOrder : public OnEveryDevice {
protected:
  static constexpr int kRuns = 40;

  WorkerOrder() {
    std::stringstream source(kWorkerOrderCodelets);
    graph_.addCodelets(source);
    const ComputeSet set = graph_.addComputeSet("set");
    program_ = Sequence({Execute(set)});
    const VertexRef racy = graph_.addVertex(set, "Racy"), sound = graph_.addVertex(set, "Sound");
    graph_.setTileMapping(racy, 0);
    graph_.setTileMapping(sound, 0);
    graph_.connect(racy["last"], hostVariable(INT, {}, "last"));
    workers_ = graph_.addVariable(INT, {graph_.getTarget().getNumWorkerContexts()}, "workers");
    graph_.setTileMapping(workers_, 0);
    graph_.createHostRead("workers", workers_);
    graph_.connect(sound["workers"], workers_);
  }

  /// Returns the worker that the racy vertex takes for the last, in each of kRuns runs of the
  /// compute set.
  std::vector<int> lastWorkers() {
    Engine engine = load(program_);
    std::vector<int> all;
    for (int run = 0; run < kRuns; ++run) {
      engine.run();
      all.push_back(read<int>(engine, "last", 1).front());
      EXPECT_TRUE(std::ranges::is_sorted(read<int>(engine, "workers", workers_.numElements())));
    }
    return all;
  }
  Sequence program_;
  Tensor workers_;
};

INSTANTIATE_TEST_SUITE_P(Devices, WorkerOrder, ::testing::ValuesIn(kModelAndIpu), deviceName);

TEST_P(WorkerOrder, FollowsTheWorkersByDefault) {
  EXPECT_THAT(lastWorkers(), ::testing::Each(5));
  const SimulatorOptions options(R"({"workerOrder": "fixed", "workerSeed": "3"})");
  EXPECT_THAT(lastWorkers(), ::testing::Each(5));
}

TEST_P(WorkerOrder, ShowsARaceIfShuffled) {
  const SimulatorOptions options(R"({"workerOrder": "shuffled"})");
  const auto last = lastWorkers();
  EXPECT_GT(std::set<int>(last.begin(), last.end()).size(), 3u);
}

TEST_P(WorkerOrder, FollowsTheSeedIfShuffled) {
  const auto withSeed = [&](const char *json) {
    const SimulatorOptions options(json);
    return lastWorkers();
  };
  const auto seven = withSeed(R"({"workerOrder": "shuffled", "workerSeed": "7"})");
  EXPECT_EQ(withSeed(R"({"workerOrder": "shuffled", "workerSeed": "7"})"), seven);
  EXPECT_NE(withSeed(R"({"workerOrder": "shuffled", "workerSeed": "8"})"), seven);
}

TEST_P(WorkerOrder, IsRefusedIfInvalid) {
  const SimulatorOptions options(R"({"workerOrder": "random"})");
  try {
    load(program_);
    FAIL() << "there is no such order";
  } catch (const invalid_option &e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(HasSubstr("POPLAR_SIMULATOR_OPTIONS"),
                                           HasSubstr("workerOrder"), HasSubstr("random")));
  }
}

} // namespace
} // namespace copse::test
