#include "instruction_loop.hpp"

#include <functional>

namespace copse::ipud {
namespace {

using test::InstructionLoop;
using test::OperandSource;
using Word = std::uint32_t;

int signedOf(Word x) { return static_cast<int>(x); }
Word byte(Word x, unsigned i) { return (x >> (8 * i)) % 256; }
Word fromBytes(Word b0, Word b1, Word b2, Word b3) {
  return b0 + 256 * b1 + 65536 * b2 + 16777216 * b3;
}
Word low16(Word x) { return x % 65536; }
Word high16(Word x) { return x / 65536; }
Word fromHalves(Word lo, Word hi) { return lo + 65536 * hi; }

/// Returns a word whose bits are computed one after the other.
Word mapped(Word x, unsigned (*from)(unsigned)) {
  Word result = 0;
  for (unsigned i = 0; i < 32; ++i)
    result |= (x >> from(i) & 1) << i;
  return result;
}
Word leadingEqualTo(Word x, Word bit, unsigned from) {
  Word n = 0;
  for (unsigned i = from; i-- > 0 && (x >> i & 1) == bit;)
    ++n;
  return n;
}
Word onesIn(Word x) {
  Word n = 0;
  for (unsigned i = 0; i < 32; ++i)
    n += x >> i & 1;
  return n;
}
Word shiftedArithmetically(Word x, Word by) {
  Word result = x;
  for (Word i = 0; i < by % 32; ++i)
    result = result / 2 + (x & 0x80000000);
  return result;
}

/// Instructions with two sources, in registers or as an immediate.
const struct Binary {
  const char *mnemonic;
  Word (*expected)(Word x, Word y);
} kBinary[] = {
    {"add", [](Word x, Word y) { return static_cast<Word>(std::uint64_t{x} + y); }},
    {"mul", [](Word x, Word y) { return static_cast<Word>(std::uint64_t{x} * y); }},
    {"max", [](Word x, Word y) { return signedOf(x) > signedOf(y) ? x : y; }},
    {"min", [](Word x, Word y) { return signedOf(x) < signedOf(y) ? x : y; }},
    {"cmpeq", [](Word x, Word y) { return Word{x == y}; }},
    {"cmpne", [](Word x, Word y) { return Word{x != y}; }},
    {"cmpslt", [](Word x, Word y) { return Word{signedOf(x) < signedOf(y)}; }},
    {"cmpult", [](Word x, Word y) { return Word{x < y}; }},
    {"and", [](Word x, Word y) { return x & y; }},
    {"andc", [](Word x, Word y) { return x & ~y; }},
    {"or", [](Word x, Word y) { return x | y; }},
    {"xor", [](Word x, Word y) { return x ^ y; }},
    {"xnor", [](Word x, Word y) { return ~(x ^ y); }},
    {"shl", [](Word x, Word y) { return static_cast<Word>(std::uint64_t{x} << y % 32); }},
    {"shr", [](Word x, Word y) { return x >> y % 32; }},
    {"shrs", shiftedArithmetically},
    {"roll8r",
     [](Word x, Word y) { return fromBytes(byte(x, 1), byte(x, 2), byte(x, 3), byte(y, 0)); }},
    {"roll8l",
     [](Word x, Word y) { return fromBytes(byte(x, 3), byte(y, 0), byte(y, 1), byte(y, 2)); }},
    {"roll16", [](Word x, Word y) { return fromHalves(high16(x), low16(y)); }},
    {"shuf8x8lo",
     [](Word x, Word y) { return fromBytes(byte(x, 0), byte(y, 0), byte(x, 1), byte(y, 1)); }},
    {"shuf8x8hi",
     [](Word x, Word y) { return fromBytes(byte(x, 2), byte(y, 2), byte(x, 3), byte(y, 3)); }},
    {"sort8x8lo",
     [](Word x, Word y) { return fromBytes(byte(x, 0), byte(x, 2), byte(y, 0), byte(y, 2)); }},
    {"sort8x8hi",
     [](Word x, Word y) { return fromBytes(byte(x, 1), byte(x, 3), byte(y, 1), byte(y, 3)); }},
    {"sort4x16lo", [](Word x, Word y) { return fromHalves(low16(x), low16(y)); }},
    {"sort4x16hi", [](Word x, Word y) { return fromHalves(high16(x), high16(y)); }},
};

/// The limits of the immediates that a mnemonic's forms can hold.
const struct WithImmediate {
  const char *mnemonic;
  std::vector<std::int64_t> immediates;
} kImmediates[] = {
    {"add", {0, 1, -1, 0x7FFF, -0x8000, 0x8000, 0xFFFF}},
    {"adds", {5, -0x8000}},
    {"addz", {5, 0xFFFF}},
    {"mul", {0, 1, -1, 0x7FFF, -0x8000, 3}},
    {"max", {0, -1, 0x7FFF, -0x8000, 0xFFFF}},
    {"min", {0, -1, 0x7FFF, -0x8000, 0xFFFF}},
    {"cmpeq", {0, -1, 0x7FFF, -0x8000, 0xFFFF}},
    {"cmpslt", {0, -1, 0x7FFF, -0x8000}},
    {"cmpult", {0, 1, 0x7FFF, 0xFFFF}},
    {"and", {0, 1, 0xFFF}},
    {"andc", {0, 1, 0xFFF}},
    {"or", {0, 1, 0xFFF, 0x100000, 0xFFF00000, 0x7FF00000}},
    {"shl", {0, 1, 31}},
    {"shr", {0, 1, 31}},
    {"shrs", {0, 1, 31}},
};

std::string mnemonicWithoutExtension(const std::string &name) {
  return name == "adds" || name == "addz" ? "add" : name;
}

const Binary &binaryOf(const std::string &mnemonic) {
  for (const Binary &b : kBinary)
    if (mnemonic == b.mnemonic)
      return b;
  throw std::out_of_range(mnemonic);
}

std::vector<InstructionLoop::Operands> mainOperands(std::size_t count) {
  OperandSource source;
  std::vector<InstructionLoop::Operands> all(count);
  for (auto &o : all)
    o = {source.word(), source.word() % 4 == 0 ? o[0] : source.single(), source.word(),
         source.word()};
  constexpr Word kEnds[] = {0, 1, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x8000};
  for (unsigned i = 0; i < 64; ++i)
    all[i] = {kEnds[i / 8], kEnds[i % 8], kEnds[i % 3], 7};
  return all;
}

const std::size_t kMany = test::operandsOf(1'000'000);
constexpr std::size_t kSome = 4096;

void expectMain(const std::string &instruction, std::span<const InstructionLoop::Operands> all,
                const std::function<Word(const InstructionLoop::Operands &)> &expected) {
  SCOPED_TRACE(instruction);
  InstructionLoop loop(instruction, false);
  loop.run(all, [&](const auto &in, const auto &out) {
    ASSERT_EQ(out.first, expected(in)) << std::hex << in[0] << " " << in[1];
  });
}

TEST(IntegerTable, ComputesOnTwoRegisters) {
  const auto operands = mainOperands(kMany);
  for (const Binary &b : kBinary) {
    expectMain(std::string(b.mnemonic) + " $m4, $m0, $m1", operands,
               [&](const auto &in) { return b.expected(in[0], in[1]); });
    ASSERT_FALSE(HasFatalFailure());
  }
  expectMain("sub $m4, $m0, $m1", operands, [](const auto &in) {
    return static_cast<Word>(in[0] + (std::uint64_t{1} << 32) - in[1]);
  });
}

TEST(IntegerTable, ComputesOnARegisterAndAnImmediate) {
  const auto operands = mainOperands(kSome);
  for (const WithImmediate &row : kImmediates)
    for (const std::int64_t immediate : row.immediates) {
      const Binary &b = binaryOf(mnemonicWithoutExtension(row.mnemonic));
      expectMain(std::string(row.mnemonic) + " $m4, $m0, " + std::to_string(immediate), operands,
                 [&](const auto &in) { return b.expected(in[0], static_cast<Word>(immediate)); });
      ASSERT_FALSE(HasFatalFailure());
    }
  for (const int immediate : {0, 18, -1, -0x8000, 0x7FFF, 0xFFFF})
    expectMain("sub $m4, " + std::to_string(immediate) + ", $m0", operands,
               [&](const auto &in) { return static_cast<Word>(immediate) - in[0]; });
}

TEST(IntegerTable, ComputesOnOneRegister) {
  const struct {
    const char *mnemonic;
    Word (*expected)(Word);
  } cases[] = {
      {"abs", [](Word x) { return x == 0x80000000   ? 0
                                  : signedOf(x) < 0 ? 0 - x
                                                    : x; }},
      {"clz", [](Word x) { return leadingEqualTo(x, 0, 32); }},
      {"cms", [](Word x) { return leadingEqualTo(x, x >> 31, 31); }},
      {"popc", onesIn},
      {"bitrev8",
       [](Word x) { return mapped(x, [](unsigned i) { return i / 8 * 8 + 7 - i % 8; }); }},
      {"swap8", [](Word x) { return fromBytes(byte(x, 1), byte(x, 0), byte(x, 3), byte(x, 2)); }},
      {"sort8", [](Word x) { return fromBytes(byte(x, 0), byte(x, 2), byte(x, 1), byte(x, 3)); }},
  };
  auto operands = mainOperands(kMany / 4);
  for (unsigned i = 0; i < 32; ++i) {
    operands[i][0] = 1U << i;
    operands[32 + i][0] = ~(1U << i);
  }
  for (const auto &c : cases) {
    expectMain(std::string(c.mnemonic) + " $m4, $m0", operands,
               [&](const auto &in) { return c.expected(in[0]); });
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(IntegerTable, MovesAndPacksAddresses) {
  auto operands = mainOperands(kMany / 4);
  for (std::size_t i = 0; i < operands.size(); i += 2)
    operands[i][0] = 0;
  expectMain("movz $m4, $m0, $m1", operands,
             [](const auto &in) { return in[0] != 0 ? in[1] : in[3]; });
  for (const Word value : {0U, 1U, 0xFFFFFU, 0x4C000U})
    expectMain("setzi $m4, " + std::to_string(value), std::span(operands).first(8),
               [&](const auto &) { return value; });
  InstructionLoop pack("tapack $m4:5, $m0, $m1, $m2", false);
  pack.run(operands, [](const auto &in, const auto &out) {
    constexpr Word k21 = 0x1FFFFF;
    ASSERT_EQ(out.first, (in[0] & k21) | (in[2] & 0x7FF) << 21);
    ASSERT_EQ(out.second, (in[1] & k21) | (in[2] >> 11 & 0x3FF) << 21);
  });
  test::TestTile tile;
  tile.assemble(".worker\natom $m4, $a3\nexitz $mzero\n");
  for (const auto &in : std::span(operands).first(kSome)) {
    tile.setA(3, in[1]);
    ASSERT_EQ(tile.run().fault, nullptr);
    ASSERT_EQ(tile.m(4), in[1]);
  }
}

// Tests the aux lane.

TEST(IntegerTable, ComputesAuxLogicAndPermutations) {
  const struct {
    const char *mnemonic;
    Word (*expected)(Word, Word);
  } binary[] = {
      {"and", binaryOf("and").expected},
      {"andc", binaryOf("andc").expected},
      {"or", binaryOf("or").expected},
      {"roll16", binaryOf("roll16").expected},
      {"roll8l", binaryOf("roll8l").expected},
      {"roll8r", binaryOf("roll8r").expected},
      {"shuf8x8lo", binaryOf("shuf8x8lo").expected},
      {"shuf8x8hi", binaryOf("shuf8x8hi").expected},
      {"sort8x8lo", binaryOf("sort8x8lo").expected},
      {"sort8x8hi", binaryOf("sort8x8hi").expected},
      {"sort4x16lo", binaryOf("sort4x16lo").expected},
      {"sort4x16hi", binaryOf("sort4x16hi").expected},
  };
  const auto operands = mainOperands(kMany / 4);
  const auto expectAux = [&](const std::string &instruction, auto expected) {
    SCOPED_TRACE(instruction);
    InstructionLoop loop(instruction, true);
    loop.run(operands, [&](const auto &in, const auto &out) {
      ASSERT_EQ(out.first, expected(in)) << std::hex << in[0] << " " << in[1];
      ASSERT_EQ(out.status, 0U);
    });
  };
  for (const auto &b : binary) {
    expectAux(std::string(b.mnemonic) + " $a4, $a0, $a1",
              [&](const auto &in) { return b.expected(in[0], in[1]); });
    ASSERT_FALSE(HasFatalFailure());
  }
  expectAux("sort4x16lo $a4, $a0:BU, $a1",
            [](const auto &in) { return fromHalves(high16(in[0]), low16(in[1])); });
  expectAux("sort4x16hi $a4, $a0:BL, $a1",
            [](const auto &in) { return fromHalves(low16(in[0]), high16(in[1])); });
  expectAux("not $a4, $a0", [](const auto &in) { return ~in[0]; });
  expectAux("sort8 $a4, $a0", [](const auto &in) {
    return fromBytes(byte(in[0], 0), byte(in[0], 2), byte(in[0], 1), byte(in[0], 3));
  });
  expectAux("swap8 $a4, $a0", [](const auto &in) {
    return fromBytes(byte(in[0], 1), byte(in[0], 0), byte(in[0], 3), byte(in[0], 2));
  });
  for (const Word imm : {0U, 1U, 0xFFFU, 0x100000U, 0xFFF00000U}) {
    const std::string text = std::to_string(imm);
    expectAux("and $a4, $a0, " + text, [&](const auto &in) { return in[0] & imm; });
    expectAux("or $a4, $a0, " + text, [&](const auto &in) { return in[0] | imm; });
    expectAux("andc $a4, $a0, " + text, [&](const auto &in) { return in[0] & ~imm; });
  }
  for (const Word imm : {0U, 0xFFFFFU})
    expectAux("setzi $a4, " + std::to_string(imm), [&](const auto &) { return imm; });
}

TEST(IntegerTable, ComputesOnAuxPairs) {
  using Pair = std::array<Word, 2>;
  const struct {
    const char *instruction;
    Pair (*expected)(const InstructionLoop::Operands &);
  } cases[] = {
      {"and64 $a4:5, $a0:1, $a2:3",
       [](const auto &i) {
         return Pair{i[0] & i[2], i[1] & i[3]};
       }},
      {"andc64 $a4:5, $a0:1, $a2:3",
       [](const auto &i) {
         return Pair{i[0] & ~i[2], i[1] & ~i[3]};
       }},
      {"or64 $a4:5, $a0:1, $a2:3",
       [](const auto &i) {
         return Pair{i[0] | i[2], i[1] | i[3]};
       }},
      {"not64 $a4:5, $a0:1",
       [](const auto &i) {
         return Pair{~i[0], ~i[1]};
       }},
      {"roll32 $a4:5, $a0:1, $a2:3",
       [](const auto &i) {
         return Pair{i[1], i[2]};
       }},
      {"sort4x32lo $a4:5, $a0:1, $a2:3",
       [](const auto &i) {
         return Pair{i[0], i[2]};
       }},
      {"sort4x32hi $a4:5, $a0:1, $a2:3",
       [](const auto &i) {
         return Pair{i[1], i[3]};
       }},
  };
  const auto operands = mainOperands(kMany / 4);
  for (const auto &c : cases) {
    SCOPED_TRACE(c.instruction);
    InstructionLoop loop(c.instruction, true);
    loop.run(operands, [&](const auto &in, const auto &out) {
      ASSERT_EQ((Pair{out.first, out.second}), c.expected(in));
    });
    ASSERT_FALSE(HasFatalFailure());
  }
}

} // namespace
} // namespace copse::ipud
