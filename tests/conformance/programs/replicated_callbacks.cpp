// Replicas, each with callbacks of its own, and one stream that all of them share.
#include "check.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr unsigned R = 4;
constexpr std::size_t N = 8;

// Counts up, ahead of time if it is asked to.
class Counter final : public StreamCallback {
public:
  explicit Counter(int start) : value_(start) {}
  Result prefetch(void *p) noexcept override {
    fill(p, value_ + ahead_++);
    return Result::Success;
  }
  void fetch(void *p) noexcept override { fill(p, value_); }
  void complete() noexcept override {
    ++value_;
    ahead_ -= ahead_ > 0;
  }
  void invalidatePrefetched() noexcept override { ahead_ = 0; }

private:
  static void fill(void *p, int x) { std::fill_n(static_cast<int *>(p), N, x); }
  int value_;
  int ahead_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  auto device = check::device(argc, argv, R);
  Graph graph(device.getTarget(), replication_factor(R));
  std::stringstream source("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                           "class Mix : public Vertex { public: Input<Vector<int>> x, shared;"
                           " Input<unsigned> replica; Output<Vector<int>> y; bool compute() {"
                           " for (unsigned i = 0; i < x.size(); ++i)"
                           " y[i] = x[i] * 100 + shared[i] * 10 + int(replica); return true; } };");
  graph.addCodelets(source);
  if (graph.getReplicationFactor() != R || graph.getTarget().getNumIPUs() != 1)
    return check::failed("the target of one replica");

  const auto variable = [&](const char *name) {
    return graph.addVariable(INT, {N}, VariableMappingMethod::LINEAR, name);
  };
  const Tensor x = variable("x"), shared = variable("shared"), y = variable("y");
  const Tensor replica = graph.addReplicationIndexConstant("replica");
  graph.setTileMapping(replica, 1);
  const ComputeSet cs = graph.addComputeSet("mix");
  graph.setTileMapping(
      graph.addVertex(cs, "Mix", {{"x", x}, {"shared", shared}, {"replica", replica}, {"y", y}}),
      1);

  const OptionFlags deep{{"bufferingDepth", "2"}};
  const auto in = graph.addHostToDeviceFIFO("x", INT, N, ReplicatedStreamMode::REPLICATE, deep);
  const auto all = graph.addHostToDeviceFIFO("shared", INT, N, ReplicatedStreamMode::BROADCAST);
  const auto out = graph.addDeviceToHostFIFO("y", INT, N);
  const Sequence once{Copy(in, x), Copy(all, shared), Execute(cs), Copy(y, out)};
  Engine engine(graph, Repeat(3, once),
                {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", "none"}});

  std::map<unsigned, std::vector<int>> received;
  for (unsigned r = 0; r < R; ++r) {
    engine.connectStreamToCallback("x", r, std::make_unique<Counter>(static_cast<int>(r)));
    engine.connectStreamToCallback("y", r, [&received, r](void *p) {
      received[r].push_back(*static_cast<const int *>(p));
      if (static_cast<const int *>(p)[N - 1] != received[r].back())
        received[r].push_back(-1);
    });
  }
  int broadcast = 0;
  engine.connectStreamToCallback(
      "shared", [&broadcast](void *p) { std::fill_n(static_cast<int *>(p), N, ++broadcast); });
  engine.load(device);
  engine.run();
  engine.run();

  int wrong = broadcast == 6 ? 0 : check::failed("fetches of the shared stream");
  for (unsigned r = 0; r < R; ++r) {
    std::vector<int> expected;
    for (int i = 0; i < 6; ++i)
      expected.push_back((static_cast<int>(r) + i) * 100 + (i + 1) * 10 + static_cast<int>(r));
    wrong += check::differences("received", received[r], expected);
  }
  return wrong;
}
