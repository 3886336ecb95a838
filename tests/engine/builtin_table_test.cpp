#include "devices.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

/// A builtin and the instruction that it stands for, over all pairs of operands.
struct BuiltinCase {
  const char *name;
  const char *type;        ///< of operands and result
  const char *builtin;     ///< of x and y
  const char *instruction; ///< with %0 as result, %1 and %2 as operands
};

const BuiltinCase kCases[] = {
    {"MaxFloat", "float", "__builtin_ipu_max(x, y)", "f32max %0, %1, %2"},
    {"MinFloat", "float", "__builtin_ipu_min(x, y)", "f32min %0, %1, %2"},
    {"MaxFloat2", "float2", "__builtin_ipu_max(x, y)", "f32v2max %0, %1, %2"},
    {"MinFloat2", "float2", "__builtin_ipu_min(x, y)", "f32v2min %0, %1, %2"},
    {"MaxHalf2", "half2", "__builtin_ipu_max(x, y)", "f16v2max %0, %1, %2"},
    {"MinHalf2", "half2", "__builtin_ipu_min(x, y)", "f16v2min %0, %1, %2"},
    {"MaxHalf4", "half4", "__builtin_ipu_max(x, y)", "f16v4max %0, %1, %2"},
    {"MinHalf4", "half4", "__builtin_ipu_min(x, y)", "f16v4min %0, %1, %2"},
    {"VectorMathMax", "float2", "ipu::max(x, y)", "f32v2max %0, %1, %2"},
    {"VectorMathFmin", "half4", "ipu::fmin(x, y)", "f16v4min %0, %1, %2"},
    {"AbsmaxFloat", "float", "ipu::absmax(x, y)", "f32absmax %0, %1, %2"},
    {"AbsmaxFloat2", "float2", "ipu::absmax(x, y)", "f32v2absmax %0, %1, %2"},
    {"AbsmaxHalf4", "half4", "ipu::absmax(x, y)", "f16v4absmax %0, %1, %2"},
    {"AndcFloat", "float", "ipu::andc(x, y)", "andc %0, %1, %2"},
    {"AndcFloat2", "float2", "ipu::andc(x, y)", "andc64 %0, %1, %2"},
    {"AndcHalf2", "half2", "ipu::andc(x, y)", "andc %0, %1, %2"},
    {"AndcHalf4", "half4", "ipu::andc(x, y)", "andc64 %0, %1, %2"},
    {"Tapack", "uint2", "tapack(x, y)", "tapack %0, %1, %2, $mzero"},
    {"Urand64", "uint2", "drawn(x, y)", "urand64 %0"},
};

/// Words that, as floats and as pairs of halves, are of every class.
std::vector<unsigned> operands() {
  std::vector<unsigned> words{0,          0x80000000, 1,          0x80000001, 0x007FFFFF,
                              0x00800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF,
                              0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001,
                              0xFF900001, 0x7FD9C07E};
  for (const unsigned low : {0x0000U, 0x8000U, 0x0001U, 0x83FFU, 0x0400U, 0x3C00U, 0xBC00U, 0x7BFFU,
                             0x7C00U, 0xFC00U, 0x7E00U, 0xFE01U, 0x7C01U, 0xFD00U})
    words.push_back(low | (low ^ 0x8001U) << 16);
  return words;
}

std::string codelet(const BuiltinCase &c) {
  const bool isDraw = std::string(c.instruction).starts_with("urand");
  const bool isPack = std::string(c.type) == "uint2" && !isDraw;
  const std::string inputs = isDraw   ? ""
                             : isPack ? "\"r\"(x[0]), \"r\"(y[0])"
                                      : "\"r\"(x), \"r\"(y)";
  const std::string result = isDraw ? "float2" : c.type;
  return std::string("class ") + c.name + R"( : public Vertex {
public:
  Input<Vector<unsigned>> words;
  Output<unsigned> differences;
  bool compute() {
    typedef )" +
         c.type + R"( Operand;
    unsigned count = 0;
    for (unsigned i = 0; i < words.size(); ++i)
      for (unsigned j = 0; j < words.size(); ++j) {
        const unsigned a[] = {words[i], words[(i + 3) % words.size()]};
        const unsigned b[] = {words[j], words[(j + 5) % words.size()]};
        Operand x, y;
        __builtin_memcpy(&x, a, sizeof x);
        __builtin_memcpy(&y, b, sizeof y);
        __builtin_ipu_uput(i + 64 * j, 0x107);
        const auto ours = )" +
         c.builtin + R"(;
        __builtin_ipu_uput(i + 64 * j, 0x107);
        )" +
         result + R"( theirs;
        asm(")" +
         c.instruction + R"(" : "=r"(theirs) : )" + inputs + R"();
        count += __builtin_memcmp(&ours, &theirs, sizeof ours) != 0;
      }
    *differences = count;
    return true;
  }
};
)";
}

std::string codelets() {
  std::string source = R"(
#include <ipu_intrinsics>
#include <poplar/Vertex.hpp>
using namespace poplar;
namespace {
uint2 tapack(uint2 x, uint2 y) {
  return __builtin_ipu_tapack(reinterpret_cast<void *>(x[0] * 1ul), reinterpret_cast<void *>(y[0] * 1ul), nullptr);
}
uint2 drawn(uint2, uint2) {
  const unsigned long long bits = __builtin_ipu_urand64();
  return uint2{unsigned(bits), unsigned(bits >> 32)};
}
}
)";
  for (const BuiltinCase &c : kCases)
    source += codelet(c);
  return source + R"(
class Classes : public Vertex {
public:
  Input<Vector<unsigned>> words;
  Output<unsigned> differences;
  template <class Number> static unsigned classOf(Number x) {
    return __builtin_ipu_isnan(x) ? 1 : __builtin_ipu_isinf(x) ? 2 : __builtin_ipu_isfinite(x) ? 3 : 0;
  }
  /// 1 and 2 are NaNs, 3 and 8 infinities.
  static unsigned classOfCode(unsigned code) { return code < 3 ? 1 : code == 3 || code == 8 ? 2 : 3; }
  bool compute() {
    unsigned count = 0;
    for (unsigned i = 0; i < words.size(); ++i) {
      float x; half2 h; half4 wide; float2 two;
      const unsigned pair[] = {words[i], words[(i + 1) % words.size()]};
      __builtin_memcpy(&x, pair, sizeof x);
      __builtin_memcpy(&h, pair, sizeof h);
      __builtin_memcpy(&wide, pair, sizeof wide);
      __builtin_memcpy(&two, pair, sizeof two);
      float code;
      asm("f32class %0, %1" : "=r"(code) : "r"(x));
      unsigned bits;
      __builtin_memcpy(&bits, &code, sizeof bits);
      count += classOf(x) != classOfCode(bits & 255);
      asm("f16v4class %0, %1" : "=r"(code) : "r"(wide));
      __builtin_memcpy(&bits, &code, sizeof bits);
      for (int e = 0; e < 4; ++e) {
        const unsigned ours = __builtin_ipu_isnan(wide)[e] ? 1 : __builtin_ipu_isinf(wide)[e] ? 2 : __builtin_ipu_isfinite(wide)[e] ? 3 : 0;
        count += ours != classOfCode(bits >> (8 * e) & 255) || ours != classOf(half(wide[e]));
      }
      for (int e = 0; e < 2; ++e) {
        count += (__builtin_ipu_isnan(two)[e] != 0) != __builtin_ipu_isnan(two[e]);
        count += (__builtin_ipu_isinf(two)[e] != 0) != __builtin_ipu_isinf(two[e]);
        count += (__builtin_ipu_isfinite(h)[e] != 0) != __builtin_ipu_isfinite(half(h[e]));
      }
    }
    *differences = count;
    return true;
  }
};
class Arctangent : public Vertex {
public:
  Output<Vector<float>> results;
  bool compute() {
    const float2 a = ipu::atan2(float2{1, -1}, float2{1, 0});
    const half2 h = ipu::atan2(half2{half(1), half(0)}, half2{half(1), half(-1)});
    results[0] = ipu::atan2(1.0f, 1.0f);
    results[1] = a[0]; results[2] = a[1]; results[3] = float(h[0]); results[4] = float(h[1]);
    return true;
  }
};
)";
}

class Builtins : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, Builtins,
                         ::testing::Values(DeviceKind{"Ipu1", TargetType::IPU, 1}), deviceName);

TEST_P(Builtins, GiveTheBitsOfTheirInstructions) {
  std::stringstream source(codelets());
  graph_.addCodelets(source);
  const ComputeSet set = graph_.addComputeSet("set");
  const std::vector<unsigned> words = operands();
  const Tensor input = graph_.addVariable(UNSIGNED_INT, {words.size()}, "words");
  graph_.setTileMapping(input, 0);
  graph_.setInitialValue(input, ArrayRef<unsigned>(words));
  std::vector<std::string> names;
  for (const BuiltinCase &c : kCases)
    names.emplace_back(c.name);
  names.emplace_back("Classes");
  for (const std::string &name : names) {
    const VertexRef v = graph_.addVertex(set, name);
    graph_.setTileMapping(v, 0);
    graph_.connect(v["words"], input);
    graph_.connect(v["differences"], hostVariable(UNSIGNED_INT, {1}, name)[0]);
  }
  Engine engine = load(Execute(set));
  engine.run();
  for (const std::string &name : names)
    EXPECT_EQ(read<unsigned>(engine, name.c_str(), 1)[0], 0U) << name;
}

TEST_P(Builtins, OfVectorMathHaveArctangents) {
  std::stringstream source(codelets());
  graph_.addCodelets(source);
  const ComputeSet set = graph_.addComputeSet("set");
  const VertexRef v = graph_.addVertex(set, "Arctangent");
  graph_.setTileMapping(v, 0);
  graph_.connect(v["results"], hostVariable(FLOAT, {5}, "results"));
  Engine engine = load(Execute(set));
  engine.run();
  const float pi = 3.14159265F;
  const std::vector<float> wanted{pi / 4, pi / 4, -pi / 2, pi / 4, pi};
  const auto results = read<float>(engine, "results", 5);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(results[i], wanted[i], 2e-3F) << i;
}

} // namespace
} // namespace copse::test
