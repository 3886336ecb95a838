// Tests supervisors in assembly that start codelets in C++ for which the graph has no vertex.
#include "chips_with_tile_code.hpp"

#include "poplar/exceptions.hpp"

#include <memory>
#include <numeric>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StartedCodelets : public ::testing::TestWithParam<ChipCase> {
protected:
  StartedCodelets() : device_(deviceOf(GetParam())), graph_(device_) {
    const std::string folder = ASSEMBLY_SOURCES;
    graph_.addCodelets({folder + "/started.cpp", folder + "/started.S"});
  }

  template <class T>
  Tensor tensor(const std::string &name, const Type &type, const std::vector<T> &values) {
    const Tensor t = graph_.addVariable(type, {values.size()}, name);
    graph_.setTileMapping(t, 1);
    graph_.setInitialValue(t, ArrayRef<T>(values));
    graph_.createHostRead(name, t);
    return t;
  }
  VertexRef vertex(const std::string &type) {
    const ComputeSet set = graph_.addComputeSet(type);
    const VertexRef v = graph_.addVertex(set, type);
    graph_.setTileMapping(v, 1);
    sequence_.add(Execute(set));
    return v;
  }
  void run() {
    engine_ = std::make_unique<Engine>(graph_, sequence_);
    engine_->load(device_);
    engine_->run(0);
  }
  template <class T> std::vector<T> read(const std::string &name, std::size_t count) {
    std::vector<T> values(count);
    engine_->readTensor(name, values.data(), values.data() + count);
    return values;
  }

  Device device_;
  Graph graph_;
  Sequence sequence_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(StartedCodelets, ShareTheWorkOfTheirSupervisor) {
  std::vector<int> numbers(20);
  std::iota(numbers.begin(), numbers.end(), 100);
  for (const std::string type : {"Double", "DoubleWorker"}) {
    const VertexRef v = vertex(type);
    graph_.connect(v["in"], tensor("in" + type, INT, numbers));
    graph_.connect(v["out"], tensor(type, INT, std::vector<int>(20, 0)));
    graph_.setInitialValue(v["n"], 20U);
  }
  run();
  std::vector<int> expected(20);
  for (int i = 0; i < 20; ++i)
    expected[static_cast<std::size_t>(i)] = 2 * (100 + i) + i % 6;
  EXPECT_EQ(read<int>("Double", 20), expected);
  EXPECT_EQ(read<int>("DoubleWorker", 20), expected);
}

TEST_P(StartedCodelets, ReceiveTheStateFromTheirSupervisor) {
  const VertexRef v = vertex("TwoSums");
  graph_.connect(v["in"], tensor<int>("in", INT, {1, 20, 300}));
  graph_.connect(v["sum"], tensor<int>("sum", INT, {0})[0]);
  graph_.setInitialValue(v["n"], 3U);
  graph_.connect(v["in2"], tensor<float>("in2", HALF, {0.5F, 0.25F}));
  graph_.connect(v["sum2"], tensor<float>("sum2", HALF, {0.0F})[0]);
  graph_.setInitialValue(v["n2"], 2U);
  run();
  EXPECT_THAT(read<int>("sum", 1), ElementsAre(321));
  EXPECT_THAT(read<unsigned short>("sum2", 1), ElementsAre(0x3A00)); // 0.75
}

TEST_P(StartedCodelets, HaveFunctionsThatAssemblyCalls) {
  const VertexRef v = vertex("Calls");
  graph_.connect(v["in"], tensor<float>("in", FLOAT, {1.5F, 0.25F}));
  graph_.connect(v["out"], tensor<unsigned>("out", UNSIGNED_INT, {0, 0, 0, 0}));
  run();
  // The float -4.5, the half 1.75, 250 - 2, and one more.
  EXPECT_THAT(read<unsigned>("out", 4), ElementsAre(0xC0900000, 0x3F00, 248, 249));
}

TEST_P(StartedCodelets, AreNamedWhenTheyFault) {
  graph_.connect(vertex("Stray")["out"], tensor<int>("out", INT, {0}));
  try {
    run();
    FAIL() << "the program ran";
  } catch (const poplar_error &error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("tile 1, worker 3: vertex 'Stray' of compute set 'Stray' failed in "
                                "codelet 'StrayWorker', which its tile code starts: bad memory "
                                "access at address"),
                      HasSubstr("which the tile does not have")));
  }
}

TEST_P(StartedCodelets, MustExist) {
  graph_.connect(vertex("Orphan")["out"], tensor<int>("out", INT, {0}));
  try {
    Engine(graph_, sequence_);
    FAIL() << "it linked";
  } catch (const link_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("nothing defines '__runCodelet_OrphanWorker', which tile "
                                        "code in section '.text.Orphan' uses"));
    EXPECT_EQ(error.output, "undefined symbol: __runCodelet_OrphanWorker");
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, StartedCodelets, ::testing::ValuesIn(kChips),
                         [](const auto &p) { return std::string(p.param.name); });

} // namespace
} // namespace copse::test
