// Tests inline assembly with every kind of operand: a value that passes through a register is
// unchanged.
#include "devices.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

/// A type of operands, and the instruction that moves one between registers of its file.
struct OperandType {
  const char *name;
  const char *move;
  const char *tail = ""; ///< text of the instruction after its source
};
constexpr OperandType kTypes[] = {
    {"bool", "mov"},
    {"char", "mov"},
    {"signed char", "mov"},
    {"unsigned char", "mov"},
    {"short", "mov"},
    {"unsigned short", "mov"},
    {"int", "mov"},
    {"unsigned", "mov"},
    {"Colour", "mov"},
    {"Wide", "mov"},
    {"float", "mov"},
    {"half", "mov"},
    {"half2", "or", ", $azero"},
    {"float2", "or64", ", $azeros"},
    {"half4", "or64", ", $azeros"},
};

/// A way to write operands: code with T as the type, x as a value of it and r as its result;
/// MOVE(a, b) is the text of the instruction.
struct OperandKind {
  const char *name, *code;
};
constexpr OperandKind kKinds[] = {
    {"InputAndOutput", R"(asm(MOVE("%0", "%1") : "=r"(r) : "r"(x));)"},
    {"InOut", R"(r = x; asm volatile(MOVE("%0", "%0") : "+r"(r));)"},
    {"Tied", R"(asm(MOVE("%0", "%1") : "=r"(r) : "0"(x));)"},
    {"WrittenEarly", R"(asm(MOVE("%0", "%1") "\n" MOVE("%0", "%1") : "=&r"(r) : "r"(x));)"},
    {"Named", R"(asm(MOVE("%[to]", "%[from]") : [to] "=r"(r) : [from] "r"(x));)"},
    {"Members",
     R"(struct { T a, b; } s; s.a = x; asm(MOVE("%0", "%1") : "=r"(s.b) : "r"(s.a)); r = s.b;)"},
    {"Elements", R"(T v[2] = {x}; asm(MOVE("%0", "%1") : "=r"(v[1]) : "r"(v[0])); r = v[1];)"},
    {"ThroughPointers",
     R"(T *to = &r; const T *from = &x; asm(MOVE("%0", "%1") : "=r"(*to) : "r"(*from));)"},
    {"WithoutInstructions", R"(r = x; asm volatile("" : "+r"(r) :: "memory");)"},
    {"Constant", R"(const T c = x; asm(MOVE("%0", "%1") : "=r"(r) : "r"(c));)"},
    {"TwoOfEach",
     R"(T y, z; asm(MOVE("%0", "%2") "\n" MOVE("%1", "%3") : "=&r"(y), "=r"(z) : "r"(x), "r"(x)); )"
     R"(asm(MOVE("%0", "%1") : "=r"(r) : "r"(y)); r = same(y, z) ? r : T{};)"},
    {"BesideClobbers",
     R"(asm volatile("zero $a0:1\n setzi $m0, 1\n" MOVE("%0", "%1") : "=r"(r) : "r"(x) )"
     R"(: "$m0", "$a0:1", "memory");)"},
    {"InBranchesAndLoops", R"(T y = x; for (unsigned i = 0; i < in[0] % 3; ++i) if (in[1] != i) )"
                           R"(asm volatile(MOVE("%0", "%1") : "=r"(y) : "r"(y)); r = y;)"},
};

/// An immediate, and its value.
struct Immediate {
  const char *constraint, *expression;
  int value;
};
constexpr Immediate kImmediates[] = {
    {"i", "5", 5},
    {"n", "-7", -7},
    {"i", "sizeof(float) * 3", 12},
    {"i", "kTwelve + 1", 13},
    {"n", "Colour::Blue", 2},
    {"i", "(1 << 4 | 3)", 19},
    {"i", "'a'", 97},
    {"n", "N", 77},
    {"i", "true", 1},
};

std::string operandCodelets() {
  std::string text = R"(
#include <poplar/Vertex.hpp>
#include <ipudef.h>
using namespace poplar;
enum class Colour { Red, Green, Blue };
enum Wide : unsigned { kSomething = 0x80000001 };
constexpr int kTwelve = 12;
template <class T> bool same(const T &a, const T &b) { return __builtin_memcmp(&a, &b, sizeof a) == 0; }
template <class T> T from(const unsigned *in, T *) { T x; __builtin_memcpy(&x, in, sizeof x); return x; }
bool from(const unsigned *in, bool *) { return in[0] % 2 != 0; }
class Operands : public Vertex {
public:
  Input<Vector<unsigned, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<unsigned>> results;
  bool compute() {
    unsigned n = 0;
)";
  for (const OperandType &type : kTypes)
    for (const OperandKind &kind : kKinds)
      text += std::string("#define MOVE(a, b) \"") + type.move + " \" a \", \" b \"" + type.tail +
              "\"\n    { typedef " + type.name +
              " T; const T x = from(&in[0], static_cast<T *>(nullptr)); T r{}; " + kind.code +
              " results[n++] = same(r, x); }\n#undef MOVE\n";
  text += "    immediates<77>(n);\n    return true;\n  }\n"
          "  template <int N> void immediates(unsigned n) {\n";
  for (const Immediate &immediate : kImmediates)
    text += std::string("    { int r; asm(\"add %0, $mzero, %1\" : \"=r\"(r) : \"") +
            immediate.constraint + "\"(" + immediate.expression +
            ")); results[n++] = unsigned(r); }\n";
  return text + "  }\n};\n";
}

class AssemblyOperands : public OnEveryDevice {};

INSTANTIATE_TEST_SUITE_P(Devices, AssemblyOperands, ::testing::ValuesIn(kModelAndIpu), deviceName);

TEST_P(AssemblyOperands, KeepTheirValuesForEveryTypeAndKind) {
  std::stringstream source(operandCodelets());
  graph_.addCodelets(source);
  const ComputeSet set = graph_.addComputeSet("set");
  const VertexRef v = graph_.addVertex(set, "Operands");
  // Halves and floats that are numbers; bytes and words that have a sign.
  const std::vector<unsigned> in = {0xC2F7BAE5u, 0x3FC14A6Bu};
  const std::size_t moves = std::size(kTypes) * std::size(kKinds);
  const Tensor from = graph_.addConstant<unsigned>(UNSIGNED_INT, {2}, in.data());
  const Tensor results = graph_.addVariable(UNSIGNED_INT, {moves + std::size(kImmediates)});
  for (const Tensor &t : {from, results})
    graph_.setTileMapping(t, 0);
  graph_.setTileMapping(v, 0);
  graph_.connect(v["in"], from);
  graph_.connect(v["results"], results);
  graph_.createHostRead("results", results);
  Engine engine = load(Execute(set));
  engine.run();
  const auto values = read<unsigned>(engine, "results", results.numElements());
  std::size_t n = 0;
  for (const OperandType &type : kTypes)
    for (const OperandKind &kind : kKinds)
      EXPECT_EQ(values[n++], 1u) << type.name << ", " << kind.name;
  for (const Immediate &immediate : kImmediates)
    EXPECT_EQ(static_cast<int>(values[n++]), immediate.value) << immediate.expression;
}

} // namespace
} // namespace copse::test
