// Tests which code of a codelet runs on which device, and what copies of fields refer to there.
#include "child_process.hpp"
#include "devices.hpp"
#include "temporary_folder.hpp"

#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using namespace std::chrono_literals;

class CodeletTargets : public OnEveryDevice {};

TEST_P(CodeletTargets, AnExternalCodeletOfAnIpuTakesItsAssembly) {
  const TemporaryFolder folder;
  const std::string cpp = folder.file("v.cpp"), assembly = folder.file("v.S");
  std::ofstream(cpp) << R"(#include <poplar/Vertex.hpp>
class Plus : public poplar::Vertex {
public:
  poplar::Input<int> a;
  poplar::Output<int> b;
#ifdef __IPU__
  static const bool isExternalCodelet = true;
  bool compute() { return true; } // never run
#else
  bool compute() { *b = *a + 2; return true; }
#endif
};
)";
  std::ofstream(assembly) << R"(#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
DEF_STACK_USAGE 0 __runCodelet_Plus
.section .text.__runCodelet_Plus, "ax"
.globl __runCodelet_Plus
.type __runCodelet_Plus, @function
.align 8
.worker
__runCodelet_Plus:
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  ld32 $m0, $m0, $mzero, 0
  add $m0, $m0, 1
  st32 $m0, $m1, $mzero, 0
  exitz $mzero
.size __runCodelet_Plus, .-__runCodelet_Plus
#endif
)";
  graph_.addCodelets(std::vector<std::string>{cpp, assembly});
  const Tensor a = hostVariable(INT, {}, "a"), b = hostVariable(INT, {}, "b");
  const ComputeSet set = graph_.addComputeSet("set");
  graph_.setTileMapping(graph_.addVertex(set, "Plus", {{"a", a}, {"b", b}}), 0);
  Engine engine = load(Execute(set));
  write<int>(engine, "a", {41});
  engine.run();
  EXPECT_EQ(read<int>(engine, "b", 1).front(), GetParam().type == TargetType::CPU ? 43 : 42);
}

TEST_P(CodeletTargets, CopiesOfFieldsReferToTheTileOfTheirVertex) {
  std::stringstream source(R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Copies : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  Vector<Output<Vector<float>>> out;
  Input<float> scale;
  static __attribute__((noinline)) float first(Vector<Input<Vector<float>>> rows, Input<float> k) {
    return rows[0][0] * *k;
  }
  bool compute() {
    out[1] = in[1];
    const auto rows = in;
    out[0][0] = first(in, scale);
    out[0][1] = rows[1][1];
    return true;
  }
};
)");
  graph_.addCodelets(source);
  const unsigned last = graph_.getTarget().getNumTiles() - 1;
  const Tensor in = hostVariable(FLOAT, {2, 2}, "in"), out = hostVariable(FLOAT, {2, 2}, "out"),
               scale = hostVariable(FLOAT, {}, "scale");
  for (const Tensor &t : {in, out, scale})
    graph_.setTileMapping(t, last);
  const ComputeSet set = graph_.addComputeSet("set");
  const VertexRef v = graph_.addVertex(set, "Copies");
  graph_.connect(v["in"], in);
  graph_.connect(v["out"], out);
  graph_.connect(v["scale"], scale);
  graph_.setTileMapping(v, last);
  Engine engine = load(Execute(set));
  write<float>(engine, "in", {1, 2, 3, 4});
  write<float>(engine, "scale", {10});
  engine.run();
  EXPECT_EQ(read<float>(engine, "out", 4), (std::vector<float>{10, 4, 3, 4}));
}

INSTANTIATE_TEST_SUITE_P(Devices, CodeletTargets, ::testing::ValuesIn(kDevices), deviceName);

constexpr const char *kBranches = R"(
#include <poplar/Vertex.hpp>
class Macro : public poplar::Vertex {
public:
  poplar::Output<int> o;
  bool compute() {
#ifdef __IPU__
    *o = 1;
#else
    *o = 2;
#endif
    return true;
  }
};
)";

/// Runs the codelet that \p addCodelets adds. \returns 1 if its branch is that for the tile, else 2
int branchOn(const Device &device, const std::function<void(Graph &)> &addCodelets) {
  Graph graph(device);
  addCodelets(graph);
  const Tensor o = graph.addVariable(INT, {}, "o");
  graph.setTileMapping(o, 0);
  graph.createHostRead("o", o);
  const ComputeSet set = graph.addComputeSet("set");
  graph.setTileMapping(graph.addVertex(set, "Macro", {{"o", o}}), 0);
  Engine engine(graph, Execute(set));
  engine.load(device);
  engine.run();
  int result = 0;
  engine.readTensor("o", &result, &result + 1);
  return result;
}

void addSource(Graph &graph) {
  std::stringstream source(kBranches);
  graph.addCodelets(source);
}

IPUModel smallModel() {
  IPUModel model;
  model.tilesPerIPU = 4;
  return model;
}

TEST(CodeletTargetsOfModels, SourcesAreCompiledAsForAnIpuUnlessTheModelSaysOtherwise) {
  IPUModel model = smallModel();
  EXPECT_EQ(branchOn(model.createDevice(), addSource), 1);
  model.compileIPUCode = false;
  EXPECT_EQ(branchOn(model.createDevice(), addSource), 2);
}

TEST(CodeletTargetsOfModels, PrecompiledCodeletsTakeTheBranchesForOtherProcessors) {
  const TemporaryFolder folder;
  const std::string source = folder.file("v.cpp"), gp = folder.file("v.gp");
  std::ofstream(source) << kBranches;
  ASSERT_EQ(ChildProcess({POPC, "--target", "ipu2", source, "-o", gp}).wait(60s), 0);
  const auto addFile = [&](Graph &graph) { graph.addCodelets(gp); };
  EXPECT_EQ(branchOn(smallModel().createDevice(), addFile), 2);
  EXPECT_EQ(branchOn(attach(TargetType::IPU, 1), addFile), 1);
}

} // namespace
} // namespace copse::test
