// Tests codelets in the style of public programs, which have one branch for the tile and one for
// all other machines: both compute the same.
#include "devices.hpp"

#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr const char *kCodelets = R"code(
#include <cmath>
#include <poplar/Vertex.hpp>
#ifdef __IPU__
#include <ipu_builtins.h>
#include <ipu_vector_math>
#endif
using namespace poplar;

#ifdef __IPU__
constexpr bool kIsTile = true;
static __attribute__((always_inline)) float2 load2(const float *p) { return *reinterpret_cast<const float2 *>(p); }
static __attribute__((always_inline)) void store2(float *p, float2 v) { *reinterpret_cast<float2 *>(p) = v; }
#else
constexpr bool kIsTile = false;
#endif

/// out = scale * x + y, with the accumulators.
class ScaledAdd : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> x, y;
  Output<Vector<float, VectorLayout::SPAN, 8>> out;
  bool compute() {
#ifdef __IPU__
    __builtin_ipu_put_tas(3.0f);
    __builtin_ipu_f32v2axpy(load2(&x[0]), load2(&y[0]));
    const unsigned n = x.size() / 2;
    for (unsigned i = 0; i < n; ++i) {
      const unsigned next = i + 1 < n ? i + 1 : i;
      store2(&out[2 * i], __builtin_ipu_f32v2axpy(load2(&x[2 * next]), load2(&y[2 * next])));
    }
#else
    for (unsigned i = 0; i < x.size(); ++i)
      out[i] = 3.0f * x[i] + y[i];
#endif
    return true;
  }
};

/// The largest size of an element, and where the sum of squares goes over a limit.
class Norms : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> x, y;
  Output<Vector<float, VectorLayout::SPAN, 8>> out;
  bool compute() {
    float most = 0;
#ifdef __IPU__
    float2 both = {0, 0};
    for (unsigned i = 0; i < x.size(); i += 2)
      both = ipu::absmax(both, load2(&x[i]));
    most = __builtin_ipu_max(both[0], both[1]);
#else
    for (unsigned i = 0; i < x.size(); ++i)
      most = std::fmax(most, std::fabs(x[i]));
#endif
    for (unsigned i = 0; i < x.size(); ++i)
      out[i] = most;
    return true;
  }
};

/// Rectified, by inline assembly.
class Rectified : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> x, y;
  Output<Vector<float, VectorLayout::SPAN, 8>> out;
  bool compute() {
    for (unsigned i = 0; i < x.size(); ++i) {
      float r;
#ifdef __IPU__
      asm("f32max %0, %1, $azero" : "=r"(r) : "r"(x[i]));
#else
      r = x[i] > 0 ? x[i] : 0;
#endif
      out[i] = r;
    }
    return true;
  }
};

/// Shares of a MultiVertex, and a template with a specialisation for the tile.
template <class T> T halved(T x) { return x / 2; }
#ifdef __IPU__
template <> float2 halved(float2 x) { return x * float2{0.5f, 0.5f}; }
#endif
class Shares : public MultiVertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> x, y;
  Output<Vector<float, VectorLayout::SPAN, 8>> out;
  bool compute(unsigned worker) {
#ifdef __IPU__
    for (unsigned i = 2 * worker; i < x.size(); i += 2 * MultiVertex::numWorkers())
      store2(&out[i], halved(load2(&x[i])));
#else
    for (unsigned i = worker; i < x.size(); i += MultiVertex::numWorkers())
      out[i] = halved(float(x[i]));
#endif
    return true;
  }
};

/// Says which branch it is.
class Branch : public Vertex {
public:
  Output<int> is;
  bool compute() { *is = kIsTile; return true; }
};
)code";

class BothBranches : public ::testing::TestWithParam<const char *> {
protected:
  static constexpr std::size_t kElements = 48;
  struct Result {
    int isTile = -1;
    std::vector<float> out = std::vector<float>(kElements);
  };

  static Result run(TargetType type, const std::string &flags) {
    const Device device = attach(type, 1);
    Graph graph(device.getTarget());
    std::stringstream source(kCodelets);
    graph.addCodelets(source, flags);
    const ComputeSet set = graph.addComputeSet("set");
    std::vector<float> values(2 * kElements);
    std::iota(values.begin(), values.end(), -20.0F);
    const VertexRef v = graph.addVertex(set, GetParam()), branch = graph.addVertex(set, "Branch");
    const Tensor x = graph.addConstant<float>(FLOAT, {kElements}, values.data());
    const Tensor y = graph.addConstant<float>(FLOAT, {kElements}, values.data() + kElements);
    const Tensor out = graph.addVariable(FLOAT, {kElements}), is = graph.addVariable(INT, {});
    for (const Tensor &t : {x, y, out, is})
      graph.setTileMapping(t, 0);
    for (const VertexRef &vertex : {v, branch})
      graph.setTileMapping(vertex, 0);
    graph.connect(v["x"], x);
    graph.connect(v["y"], y);
    graph.connect(v["out"], out);
    graph.connect(branch["is"], is);
    graph.createHostRead("out", out);
    graph.createHostRead("is", is);
    Engine engine(graph, Execute(set));
    engine.load(device);
    engine.run();
    Result result;
    engine.readTensor("out", result.out.data(), result.out.data() + kElements);
    engine.readTensor("is", &result.isTile, &result.isTile + 1);
    return result;
  }
};

TEST_P(BothBranches, ComputeTheSame) {
  const Result tile = run(TargetType::IPU, ""), portable = run(TargetType::IPU, "-U__IPU__");
  EXPECT_EQ(tile.isTile, 1);
  EXPECT_EQ(portable.isTile, 0);
  EXPECT_EQ(tile.out, portable.out);
  const Result cpu = run(TargetType::CPU, "");
  EXPECT_EQ(cpu.isTile, 0);
  EXPECT_EQ(cpu.out, portable.out);
  EXPECT_NE(tile.out, std::vector<float>(kElements));
}

INSTANTIATE_TEST_SUITE_P(Codelets, BothBranches,
                         ::testing::Values("ScaledAdd", "Norms", "Rectified", "Shares"),
                         [](const auto &p) { return std::string(p.param); });

} // namespace
} // namespace copse::test
