#include "devices.hpp"

#include "poplar/exceptions.hpp"

#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char *kWorkerRegistersCodelets = R"(
#include <arch/gc_tile_defines.h>
#include <ipu_builtins.h>
#include <poplar/Vertex.hpp>
using namespace poplar;
class Registers : public MultiVertex {
public:
  Output<Vector<unsigned>> ids, ticks;
  bool compute(unsigned worker) {
    const unsigned start = __builtin_ipu_get_scount_l();
    ids[worker] = __builtin_ipu_get(CSR_W_WSR__INDEX) & CSR_W_WSR__CTXTID_M1__MASK;
    ticks[worker] = __builtin_ipu_get_scount_l() - start;
    return true;
  }
};
class Draw : public Vertex {
public:
  Output<Vector<unsigned>> numbers;
  bool compute() {
    for (unsigned i = 0; i < numbers.size(); ++i) {
      __builtin_ipu_uput(1234, 0x107); // $PRNG_SEED
      numbers[i] = __builtin_ipu_urand32();
    }
    return true;
  }
};
class Axpy : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> x;
  InOut<Vector<float, VectorLayout::SPAN, 8>> y;
  bool compute() {
    __builtin_ipu_uput(1u << CSR_W_FP_CLR__ZAACC__SHIFT, CSR_W_FP_CLR__INDEX);
    __builtin_ipu_put_tas(3.0f);
    const float2 *from = reinterpret_cast<const float2 *>(&x[0]);
    float2 *to = reinterpret_cast<float2 *>(&y[0]);
    __builtin_ipu_f32v2axpy(from[0], to[0]);
    for (unsigned i = 1; i < y.size() / 2; ++i)
      to[i - 1] = __builtin_ipu_f32v2axpy(from[i], to[i]);
    to[y.size() / 2 - 1] = __builtin_ipu_f32v2axpy(float2{}, float2{});
    return true;
  }
};
class Events : public Vertex {
public:
  Output<unsigned> word;
  bool compute() {
    __builtin_ipu_uput(7, CSR_W_FP_STS__INDEX); // read-only
    *word = __builtin_ipu_uget(CSR_W_FP_STS__INDEX);
    return true;
  }
};
class Debug : public Vertex {
public:
  Output<unsigned> word;
  bool compute() { *word = __builtin_ipu_get(0x70); return true; }
};
)";

/// Tests what native codelets can do with registers of the tile.
class WorkerRegisters : public OnEveryDevice {
protected:
  WorkerRegisters() {
    std::stringstream source(kWorkerRegistersCodelets);
    graph_.addCodelets(source);
    set_ = graph_.addComputeSet("set");
  }
  VertexRef vertex(const char *type) {
    const VertexRef v = graph_.addVertex(set_, type);
    graph_.setTileMapping(v, 0);
    return v;
  }
  Tensor local(const Type &type, std::size_t elements, const char *name) {
    const Tensor t = graph_.addVariable(type, {elements}, name);
    graph_.setTileMapping(t, 0);
    graph_.createHostRead(name, t);
    graph_.createHostWrite(name, t);
    return t;
  }
  ComputeSet set_;
};

const DeviceKind kCpuAndIpu[] = {{"Cpu", TargetType::CPU, 1}, {"Ipu1", TargetType::IPU, 1}};
INSTANTIATE_TEST_SUITE_P(Devices, WorkerRegisters, ::testing::ValuesIn(kCpuAndIpu), deviceName);

TEST_P(WorkerRegisters, ShowTheWorkerAndTheTime) {
  const Target &target = graph_.getTarget();
  const unsigned workers = target.getNumWorkerContexts();
  const VertexRef v = vertex("Registers");
  graph_.connect(v["ids"], local(UNSIGNED_INT, workers, "ids"));
  graph_.connect(v["ticks"], local(UNSIGNED_INT, workers, "ticks"));
  Engine engine = load(Execute(set_));
  engine.run();
  const auto ids = read<unsigned>(engine, "ids", workers);
  for (unsigned worker = 0; worker < workers; ++worker)
    EXPECT_EQ(ids[worker], worker);
  const auto ticks = read<unsigned>(engine, "ticks", workers);
  EXPECT_THAT(ticks, Each(ticks[0])); // runs of the same code
  if (target.getTargetType() == TargetType::CPU)
    EXPECT_EQ(ticks[0], 0u);
  else // get, and, ld32 of the field, st32, get
    EXPECT_EQ(ticks[0], 6 * 5u);
}

TEST_P(WorkerRegisters, SeedRandomNumbers) {
  graph_.connect(vertex("Draw")["numbers"], local(UNSIGNED_INT, 3, "numbers"));
  Engine engine = load(Execute(set_));
  engine.run();
  const auto numbers = read<unsigned>(engine, "numbers", 3);
  EXPECT_THAT(numbers, Each(numbers[0]));
  EXPECT_NE(numbers[0], 0u);
}

TEST_P(WorkerRegisters, ReturnStoredAccumulators) {
  const VertexRef v = vertex("Axpy");
  graph_.connect(v["x"], local(FLOAT, 6, "x"));
  graph_.connect(v["y"], local(FLOAT, 6, "y"));
  Engine engine = load(Execute(set_));
  write<float>(engine, "x", {1, 2, 3, 4, 5, 6});
  write<float>(engine, "y", {10, 20, 30, 40, 50, 60});
  engine.run();
  EXPECT_THAT(read<float>(engine, "y", 6), ElementsAre(13, 26, 39, 52, 65, 78));
}

TEST_P(WorkerRegisters, EventsCannotBeRead) {
  graph_.connect(vertex("Events")["word"], local(UNSIGNED_INT, 1, "word"));
  Engine engine = load(Execute(set_));
  try {
    engine.run();
    FAIL() << "native code does not keep events";
  } catch (const application_runtime_error &e) {
    EXPECT_THAT(e.what(),
                AllOf(HasSubstr("$FP_STS"), HasSubstr("'Events'"), HasSubstr("assembly")));
  }
}

TEST_P(WorkerRegisters, EndTheProgramWithTheirNumberIfUnsupported) {
  graph_.connect(vertex("Debug")["word"], local(UNSIGNED_INT, 1, "word"));
  Engine engine = load(Execute(set_));
  try {
    engine.run();
    FAIL() << "native code has no such register";
  } catch (const application_runtime_error &e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("0x70"), HasSubstr("'Debug'"), HasSubstr("tile 0")));
  }
}

} // namespace
} // namespace copse::test
