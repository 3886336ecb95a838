// Tests that writes of native codelets to $FP_CTL, and the matrix unit in C++, work as in tile
// code.
#include "devices.hpp"

#include <poplar/exceptions.hpp>
#include <set>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char *kNativeControlCodelets = R"(
#include <cstdint>
#include <ipu_builtins.h>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
// Rounds its inputs to halves; with $FP_CTL of its own, if that is not 0.
struct Round : Vertex {
  Input<Vector<float>> x;
  Output<Vector<half>> y;
  Output<unsigned> control;
  unsigned wanted;
  bool compute() {
    if (wanted != 0)
      __builtin_ipu_uput(wanted, CSR_W_FP_CTL__INDEX);
    *control = __builtin_ipu_uget(CSR_W_FP_CTL__INDEX);
    for (unsigned i = 0; i < x.size(); ++i)
      y[i] = half(x[i]);
    return true;
  }
};
struct Divide : Vertex {
  Input<float> x;
  Output<float> y;
  unsigned wanted;
  bool compute() {
    if (wanted != 0)
      __builtin_ipu_uput(wanted, CSR_W_FP_CTL__INDEX);
    *y = 1.0f / *x;
    return true;
  }
};
// Weight rows of 16 halves times vectors of 16, as a chain of four calls for each vector.
struct Product : Vertex {
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> weights; // [8][16]
  Input<Vector<half, VectorLayout::SPAN, 8>> x;          // [vectors][16]
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> y;     // [vectors][8]
  bool compute() {
    __builtin_ipu_put(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(&weights[0])), CSR_S_CCCSLOAD__INDEX);
    for (unsigned i = 0; i < 32; ++i)
      __builtin_ipu_ld64putcs(i);
    __builtin_ipu_uput(1u << CSR_W_FP_CLR__ZAACC__SHIFT, CSR_W_FP_CLR__INDEX);
    const unsigned vectors = x.size() / 16;
    const half4 *const in = reinterpret_cast<const half4 *>(&x[0]);
    float2 *const out = reinterpret_cast<float2 *>(&y[0]);
    // Partials of zero go in, sums are ready after the last of the four calls.
    for (unsigned v = 0; v <= vectors; ++v) {
      for (unsigned phase = 0; phase < 4; ++phase) {
        const half4 zero = {};
        const half4 here = v < vectors ? in[4 * v + phase] : zero;
        const float2 r = __builtin_ipu_f16v4sisoamp(here, float2{}, TAMP_F16V4_E4_P0 + phase);
        if (v > 0)
          out[4 * (v - 1) + phase] = r;
      }
    }
    return true;
  }
};
)";

class NativeControl : public OnEveryDevice {
protected:
  NativeControl() {
    std::stringstream source(kNativeControlCodelets);
    graph_.addCodelets(source);
    set_ = graph_.addComputeSet("set");
  }
  Tensor local(const Type &type, std::size_t elements, const std::string &name) {
    const Tensor t = graph_.addVariable(type, {elements}, name);
    graph_.setTileMapping(t, 0);
    graph_.createHostRead(name, t);
    graph_.createHostWrite(name, t);
    return t;
  }
  VertexRef vertex(const char *type) {
    const VertexRef v = graph_.addVertex(set_, type);
    graph_.setTileMapping(v, 0);
    return v;
  }
  void addRound(unsigned control, const std::string &number) {
    const VertexRef v = vertex("Round");
    graph_.setInitialValue(v["wanted"], control);
    graph_.connect(v["x"], in_);
    graph_.connect(v["y"], local(HALF, kMany, "y" + number));
    graph_.connect(v["control"], local(UNSIGNED_INT, 1, "control" + number)[0]);
  }
  static constexpr std::size_t kMany = 2000;
  static constexpr unsigned kStochastic = 1u << 19, kNanOnOverflow = 1u << 20, kOverflow = 4,
                            kDivideByZero = 2;
  ComputeSet set_;
  Tensor in_;
};
INSTANTIATE_TEST_SUITE_P(Devices, NativeControl, ::testing::ValuesIn(kModelAndIpu), deviceName);

TEST_P(NativeControl, HoldsUntilTheVertexEnds) {
  in_ = local(FLOAT, kMany, "x");
  addRound(0, "0");
  addRound(kStochastic, "1");
  addRound(0, "2");
  addRound(kNanOnOverflow, "3");
  addRound(0, "4");
  Engine engine = load(Execute(set_));
  std::vector<float> x(kMany, 1.0f + 0.25f / 1024);
  x.back() = 1e6f;
  write(engine, "x", x);
  for (int run = 0; run < 2; ++run) {
    engine.run();
    for (const char *const nearest : {"y0", "y2", "y4"}) {
      auto y = read<std::uint16_t>(engine, nearest, kMany);
      EXPECT_EQ(y.back(), 0x7BFF) << nearest;
      y.pop_back();
      EXPECT_THAT(y, Each(0x3C00)) << nearest;
    }
    auto noisy = read<std::uint16_t>(engine, "y1", kMany);
    noisy.pop_back();
    EXPECT_EQ(std::set<unsigned>(noisy.begin(), noisy.end()), (std::set<unsigned>{0x3C00, 0x3C01}));
    EXPECT_EQ(read<std::uint16_t>(engine, "y3", kMany).back(), 0x7ECE) << "no NaN";
    EXPECT_EQ(read<unsigned>(engine, "control1", 1).front(), kStochastic);
    EXPECT_EQ(read<unsigned>(engine, "control2", 1).front(), 0u);
    EXPECT_EQ(read<unsigned>(engine, "control3", 1).front(), kNanOnOverflow);
  }
}

TEST_P(NativeControl, EventsThatItEnablesStopProgramsOfHardware) {
  const VertexRef quiet = vertex("Divide"), loud = vertex("Divide");
  const Tensor x = local(FLOAT, 1, "x")[0];
  unsigned control = 0;
  for (const VertexRef &v : {quiet, loud}) {
    graph_.setInitialValue(v["wanted"], control);
    graph_.connect(v["x"], x);
    graph_.connect(v["y"], local(FLOAT, 1, "y" + std::to_string(control))[0]);
    control = kDivideByZero;
  }
  Engine engine = load(Execute(set_));
  write<float>(engine, "x", {4});
  engine.run();
  write<float>(engine, "x", {0});
  if (GetParam().type != TargetType::IPU) {
    EXPECT_NO_THROW(engine.run());
    return;
  }
  try {
    engine.run();
    FAIL() << "the program went on";
  } catch (const application_runtime_error &e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("worker 1: vertex 'Divide'"),
                                HasSubstr("floating-point division by zero")));
  }
  engine.load(device_);
  write<float>(engine, "x", {2});
  engine.run();
  EXPECT_EQ(read<float>(engine, "y0", 1).front(), 0.5f);
}

TEST_P(NativeControl, TheMatrixUnitMultiplies) {
  constexpr std::size_t kVectors = 3, kInputs = 16, kOutputs = 8;
  const VertexRef v = vertex("Product");
  graph_.connect(v["weights"], local(HALF, kOutputs * kInputs, "weights"));
  graph_.connect(v["x"], local(HALF, kVectors * kInputs, "x"));
  graph_.connect(v["y"], local(FLOAT, kVectors * kOutputs, "y"));
  Engine engine = load(Execute(set_));
  const auto halvesOf = [&](const std::vector<float> &values) {
    std::vector<char> bytes(2 * values.size());
    copyFloatToDeviceHalf(graph_.getTarget(), values.data(), bytes.data(), values.size());
    return bytes;
  };
  std::vector<float> weights(kOutputs * kInputs), x(kVectors * kInputs);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(static_cast<int>(i * 7 % 13) - 6);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(static_cast<int>(i * 5 % 11) - 5);
  const auto w16 = halvesOf(weights), x16 = halvesOf(x);
  engine.writeTensor("weights", w16.data(), w16.data() + w16.size());
  engine.writeTensor("x", x16.data(), x16.data() + x16.size());
  engine.run();
  std::vector<float> expected;
  for (std::size_t vector = 0; vector < kVectors; ++vector)
    for (std::size_t output = 0; output < kOutputs; ++output) {
      float sum = 0;
      for (std::size_t i = 0; i < kInputs; ++i)
        sum += weights[output * kInputs + i] * x[vector * kInputs + i];
      expected.push_back(sum);
    }
  EXPECT_EQ(read<float>(engine, "y", kVectors * kOutputs), expected);
}

constexpr const char *kQuarters = R"(
#include <cstdint>
#include <ipu_builtins.h>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
// 16 rows of 32 weights times one vector, all of 8 bits, as a chain of four calls.
struct QuarterProduct : Vertex {
  Input<Vector<unsigned char, VectorLayout::ONE_PTR, 8>> weights; // [16][32]
  Input<Vector<unsigned char, VectorLayout::ONE_PTR, 8>> x;       // [32]
  Output<Vector<half, VectorLayout::ONE_PTR, 8>> y;               // [16]
  unsigned format, scale;
  bool compute() {
    __builtin_ipu_put(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(&weights[0])), CSR_S_CCCSLOAD__INDEX);
    for (unsigned i = 0; i < 64; ++i)
      __builtin_ipu_ld64putcs(i);
    __builtin_ipu_uput(1u << CSR_W_FP_CLR__ZAACC__SHIFT, CSR_W_FP_CLR__INDEX);
    __builtin_ipu_uput(format, CSR_W_FP_NFMT__INDEX);
    __builtin_ipu_uput(scale, CSR_W_FP_SCL__INDEX);
    const uchar4 (*const in)[2] = reinterpret_cast<const uchar4 (*)[2]>(&x[0]);
    half4 *const out = reinterpret_cast<half4 *>(&y[0]);
    for (unsigned n = 0; n < 8; ++n) {
      unsigned long long eight;
      __builtin_memcpy(&eight, in[n % 4], sizeof eight);
      const half4 r = __builtin_ipu_f8v8hihov4amp(eight, half4{}, TAMP_F8V8_E4_P0 + n % 4);
      out[n % 4] = r; // ready in the second turn
    }
    return __builtin_ipu_uget(CSR_W_FP_NFMT__INDEX) == format;
  }
};
)";

TEST(NativeQuarters, TheMatrixUnitOfIpu21MultipliesThem) {
  const Device device = Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu21"));
  Graph graph(device);
  std::stringstream source(kQuarters);
  graph.addCodelets(source);
  const ComputeSet set = graph.addComputeSet("set");
  const VertexRef v = graph.addVertex(set, "QuarterProduct");
  const Tensor weights = graph.addConstant(UNSIGNED_CHAR, {16 * 32}, 0x40); // 1 in both formats
  const Tensor x = graph.addConstant(UNSIGNED_CHAR, {32}, 0x48); // 4 of 1.5.2, 2 of 1.4.3
  const Tensor y = graph.addVariable(HALF, {16}, "y");
  for (const Tensor &t : {weights, x, y})
    graph.setTileMapping(t, 0);
  graph.setTileMapping(v, 0);
  graph.connect(v["weights"], weights);
  graph.connect(v["x"], x);
  graph.connect(v["y"], y);
  graph.setInitialValue(v["format"], 2u); // x is of 1.4.3
  graph.setInitialValue(v["scale"], 1u);
  graph.createHostRead("y", y);
  Engine engine(graph, Execute(set));
  engine.load(device);
  engine.run();
  std::vector<std::uint16_t> got(16);
  engine.readTensor("y", got.data(), got.data() + got.size());
  EXPECT_THAT(got, Each(0x5800)); // 128 = 32 products of 2, times 2
}

} // namespace
} // namespace copse::test
