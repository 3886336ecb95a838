// Tests codelets in C++ that call functions in assembly.
#include "devices.hpp"

#include "poplar/exceptions.hpp"

#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char *kCalledTileCodeCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
extern "C" {
void scale(const float *in, float *out, unsigned count, float factor);
int rounded(float x);
float negated(float x);
}
class Scale : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  Output<int> last;
  float factor;
  bool compute() {
    scale(&in[0], &out[0], in.size() - 1, factor);
    out[in.size() - 1] = negated(in[in.size() - 1]);
    *last = rounded(in[in.size() - 1]);
    return true;
  }
};
class Stray : public Vertex {
public:
  Output<float> out;
  bool compute() {
    float here[2] = {1, 2};
    scale(here, here, 2, *out);
    *out = here[0];
    return true;
  }
};
)";

constexpr const char *kFunctions = R"(
#include <poplar/StackSizeDefs.hpp>
.macro FUNCTION name
  DEF_STACK_USAGE 0 \name
  .globl \name
  .type \name, @function
  .section .text.\name
  .align 4
  \name:
.endm
FUNCTION scale
  brz $m2, .Ldone
  add $m2, $m2, -1
.Lnext:
  ld32step $a1, $mzero, $m0+=, 1
  f32mul $a1, $a1, $a0
  st32step $a1, $mzero, $m1+=, 1
  brnzdec $m2, .Lnext
.Ldone:
  br $lr
FUNCTION rounded
  f32toi32 $a0, $a0
  atom $m0, $a0
  br $lr
FUNCTION negated
  f32sub $a0, $azero, $a0
  br $lr
)";

class CalledTileCode : public ::testing::TestWithParam<const char *> {
protected:
  CalledTileCode() : device_(makeDevice()), graph_(device_) {
    std::stringstream codelets(kCalledTileCodeCodelets);
    graph_.addCodelets(codelets);
  }
  static Device makeDevice() {
    IPUModel model(GetParam());
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  Tensor on1(const Type &type, std::size_t n, const std::string &name) {
    const Tensor t = graph_.addVariable(type, {n}, name);
    graph_.setTileMapping(t, 1);
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
  void scaleSome() {
    const Tensor in = on1(FLOAT, 4, "in");
    graph_.setInitialValue(in, ArrayRef<float>({1.0F, -2.0F, 0.5F, 6.7F}));
    const VertexRef v = vertex("Scale");
    graph_.connect(v["in"], in);
    graph_.connect(v["out"], on1(FLOAT, 4, "out"));
    graph_.connect(v["last"], on1(INT, 1, "last")[0]);
    graph_.setInitialValue(v["factor"], 3.0F);
  }
  void addFunctions() {
    std::stringstream functions(kFunctions);
    graph_.addCodelets(functions, "", CodeletFileType::AsmSource);
  }

  Device device_;
  Graph graph_;
  Sequence sequence_;
};

TEST_P(CalledTileCode, TakesArgumentsAndGivesResults) {
  addFunctions();
  scaleSome();
  Engine engine(graph_, sequence_);
  engine.load(device_);
  engine.run(0);
  std::vector<float> out(4);
  int last = 0;
  engine.readTensor("out", out.data(), out.data() + 4);
  engine.readTensor("last", &last, &last + 1);
  EXPECT_THAT(out, ElementsAre(3.0F, -6.0F, 1.5F, -6.7F));
  EXPECT_EQ(last, 7);
}

TEST_P(CalledTileCode, MustExistWhenTheGraphIsCompiled) {
  scaleSome();
  try {
    Engine engine(graph_, sequence_);
    FAIL() << "it linked";
  } catch (const link_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("function 'negated', which C++ codelets call"));
    EXPECT_EQ(error.output, "undefined symbol: negated");
  }
}

TEST_P(CalledTileCode, ReachesNoVariablesOfNativeFunctions) {
  addFunctions();
  graph_.connect(vertex("Stray")["out"], on1(FLOAT, 1, "out")[0]);
  Engine engine(graph_, sequence_);
  engine.load(device_);
  try {
    engine.run(0);
    FAIL() << "the program ran";
  } catch (const poplar_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("a call of 'scale', which is tile code: an argument points "
                                        "to native address"));
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, CalledTileCode, ::testing::Values("ipu1", "ipu2"),
                         [](const auto &p) { return std::string(p.param); });

} // namespace
} // namespace copse::test
