#include "devices.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

/// A builtin and the instruction that it stands for, tested with all operands, or pairs of them.
struct BuiltinCase {
  const char *name;
  const char *result;              ///< type of the register that the instruction writes
  const char *x, *y;               ///< types of the operands; y null: there is one, or none
  const char *builtin;             ///< expression in x and y
  const char *instruction;         ///< with %0 as result, %1 and %2 as operands
  const char *registers = nullptr; ///< operands as the instruction has them; null: x and y
};

BuiltinCase two(const char *name, const char *type, const char *builtin, const char *instruction) {
  return {name, type, type, type, builtin, instruction};
}
BuiltinCase one(const char *name, const char *type, const char *builtin, const char *instruction) {
  return {name, type, type, nullptr, builtin, instruction};
}

const std::vector<BuiltinCase> kCases = {
    two("MaxFloat", "float", "__builtin_ipu_max(x, y)", "f32max %0, %1, %2"),
    two("MinFloat", "float", "__builtin_ipu_min(x, y)", "f32min %0, %1, %2"),
    two("MaxFloat2", "float2", "__builtin_ipu_max(x, y)", "f32v2max %0, %1, %2"),
    two("MinFloat2", "float2", "__builtin_ipu_min(x, y)", "f32v2min %0, %1, %2"),
    two("MaxHalf2", "half2", "__builtin_ipu_max(x, y)", "f16v2max %0, %1, %2"),
    two("MinHalf2", "half2", "__builtin_ipu_min(x, y)", "f16v2min %0, %1, %2"),
    two("MaxHalf4", "half4", "__builtin_ipu_max(x, y)", "f16v4max %0, %1, %2"),
    two("MinHalf4", "half4", "__builtin_ipu_min(x, y)", "f16v4min %0, %1, %2"),
    two("MaxNamed", "half4", "__builtin_ipu_f16v4max(x, y)", "f16v4max %0, %1, %2"),
    two("MinNamed", "float2", "__builtin_ipu_f32v2min(x, y)", "f32v2min %0, %1, %2"),
    two("VectorMathMax", "float2", "ipu::max(x, y)", "f32v2max %0, %1, %2"),
    two("VectorMathFmin", "half4", "ipu::fmin(x, y)", "f16v4min %0, %1, %2"),
    two("AbsmaxFloat", "float", "ipu::absmax(x, y)", "f32absmax %0, %1, %2"),
    two("AbsmaxFloat2", "float2", "__builtin_ipu_absmax(x, y)", "f32v2absmax %0, %1, %2"),
    two("AbsmaxHalf2", "half2", "__builtin_ipu_absmax(x, y)", "f16v2absmax %0, %1, %2"),
    two("AbsmaxHalf4", "half4", "ipu::absmax(x, y)", "f16v4absmax %0, %1, %2"),
    two("AddFloat", "float", "__builtin_ipu_f32add(x, y)", "f32add %0, %1, %2"),
    two("AddFloat2", "float2", "__builtin_ipu_f32v2add(x, y)", "f32v2add %0, %1, %2"),
    two("AddHalf2", "half2", "__builtin_ipu_f16v2add(x, y)", "f16v2add %0, %1, %2"),
    two("SubHalf4", "half4", "__builtin_ipu_f16v4sub(x, y)", "f16v4sub %0, %1, %2"),
    two("MulFloat2", "float2", "__builtin_ipu_f32v2mul(x, y)", "f32v2mul %0, %1, %2"),
    two("MulHalf4", "half4", "__builtin_ipu_f16v4mul(x, y)", "f16v4mul %0, %1, %2"),
    two("DivFloat", "float", "__builtin_ipu_f32div(x, y)", "f32div %0, %1, %2"),
    two("AbsaddFloat", "float", "__builtin_ipu_absadd(x, y)", "f32absadd %0, %1, %2"),
    two("AbsaddFloat2", "float2", "__builtin_ipu_absadd(x, y)", "f32v2absadd %0, %1, %2"),
    two("AbsaddHalf2", "half2", "__builtin_ipu_absadd(x, y)", "f16v2absadd %0, %1, %2"),
    two("AbsaddHalf4", "half4", "__builtin_ipu_absadd(x, y)", "f16v4absadd %0, %1, %2"),
    two("EqualFloat", "float", "__builtin_ipu_cmpeq(x, y)", "f32cmpeq %0, %1, %2"),
    two("UnequalFloat2", "float2", "__builtin_ipu_cmpne(x, y)", "f32v2cmpne %0, %1, %2"),
    two("LessFloat", "float", "__builtin_ipu_cmplt(x, y)", "f32cmplt %0, %1, %2"),
    two("LessHalf2", "half2", "__builtin_ipu_cmplt(x, y)", "f16v2cmplt %0, %1, %2"),
    two("LessEqualHalf4", "half4", "__builtin_ipu_cmple(x, y)", "f16v4cmple %0, %1, %2"),
    two("GreaterHalf4", "half4", "__builtin_ipu_cmpgt(x, y)", "f16v4cmpgt %0, %1, %2"),
    two("GreaterEqualFloat2", "float2", "__builtin_ipu_cmpge(x, y)", "f32v2cmpge %0, %1, %2"),
    two("UnequalHalf4", "half4", "__builtin_ipu_f16v4cmpne(x, y)", "f16v4cmpne %0, %1, %2"),
    {"ClampFloat", "float", "float", "float2", "__builtin_ipu_clamp(x, y)", "f32clamp %0, %1, %2"},
    two("ClampFloat2", "float2", "__builtin_ipu_clamp(x, y)", "f32v2clamp %0, %1, %2"),
    two("ClampHalf2", "half2", "__builtin_ipu_clamp(x, y)", "f16v2clamp %0, %1, %2"),
    {"ClampHalf4", "half4", "half4", "half2", "__builtin_ipu_clamp(x, y)", "f16v4clamp %0, %1, %2"},
    one("ExpFloat", "float", "__builtin_ipu_exp(x)", "f32exp %0, %1"),
    one("ExpHalf2", "half2", "__builtin_ipu_exp(x)", "f16v2exp %0, %1"),
    one("VectorMathExp", "half2", "ipu::exp(x)", "f16v2exp %0, %1"),
    one("Exp2Float", "float", "__builtin_ipu_exp2(x)", "f32exp2 %0, %1"),
    one("Exp2Half2", "half2", "__builtin_ipu_exp2(x)", "f16v2exp2 %0, %1"),
    one("LnFloat", "float", "__builtin_ipu_ln(x)", "f32ln %0, %1"),
    one("LnHalf2", "half2", "__builtin_ipu_ln(x)", "f16v2ln %0, %1"),
    one("VectorMathLog", "float", "ipu::log(x)", "f32ln %0, %1"),
    one("Log2Float", "float", "__builtin_ipu_log2(x)", "f32log2 %0, %1"),
    one("Log2Half2", "half2", "__builtin_ipu_log2(x)", "f16v2log2 %0, %1"),
    one("TanhFloat", "float", "__builtin_ipu_tanh(x)", "f32tanh %0, %1"),
    one("TanhHalf2", "half2", "__builtin_ipu_tanh(x)", "f16v2tanh %0, %1"),
    one("SigmFloat", "float", "__builtin_ipu_sigm(x)", "f32sigm %0, %1"),
    one("SigmHalf2", "half2", "__builtin_ipu_sigm(x)", "f16v2sigm %0, %1"),
    one("VectorMathSigmoid", "half2", "ipu::sigmoid(x)", "f16v2sigm %0, %1"),
    one("SqrtFloat", "float", "__builtin_ipu_sqrt(x)", "f32sqrt %0, %1"),
    one("VectorMathSqrt", "float", "ipu::sqrt(x)", "f32sqrt %0, %1"),
    one("OoxFloat", "float", "__builtin_ipu_oox(x)", "f32oox %0, %1"),
    one("OorxFloat", "float", "__builtin_ipu_oorx(x)", "f32oorx %0, %1"),
    one("RsqrtFloat", "float", "__builtin_ipu_rsqrt(x)", "f32oorx %0, %1"),
    one("IntNearest", "float", "__builtin_ipu_f32int(x, 0)", "f32int %0, %1, 0"),
    one("IntUp", "float", "__builtin_ipu_f32int(x, 1)", "f32int %0, %1, 1"),
    one("IntAway", "float", "__builtin_ipu_f32int(x, 4)", "f32int %0, %1, 4"),
    one("ClassFloat", "float", "__builtin_ipu_f32class(x)", "f32class %0, %1"),
    {"ClassHalf4", "float", "half4", nullptr, "__builtin_ipu_f16v4class(x)", "f16v4class %0, %1"},
    {"SumHalf2", "float", "half2", nullptr, "__builtin_ipu_sum(x)", "f16v2sum %0, %1"},
    {"SumHalf4", "float2", "half4", nullptr, "__builtin_ipu_sum(x)", "f16v4sum %0, %1"},
    one("MaxcHalf2", "half2", "__builtin_ipu_f16v2maxc(x)", "f16v2maxc %0, %1"),
    {"MaxcHalf4", "half2", "half4", nullptr, "__builtin_ipu_maxc(x)", "f16v4maxc %0, %1"},
    {"ToFloat", "float", "half", nullptr, "__builtin_ipu_f16tof32(x)", "f16tof32 %0, %1"},
    {"ToFloat2", "float2", "half2", nullptr, "__builtin_ipu_f16tof32(x)", "f16v2tof32 %0, %1"},
    {"ToHalf", "half", "float", nullptr, "__builtin_ipu_f32tof16(x)", "f32tof16 %0, %1"},
    {"ToHalf2", "half2", "float2", nullptr, "__builtin_ipu_f32tof16(x)", "f32v2tof16 %0, %1"},
    {"ToHalf4", "half4", "float4", nullptr, "__builtin_ipu_f32tof16(x)", "f32v4tof16 %0, %1"},
    {"FromInt", "float", "int", nullptr, "__builtin_ipu_f32fromi32(x)", "f32fromi32 %0, %1",
     "\"r\"(as<float>(x))"},
    {"FromUnsigned", "float", "unsigned", nullptr, "__builtin_ipu_f32fromui32(x)",
     "f32fromui32 %0, %1", "\"r\"(as<float>(x))"},
    one("ToInt", "float", "__builtin_ipu_f32toi32(x)", "f32toi32 %0, %1"),
    one("ToUnsigned", "float", "__builtin_ipu_f32toui32(x)", "f32toui32 %0, %1"),
    {"Centred", "float2", "uint2", nullptr, "__builtin_ipu_f32v2sufromui(x)",
     "f32v2sufromui %0, %1", "\"r\"(as<float2>(x))"},
    {"CentredHalves", "half4", "ushort4", nullptr, "__builtin_ipu_f16v4sufromui(x)",
     "f16v4sufromui %0, %1", "\"r\"(as<half4>(x))"},
    two("AndcFloat", "float", "ipu::andc(x, y)", "andc %0, %1, %2"),
    two("AndcFloat2", "float2", "ipu::andc(x, y)", "andc64 %0, %1, %2"),
    two("AndcHalf2", "half2", "__builtin_ipu_andc(x, y)", "andc %0, %1, %2"),
    two("AndcHalf4", "half4", "__builtin_ipu_andc(x, y)", "andc64 %0, %1, %2"),
    two("AndFloat", "float", "__builtin_ipu_and_f32(x, y)", "and %0, %1, %2"),
    two("OrHalf4", "half4", "__builtin_ipu_or(x, y)", "or64 %0, %1, %2"),
    one("NotFloat2", "float2", "__builtin_ipu_not(x)", "not64 %0, %1"),
    two("Roll16", "half2", "__builtin_ipu_roll16(x, y)", "roll16 %0, %1, %2"),
    two("Roll8l", "unsigned", "__builtin_ipu_roll8l(x, y)", "roll8l %0, %1, %2"),
    two("Roll8r", "unsigned", "__builtin_ipu_roll8r(x, y)", "roll8r %0, %1, %2"),
    two("Roll32", "float2", "__builtin_ipu_roll32(x, y)", "roll32 %0, %1, %2"),
    two("Sort4x16lo", "half2", "__builtin_ipu_sort4x16lo(x, y)", "sort4x16lo %0, %1, %2"),
    two("Sort4x16hi", "unsigned", "__builtin_ipu_sort4x16hi(x, y)", "sort4x16hi %0, %1, %2"),
    two("Sort4x32lo", "half4", "__builtin_ipu_sort4x32lo(x, y)", "sort4x32lo %0, %1, %2"),
    two("Sort4x32hi", "float2", "__builtin_ipu_sort4x32hi(x, y)", "sort4x32hi %0, %1, %2"),
    two("Sort8x8lo", "unsigned", "__builtin_ipu_sort8x8lo(x, y)", "sort8x8lo %0, %1, %2"),
    two("Sort8x8hi", "unsigned", "__builtin_ipu_sort8x8hi(x, y)", "sort8x8hi %0, %1, %2"),
    two("Shuf8x8lo", "unsigned", "__builtin_ipu_shuf8x8lo(x, y)", "shuf8x8lo %0, %1, %2"),
    two("Shuf8x8hi", "unsigned", "__builtin_ipu_shuf8x8hi(x, y)", "shuf8x8hi %0, %1, %2"),
    one("Sort8", "unsigned", "__builtin_ipu_sort8(x)", "sort8 %0, %1"),
    one("Swap8", "unsigned", "__builtin_ipu_swap8(x)", "swap8 %0, %1"),
    one("Bitrev8", "unsigned", "__builtin_ipu_bitrev8(x)", "bitrev8 %0, %1"),
    one("Popc", "unsigned", "__builtin_ipu_popc(x)", "popc %0, %1"),
    one("Clz", "unsigned", "__builtin_ipu_clz(x)", "clz %0, %1"),
    one("Cms", "unsigned", "__builtin_ipu_cms(x)", "cms %0, %1"),
    one("Abs", "int", "__builtin_ipu_abs(x)", "abs %0, %1"),
    two("MaxInt", "int", "__builtin_ipu_max(x, y)", "max %0, %1, %2"),
    two("MinInt", "int", "__builtin_ipu_min(x, y)", "min %0, %1, %2"),
    {"Tapack", "uint2", "unsigned", "unsigned", "tapack(x, y)", "tapack %0, %1, %2, $mzero"},
    {"Urand64", "float2", "unsigned", "unsigned", "drawn(x, y)", "urand64 %0", ""},
    {"Grand", "float2", "unsigned", nullptr, "__builtin_ipu_f32v2grand()", "f32v2grand %0", ""},
    {"GrandHalves", "half2", "unsigned", nullptr, "__builtin_ipu_f16v2grand()", "f16v2grand %0",
     ""},
    {"KeptFloats", "float2", "float2", "unsigned", "__builtin_ipu_rmask(x, y & 0x1FFFF)",
     "f32v2rmask %0, %1, %2", "\"r\"(x), \"r\"(as<float>(y & 0x1FFFF))"},
    {"KeptHalves", "half4", "half4", "unsigned", "__builtin_ipu_rmask(x, y & 0x1FFFF)",
     "f16v4rmask %0, %1, %2", "\"r\"(x), \"r\"(as<float>(y & 0x1FFFF))"},
};

/// Returns words that, as floats and as pairs of halves, belong to every class.
std::vector<unsigned> operands() {
  std::vector<unsigned> words{0,          0x80000000, 1,          0x80000001, 0x007FFFFF,
                              0x00800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF,
                              0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001,
                              0xFF900001, 0x7FD9C07E, 0x40B51234, 0xC2AEAC50, 0x42B0C0A5,
                              0x3E99999A, 0x33123456, 0x46FFF000, 0xC77FE123};
  for (const unsigned low :
       {0x0000U, 0x8000U, 0x0001U, 0x83FFU, 0x0400U, 0x3C00U, 0xBC00U, 0x7BFFU, 0x7C00U, 0xFC00U,
        0x7E00U, 0xFE01U, 0x7C01U, 0xFD00U, 0x4A3CU, 0xB7F1U})
    words.push_back(low | (low ^ 0x8001U) << 16);
  return words;
}

std::string codelet(const BuiltinCase &c) {
  const std::string registers = c.registers != nullptr ? c.registers
                                : c.y == nullptr       ? "\"r\"(x)"
                                                       : "\"r\"(x), \"r\"(y)";
  const std::string type = c.y == nullptr ? "unsigned" : c.y;
  return std::string("class ") + c.name + R"( : public Vertex {
public:
  Input<Vector<unsigned>> words;
  Output<unsigned> differences;
  static __attribute__((noinline)) bool differs()" +
         c.x + " x, " + type + R"( y, unsigned seed) {
    __builtin_ipu_uput(seed, 0x107);
    const auto ours = )" +
         c.builtin + R"(;
    __builtin_ipu_uput(seed, 0x107);
    )" + c.result +
         R"( theirs;
    asm(")" +
         c.instruction + R"(" : "=r"(theirs) : )" + registers + R"();
    static_assert(sizeof ours == sizeof theirs, "");
    return __builtin_memcmp(&ours, &theirs, sizeof ours) != 0;
  }
  bool compute() {
    unsigned count = 0;
    for (const unsigned control : {0u, 1u << 20, 1u << 19}) { // NANOO, ESR
      __builtin_ipu_uput(control, CSR_W_FP_CTL__INDEX);
      for (unsigned i = 0; i < words.size(); ++i)
        for (unsigned j = 0; j < )" +
         (c.y == nullptr ? "1" : "words.size()") + R"(; ++j)
          count += differs(numberAt<)" +
         c.x + R"(>(words, i, 3), numberAt<)" + type + R"(>(words, j, 5), i + 64 * j);
    }
    __builtin_ipu_uput(0, CSR_W_FP_CTL__INDEX);
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
#include <ipu_vector_math>
#include <poplar/TileConstants.hpp>
using namespace poplar;
namespace {
template <class To, class From> To as(const From &from) {
  To to;
  static_assert(sizeof to <= sizeof from, "");
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
template <class Number, class Words> Number numberAt(const Words &words, unsigned i, unsigned step) {
  unsigned four[4];
  for (unsigned k = 0; k < 4; ++k)
    four[k] = words[(i + k * step) % words.size()];
  return as<Number>(four);
}
uint2 tapack(unsigned x, unsigned y) {
  return __builtin_ipu_tapack(reinterpret_cast<void *>(x * 1ul), reinterpret_cast<void *>(y * 1ul), nullptr);
}
uint2 drawn(unsigned, unsigned) {
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
/// Contents of the accumulators, after a builtin and after the instruction that it stands for.
struct Accumulators {
  unsigned words[16];
  Accumulators() {
    for (int i = 0; i < 4; ++i)
      read(__builtin_ipu_f32v2gina(float2{0, 0}, 0), 2 * i);
    float2 odd;
    for (int i = 4; i < 8; ++i) {
      asm volatile("f32v2gina %0, $azeros, 1" : "=r"(odd));
      read(odd, 2 * i);
    }
  }
  void read(float2 pair, int at) { __builtin_memcpy(words + at, &pair, sizeof pair); }
  bool operator!=(const Accumulators &other) const { return __builtin_memcmp(words, other.words, sizeof words) != 0; }
};
#define COMPARE(builtin, statement)                                                                \
  {                                                                                                \
    __builtin_ipu_aacc_zero();                                                                     \
    asm volatile("f32v4acc %0" : : "r"(start));                                                    \
    builtin;                                                                                       \
    const Accumulators ours;                                                                       \
    __builtin_ipu_aacc_zero();                                                                     \
    asm volatile("f32v4acc %0" : : "r"(start));                                                    \
    statement;                                                                                     \
    const Accumulators theirs;                                                                     \
    count += ours != theirs;                                                                       \
  }
class Accumulating : public Vertex {
public:
  Input<Vector<unsigned>> words;
  Output<unsigned> differences;
  bool compute() {
    unsigned count = 0;
    const float4 start = {1.5f, -2.25f, 1e-3f, 300.0f};
    __builtin_ipu_put_tas(as<float>(0xB8003C01u));
    for (unsigned i = 0; i < words.size(); ++i) {
      const float x = numberAt<float>(words, i, 1), y = numberAt<float>(words, i + 3, 1);
      const float2 x2 = numberAt<float2>(words, i, 1), y2 = numberAt<float2>(words, i + 5, 2);
      const float4 x4 = numberAt<float4>(words, i, 3);
      const half2 g = numberAt<half2>(words, i, 1), h = numberAt<half2>(words, i + 4, 1);
      const half4 g4 = numberAt<half4>(words, i, 2), h4 = numberAt<half4>(words, i + 2, 5);
      COMPARE(__builtin_ipu_mac(x, y), asm volatile("f32mac %0, %1" : : "r"(x), "r"(y)))
      COMPARE(__builtin_ipu_mac(x2, y2), asm volatile("f32v2mac %0, %1" : : "r"(x2), "r"(y2)))
      COMPARE(__builtin_ipu_cmac(g, h), asm volatile("f16v2cmac %0, %1" : : "r"(g), "r"(h)))
      COMPARE(__builtin_ipu_cmac(g4, h4), asm volatile("f16v4cmac %0, %1" : : "r"(g4), "r"(h4)))
      COMPARE(__builtin_ipu_f32v4acc(x4), asm volatile("f32v4acc %0" : : "r"(x4)))
      COMPARE(__builtin_ipu_f16v4acc(g4), asm volatile("f16v4acc %0" : : "r"(g4)))
      COMPARE(__builtin_ipu_f32v4absacc(x4), asm volatile("f32v4absacc %0" : : "r"(x4)))
      COMPARE(__builtin_ipu_f16v4absacc(g4), asm volatile("f16v4absacc %0" : : "r"(g4)))
      COMPARE(__builtin_ipu_f32v4sqacc(x4), asm volatile("f32v4sqacc %0" : : "r"(x4)))
      const half4 both[] = {g4, h4};
      const float4 eight = as<float4>(both);
      COMPARE(__builtin_ipu_f16v8acc(g4, h4), asm volatile("f16v8acc %0" : : "r"(eight)))
      COMPARE(__builtin_ipu_f16v8absacc(g4, h4), asm volatile("f16v8absacc %0" : : "r"(eight)))
      COMPARE(__builtin_ipu_f16v8sqacc(g4, h4), asm volatile("f16v8sqacc %0" : : "r"(eight)))
      half4 r, s;
      COMPARE(r = __builtin_ipu_f16v4mix(g4, h4), asm volatile("f16v4mix %0, %1, %2" : "=r"(s) : "r"(g4), "r"(h4)))
      count += __builtin_memcmp(&r, &s, sizeof r) != 0;
      COMPARE(r = __builtin_ipu_f16v4istacc(g4, h4, 1), asm volatile("f16v4istacc %0, %1, %2, 1" : "=r"(s) : "r"(g4), "r"(h4)))
      count += __builtin_memcmp(&r, &s, sizeof r) != 0;
      COMPARE(r = __builtin_ipu_f16v4stacc(0), asm volatile("f16v4stacc %0, 0" : "=r"(s)))
      count += __builtin_memcmp(&r, &s, sizeof r) != 0;
      COMPARE(r = __builtin_ipu_f16v4gacc(), asm volatile("f16v4gacc %0" : "=r"(s)))
      count += __builtin_memcmp(&r, &s, sizeof r) != 0;
      half2 p, q;
      COMPARE(p = __builtin_ipu_gina(g, 0), asm volatile("f16v2gina %0, %1, 0" : "=r"(q) : "r"(g)))
      count += __builtin_memcmp(&p, &q, sizeof p) != 0;
    }
    *differences = count;
    return true;
  }
};
class Wrong : public Vertex { // the table can tell
public:
  Input<Vector<unsigned>> words;
  Output<unsigned> differences;
  bool compute() {
    unsigned count = 0;
    const float4 start = {};
    COMPARE(__builtin_ipu_mac(1.0f, 2.0f), asm volatile("f32mac %0, %1" : : "r"(1.0f), "r"(3.0f)))
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

TEST_P(Builtins, ReturnTheBitsOfTheirInstructions) {
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
  names.insert(names.end(), {"Classes", "Accumulating"});
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

TEST_P(Builtins, DifferFromOtherInstructions) {
  std::stringstream source(codelets());
  graph_.addCodelets(source);
  const ComputeSet set = graph_.addComputeSet("set");
  const Tensor input = graph_.addConstant<unsigned>(UNSIGNED_INT, {1}, {0});
  graph_.setTileMapping(input, 0);
  const VertexRef v = graph_.addVertex(set, "Wrong");
  graph_.setTileMapping(v, 0);
  graph_.connect(v["words"], input);
  graph_.connect(v["differences"], hostVariable(UNSIGNED_INT, {1}, "differences")[0]);
  Engine engine = load(Execute(set));
  engine.run();
  EXPECT_EQ(read<unsigned>(engine, "differences", 1)[0], 1U);
}

TEST_P(Builtins, IncludeArctangentsOfVectors) {
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
