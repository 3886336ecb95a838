// Tests faults of a codelet through Engine::run: the exception names the tile and vertex, and the
// device can be loaded again.
#include "devices.hpp"

#include <poplar/exceptions.hpp>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char *kFaultTableCodelets = R"(
#include <poplar/Vertex.hpp>
#include <cstdint>
using namespace poplar;
// All reach memory through `where`, an address that the host writes.
static volatile int *at(const void *field, int address) {
  return reinterpret_cast<volatile int *>((reinterpret_cast<std::uintptr_t>(field) & ~0x1FFFFFull) + address);
}
struct Idle : Vertex { InOut<int> x; bool compute() { *x = *x + 1; return true; } };
struct ReadsBelow : Vertex { InOut<int> x; bool compute() { *x = *at(this, 0x100); return true; } };
struct ReadsAbove : Vertex { InOut<int> x; bool compute() { *x = *at(this, 0x1FFFF0); return true; } };
struct ReadsNeighbour : Vertex { InOut<int> x; bool compute() { *x = *at(this, 0x24C000); return true; } };
struct WritesToZero : Vertex { InOut<int> x; bool compute() { *at(this, 0) = 1; return true; } };
struct Divides : Vertex { InOut<int> x; bool compute() { *x = 7 / *x; return true; } };
struct TakesRemainder : Vertex { InOut<int> x; bool compute() { *x = 7 % *x; return true; } };
struct OverflowsStack : Vertex {
  InOut<int> x;
  static int deeper(volatile int *below) {
    volatile int here[64];
    here[0] = *below + 1;
    return deeper(here) + here[0];
  }
  bool compute() { volatile int start = 0; *x = deeper(&start); return true; }
};
struct OverflowsStackByPages : Vertex {
  InOut<int> x;
  static int deeper(volatile int *below) {
    volatile int here[8000];
    here[0] = *below + 1;
    return deeper(here) + here[0];
  }
  bool compute() { volatile int start = 0; *x = deeper(&start); return true; }
};
struct WritesThroughNull : Vertex {
  InOut<int> x;
  bool compute() { *static_cast<volatile int *>(nullptr) = 1; return true; }
};
struct NeverReturns : Vertex { InOut<int> x; bool compute() { for (volatile bool on = true; on;) {} return true; } };
struct Traps : Vertex { InOut<int> x; bool compute() { __builtin_trap(); } };
struct TrapsOnWorker4 : MultiVertex {
  InOut<int> x;
  bool compute(unsigned worker) { if (worker == 4) __builtin_trap(); return true; }
};
)";

struct FaultRow {
  const char *vertex;
  unsigned worker; ///< the worker that runs the vertex
  const char *why;
};
// The vertex with the fault is the tile's third: worker 2 executes it.
const FaultRow kFaultRows[] = {
    {"ReadsBelow", 2, "bad memory access at address 0x100, which the tile does not have"},
    {"ReadsAbove", 2, "bad memory access at address 0x1ffff0, which the tile does not have"},
    {"ReadsNeighbour", 2, "bad memory access at address 0x4c000 of the slot of tile 4"},
    {"WritesToZero", 2, "bad memory access at address 0, which the tile does not have"},
    {"Divides", 2, "integer division by zero or overflow"},
    {"TakesRemainder", 2, "integer division by zero or overflow"},
    {"OverflowsStack", 2, "stack overflow"},
    {"OverflowsStackByPages", 2, "stack overflow"},
    {"WritesThroughNull", 2, "bad memory access"},
    {"NeverReturns", 2, "it did not return within the time limit of a compute set"},
    {"Traps", 2, "illegal instruction"},
    {"TrapsOnWorker4", 4, "illegal instruction"},
};

using FaultOn = std::tuple<DeviceKind, FaultRow>;
class FaultTable : public ::testing::TestWithParam<FaultOn> {
protected:
  static constexpr unsigned kTile = 3;

  FaultTable()
      : device_(attach(std::get<0>(GetParam()).type, std::get<0>(GetParam()).ipus)),
        graph_(device_) {
    std::stringstream source(kFaultTableCodelets);
    graph_.addCodelets(source);
  }
  /// Adds a vertex on the last IPU, so that its fault stops the other IPUs of the device.
  void add(const ComputeSet &set, const char *vertex) {
    const Target &target = graph_.getTarget();
    const unsigned tile = (target.getNumIPUs() - 1) * target.getTilesPerIPU() + kTile;
    const Tensor x = graph_.addVariable(INT, {}, "x");
    graph_.setTileMapping(x, tile);
    graph_.setInitialValue(x, 0);
    const VertexRef v = graph_.addVertex(set, vertex, {{"x", x}});
    graph_.setTileMapping(v, tile);
  }
  Program computeSetWith(const char *vertex, const char *name) {
    const ComputeSet set = graph_.addComputeSet(name);
    for (const char *const one : {"Idle", "Idle", vertex, "Idle"})
      add(set, one);
    return Execute(set);
  }
  Device device_;
  Graph graph_;
};

TEST_P(FaultTable, NamesTheVertexAndLetsTheDeviceBeLoadedAgain) {
  const auto &[kind, row] = GetParam();
  Engine engine(graph_, {computeSetWith(row.vertex, "bad set"), computeSetWith("Idle", "good set")},
                {{"copse.syncTimeout", "2"}, {"target.hostSyncTimeout", "2"}});
  for (int round = 0; round < 2; ++round) {
    engine.load(device_);
    engine.run(1);
    try {
      engine.run(0);
      FAIL() << "run() came back";
    } catch (const application_runtime_error &error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("ipu " + std::to_string(kind.ipus - 1) + ", tile 3, worker " +
                                  std::to_string(row.worker) + ": vertex '" + row.vertex +
                                  "' of compute set 'bad set' failed: "),
                        HasSubstr(row.why)));
      EXPECT_EQ(error.type, "application_runtime_error");
    }
    EXPECT_THROW(engine.run(1), poplar_error) << "what is loaded is of no use any more";
  }
  engine.load(device_);
  engine.run(1);
}
INSTANTIATE_TEST_SUITE_P(
    Codelets, FaultTable,
    ::testing::Combine(::testing::Values(DeviceKind{"Model1", TargetType::IPU_MODEL, 1},
                                         DeviceKind{"Ipu2", TargetType::IPU, 2}),
                       ::testing::ValuesIn(kFaultRows)),
    [](const auto &p) {
      return std::string(std::get<0>(p.param).name) + std::get<1>(p.param).vertex;
    });

} // namespace
} // namespace copse::test
