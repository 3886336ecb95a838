// Tests supervisors in C++ that start workers by inline assembly (assembly/supervisors.cpp).
#include "chips_with_tile_code.hpp"

#include "poplar/exceptions.hpp"

#include <memory>
#include <numeric>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NativeSupervisor : public ::testing::TestWithParam<ChipCase> {
protected:
  NativeSupervisor() : device_(deviceOf(GetParam())), graph_(device_) {}
  void addCodelets() {
    const std::string folder = ASSEMBLY_SOURCES;
    graph_.addCodelets({folder + "/supervisors.cpp", folder + "/supervised.S"});
  }

  Tensor numbers(const std::string &name, std::size_t count, int first = 0) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), first);
    const Tensor t = graph_.addVariable(INT, {count}, name);
    graph_.setTileMapping(t, 1);
    graph_.setInitialValue(t, ArrayRef<int>(values));
    graph_.createHostRead(name, t);
    return t;
  }
  VertexRef vertex(const std::string &type) {
    set_ = graph_.addComputeSet(type);
    const VertexRef v = graph_.addVertex(set_, type);
    graph_.setTileMapping(v, 1);
    sequence_.add(Execute(set_));
    return v;
  }
  VertexRef vertexWithNumbers(const std::string &type, unsigned n, std::size_t outputs) {
    const VertexRef v = vertex(type);
    graph_.connect(v["in"], numbers("in", n, 100));
    graph_.connect(v["out"], numbers("out", outputs));
    graph_.setInitialValue(v["n"], n);
    return v;
  }
  void run() {
    engine_ = std::make_unique<Engine>(graph_, sequence_);
    engine_->load(device_);
    engine_->run(0);
  }
  std::vector<int> read(const std::string &name, std::size_t count) {
    std::vector<int> values(count);
    engine_->readTensor(name, values.data(), values.data() + count);
    return values;
  }

  Device device_;
  Graph graph_;
  ComputeSet set_;
  Sequence sequence_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(NativeSupervisor, SharesItsStateWithAllWorkers) {
  addCodelets();
  vertexWithNumbers("Double", 20, 20);
  run();
  std::vector<int> expected(20);
  for (int i = 0; i < 20; ++i)
    expected[static_cast<std::size_t>(i)] = 2 * (100 + i) + i % 6;
  EXPECT_EQ(read("out", 20), expected);
}

TEST_P(NativeSupervisor, PassesItsVariablesToWorkersInCpp) {
  addCodelets();
  vertexWithNumbers("Sums", 20, 2);
  run();
  EXPECT_THAT(read("out", 2), ElementsAre(2190, 1045)); // 100 + ... + 119, ... + 109
}

TEST_P(NativeSupervisor, StartsWorkersInAssemblyOneByOne) {
  addCodelets();
  const VertexRef v = vertexWithNumbers("Squares", 9, 9);
  graph_.connect(v["scratch"], numbers("scratch", 18).reinterpret(UNSIGNED_INT));
  run();
  std::vector<int> expected(9);
  for (int i = 0; i < 9; ++i)
    expected[static_cast<std::size_t>(i)] = (100 + i) * (100 + i);
  EXPECT_EQ(read("out", 9), expected);
}

TEST_P(NativeSupervisor, ReturnsTheConjunctionOfItsWorkersResults) {
  addCodelets();
  const Tensor result = graph_.addVariable(BOOL, {}, "result");
  graph_.setTileMapping(result, 0);
  graph_.createHostRead("result", result);
  const VertexRef v = vertex("Verdict");
  graph_.connect(v["in"], numbers("in", 1));
  graph_.connect(v["out"], numbers("out", 1));
  graph_.setInitialValue(v["n"], 4U);
  sequence_ = Sequence(Execute(set_, result));
  run();
  bool all = true;
  engine_->readTensor("result", &all, &all + 1);
  EXPECT_FALSE(all);
  EXPECT_THAT(read("out", 1), ElementsAre(0x4C010)); // the assembly sees what C++ has put
}

TEST_P(NativeSupervisor, NamesTheWorkerThatFaults) {
  addCodelets();
  graph_.connect(vertex("Stray")["out"], numbers("out", 1));
  try {
    run();
    FAIL() << "the program ran";
  } catch (const poplar_error &error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("tile 1, worker 3: vertex 'Stray' of compute set 'Stray' failed in "
                                "codelet 'StrayWorker'"),
                      HasSubstr("bad memory access at address")));
  }
}

TEST_P(NativeSupervisor, MayKeepTheStateOfWorkersInAVariable) {
  std::stringstream source(R"(
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
class AddOnWorker : public MultiVertex {
public:
  Input<Vector<int, VectorLayout::ONE_PTR>> in;
  Output<Vector<int, VectorLayout::ONE_PTR>> out;
  unsigned others[1000], n, last;
  bool compute(unsigned worker) {
    out[worker] = in[worker] + n;
    last = n;
    return true;
  }
};
class AddOn : public SupervisorVertex {
public:
  Input<Vector<int, VectorLayout::ONE_PTR>> in;
  Output<Vector<int, VectorLayout::ONE_PTR>> out;
  unsigned n;
  __attribute__((target("supervisor"))) bool compute() {
    struct { unsigned in, out, others[1000], n, last; } state{
        (unsigned)(unsigned long)&in[0], (unsigned)(unsigned long)&out[0], {}, n, 0};
    unsigned *worker;
    asm volatile("setzi %0, __runCodelet_AddOnWorker\nrunall %0, %1, 0\nsync %2"
                 : "=&r"(worker) : "r"(&state), "i"(TEXCH_SYNCZONE_LOCAL) : "memory");
    out[6] = state.last;
    return true;
  }
};
)");
  graph_.addCodelets(source);
  const VertexRef v = vertex("AddOn");
  graph_.connect(v["in"], numbers("in", 6, 100));
  graph_.connect(v["out"], numbers("out", 7));
  graph_.setInitialValue(v["n"], 1000);
  run();
  EXPECT_THAT(read("out", 7), ElementsAre(1100, 1101, 1102, 1103, 1104, 1105, 1000));
}

TEST_P(NativeSupervisor, CannotStartAMissingCodelet) {
  std::stringstream source(R"(
#include <poplar/Vertex.hpp>
class Orphan : public poplar::SupervisorVertex {
public:
  __attribute__((target("supervisor"))) bool compute() {
    unsigned *worker;
    asm volatile("setzi %0, __runCodelet_Nobody\nrunall %0, %1, 0" : "=&r"(worker) : "r"(this));
    return true;
  }
};
)");
  graph_.addCodelets(source);
  vertex("Orphan");
  try {
    Engine(graph_, sequence_);
    FAIL() << "it linked";
  } catch (const link_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("nothing defines '__runCodelet_Nobody'"));
    EXPECT_EQ(error.output, "undefined symbol: __runCodelet_Nobody");
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, NativeSupervisor, ::testing::ValuesIn(kChips),
                         [](const auto &p) { return std::string(p.param.name); });

} // namespace
} // namespace copse::test
