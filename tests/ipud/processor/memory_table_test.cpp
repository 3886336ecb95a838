#include "instruction_loop.hpp"

namespace copse::ipud {
namespace {

using isa::Exception;
using test::TestTile;
using Word = std::uint32_t;

/// A tile whose memory holds random bytes, and the results that loads should have.
class Memory : public ::testing::Test {
protected:
  static constexpr Word kPlain = 0x58000, kInterleaved = 0x90000, kBytes = 0x4000;

  Memory() {
    for (const Word region : {kPlain, kInterleaved})
      for (Word i = 0; i < kBytes; i += 4)
        tile.words(region + i, {word()});
  }

  Word word() { return static_cast<Word>(random_()); }
  /// Returns an aligned address around the middle of a region.
  Word address(unsigned align, bool interleaved = false) {
    return (interleaved ? kInterleaved : kPlain) + 0x1000 + word() % 0x1000 / align * align;
  }
  std::uint64_t at(Word address, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= std::uint64_t{std::to_integer<unsigned>(tile.base()[address + i])} << (8 * i);
    return value;
  }
  void assemble(const std::string &instruction) {
    tile.assemble(".worker\n" + instruction + "\nexitz $mzero\n");
  }
  void run() { ASSERT_EQ(tile.run().fault, nullptr); }
  std::uint64_t aux(unsigned first) {
    return std::uint64_t{tile.a(first + 1)} << 32 | tile.a(first);
  }

  TestTile tile{isa::Architecture::Ipu21};

private:
  std::mt19937 random_{test::kTableSeed};
};

constexpr int kTurns = 3000;

/// The result of a load for the bytes, one line for each of its destinations' first words.
const struct Load {
  const char *name;
  const char *destination;
  unsigned bytes;
  Word (*expected)(std::uint64_t bytes); ///< value of the first word
} kLoads[] = {
    {"ld32", "$m4", 4, [](std::uint64_t x) { return static_cast<Word>(x); }},
    {"ld32", "$a4", 4, [](std::uint64_t x) { return static_cast<Word>(x); }},
    {"ld64", "$a4:5", 8, [](std::uint64_t x) { return static_cast<Word>(x); }},
    {"ld128", "$a4:7", 16, [](std::uint64_t x) { return static_cast<Word>(x); }},
    {"ldz16", "$m4", 2, [](std::uint64_t x) { return static_cast<Word>(x); }},
    {"lds16", "$m4", 2,
     [](std::uint64_t x) { return static_cast<Word>(x < 0x8000 ? x : x - 0x10000); }},
    {"ldz8", "$m4", 1, [](std::uint64_t x) { return static_cast<Word>(x); }},
    {"lds8", "$m4", 1, [](std::uint64_t x) { return static_cast<Word>(x < 0x80 ? x : x - 0x100); }},
    {"ldb16", "$a4", 2, [](std::uint64_t x) { return static_cast<Word>(x + (x << 16)); }},
    {"ldb8", "$a4", 1,
     [](std::uint64_t x) { return static_cast<Word>(x + (x << 8) + (x << 16) + (x << 24)); }},
};

TEST_F(Memory, IsReadByEveryLoad) {
  for (const Load &load : kLoads)
    for (const bool hasImmediate : {true, false}) {
      const Word imm = hasImmediate ? word() % 64 : 0;
      const std::string text = std::string(load.name) + " " + load.destination + ", $m0, $m1, " +
                               (hasImmediate ? std::to_string(imm) : "$m2");
      SCOPED_TRACE(text);
      assemble(text);
      for (int turn = 0; turn < kTurns; ++turn) {
        const Word target = address(load.bytes, load.bytes == 16), delta = word();
        const Word offset = hasImmediate ? imm : word();
        tile.setM(0, target - delta - load.bytes * offset); // sums wrap
        tile.setM(1, delta);
        tile.setM(2, offset);
        run();
        const Word got = load.destination[1] == 'm' ? tile.m(4) : tile.a(4);
        ASSERT_EQ(got, load.expected(at(target, std::min(load.bytes, 8U))));
        for (unsigned i = 4; i < load.bytes; i += 4)
          ASSERT_EQ(tile.a(4 + i / 4), at(target + i, 4));
      }
    }
}

TEST_F(Memory, IsReadByEveryStep) {
  for (const Load &load : kLoads)
    for (const int stride : {-128, -1, 0, 1, 127, 1000}) {
      const bool hasImmediate = stride != 1000;
      const std::string text = std::string(load.name) + "step " + load.destination +
                               ", $m0, $m1+=, " + (hasImmediate ? std::to_string(stride) : "$m2");
      SCOPED_TRACE(text);
      assemble(text);
      for (int turn = 0; turn < kTurns / 8; ++turn) {
        const Word target = address(load.bytes, load.bytes == 16), delta = word();
        const Word steps = hasImmediate ? static_cast<Word>(stride) : word();
        tile.setM(0, target - delta);
        tile.setM(1, delta);
        tile.setM(2, steps);
        run();
        const Word got = load.destination[1] == 'm' ? tile.m(4) : tile.a(4);
        ASSERT_EQ(got, load.expected(at(target, std::min(load.bytes, 8U))));
        for (unsigned i = 4; i < load.bytes; i += 4)
          ASSERT_EQ(tile.a(4 + i / 4), at(target + i, 4));
        ASSERT_EQ(tile.m(1), delta + load.bytes * steps);
      }
    }
}

TEST_F(Memory, IsWrittenByEveryStore) {
  const struct {
    const char *text;
    unsigned bytes;
    bool fromAux;
    Word (*offset)(Word m2); ///< added to the bases [units]
    bool steps;
  } cases[] = {
      {"st32 $m4, $m0, $m1, 37", 4, false, [](Word) { return Word{37}; }, false},
      {"st32 $a4, $m0, $m1, 4095", 4, true, [](Word) { return Word{4095}; }, false},
      {"st32 $a4, $m0, $m1, $m2", 4, true, [](Word m2) { return m2; }, false},
      {"st64 $a4:5, $m0, $m1, 0", 8, true, [](Word) { return Word{0}; }, false},
      {"st64 $a4:5, $m0, $m1, $m2", 8, true, [](Word m2) { return m2; }, false},
      {"st32step $m4, $m0, $m1+=, -128", 4, false, [](Word) { return Word(-128); }, true},
      {"st32step $a4, $m0, $m1+=, 127", 4, true, [](Word) { return Word{127}; }, true},
      {"st32step $a4, $m0, $m1+=, $m2", 4, true, [](Word m2) { return m2; }, true},
      {"st64step $a4:5, $m0, $m1+=, -1", 8, true, [](Word) { return Word(-1); }, true},
      {"st64step $a4:5, $m0, $m1+=, $m2", 8, true, [](Word m2) { return m2; }, true},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.text);
    assemble(c.text);
    for (int turn = 0; turn < kTurns; ++turn) {
      const Word target = address(c.bytes), delta = word(), m2 = word();
      const Word offset = c.bytes * c.offset(m2);
      tile.setM(0, target - delta - (c.steps ? 0 : offset));
      tile.setM(1, delta);
      tile.setM(2, m2);
      const Word lo = word(), hi = word();
      c.fromAux ? tile.setA(4, lo) : tile.setM(4, lo);
      tile.setA(5, hi);
      const std::uint64_t before = at(target - 8, 8);
      const std::uint64_t after = at(target + c.bytes, 8);
      run();
      ASSERT_EQ(at(target, 4), lo);
      if (c.bytes == 8) {
        ASSERT_EQ(at(target + 4, 4), hi);
      }
      ASSERT_EQ(at(target - 8, 8), before);
      ASSERT_EQ(at(target + c.bytes, 8), after);
      ASSERT_EQ(tile.m(1), c.steps ? delta + offset : delta);
    }
  }
}

TEST_F(Memory, IsWrittenFromMainRegistersByRegisterOffsets) {
  for (const bool steps : {false, true}) {
    assemble(steps ? "stm32step $m4, $m0+=, $m2" : "stm32 $m4, $m0, $m2");
    for (int turn = 0; turn < kTurns; ++turn) {
      const Word target = address(4), m2 = word(), value = word();
      tile.setM(0, steps ? target : target - 4 * m2);
      tile.setM(2, m2);
      tile.setM(4, value);
      run();
      ASSERT_EQ(at(target, 4), value);
      ASSERT_EQ(tile.m(0), steps ? target + 4 * m2 : target - 4 * m2);
    }
  }
}

/// Three addresses of 21 bits in a pair of registers.
struct Packed {
  Word a0, a1, a2;
  Word low() const { return (a2 & 0x7FF) << 21 | a0; }
  Word high() const { return (a2 >> 11) << 21 | a1; }
};
/// Returns the amount that a selector adds to an address, in units.
Word stepOf(Word strides, Word selector) {
  if (selector == 0)
    return 1;
  const Word field = strides >> (10 * (selector - 1)) & 0x3FF;
  return field < 512 ? field : field - 1024;
}
Word moved(Word address, Word strides, Word selector, Word unit) {
  return (address + unit * stepOf(strides, selector & 3)) & 0x1FFFFF;
}

/// Loads, or loads and stores, of two and three addresses. The regions keep them apart.
TEST_F(Memory, IsPacedThroughByEveryForm) {
  const struct {
    const char *text;
    unsigned selectors, bytes1; ///< bytes at the second address
    bool loads0, loads1, stores2;
  } cases[] = {
      {"ld2x64pace $a0:1, $a2:3, $m4:5+=, $m6, ", 4, 8, true, true, false},
      {"ld64a32pace $a0:1, $a2, $m4:5+=, $m6, ", 4, 4, true, true, false},
      {"ld64b16pace $a0:1, $a2, $m4:5+=, $m6, ", 4, 2, true, true, false},
      {"ldst64pace $a0:1, $a6:7, $m4:5+=, $m6, ", 4, 8, true, false, true},
      {"ld2xst64pace $a0:3, $a6:7, $m4:5+=, $m6, ", 6, 8, true, true, true},
      {"st64pace $a6:7, $m4:5+=, $m6, ", 2, 8, false, false, true},
  };
  constexpr Word kStored = 0x60000; // another element than kPlain
  for (const auto &c : cases)
    for (Word selectors = 0; selectors < 1U << c.selectors; ++selectors) {
      const std::string text = c.text + std::to_string(selectors);
      SCOPED_TRACE(text);
      assemble(text);
      for (int turn = 0; turn < 24; ++turn) {
        const Packed p{address(8), address(c.bytes1, true), kStored + word() % 0x800 * 8};
        const Word strides = word(), lo = word(), hi = word();
        tile.setM(4, p.low());
        tile.setM(5, p.high());
        tile.setM(6, strides);
        tile.setA(6, lo);
        tile.setA(7, hi);
        const std::uint64_t first = at(p.a0, 8), second = at(p.a1, c.bytes1);
        run();
        if (c.loads0) {
          ASSERT_EQ(aux(0), first);
        }
        if (c.loads1) {
          const Word expected = static_cast<Word>(second) * (c.bytes1 == 2 ? 0x10001 : 1);
          ASSERT_EQ(tile.a(2), expected);
        }
        if (c.loads1 && c.bytes1 == 8) {
          ASSERT_EQ(tile.a(3), second >> 32);
        }
        if (c.stores2) {
          ASSERT_EQ(at(p.a2, 8), std::uint64_t{hi} << 32 | lo);
        }
        // The fields of the immediate count the addresses that take part.
        Packed after = p;
        Word field = selectors;
        if (c.loads0) {
          after.a0 = moved(p.a0, strides, field, 8);
          field >>= 2;
        }
        if (c.loads1) {
          after.a1 = moved(p.a1, strides, field, c.bytes1);
          field >>= 2;
        }
        if (c.stores2)
          after.a2 = moved(p.a2, strides, field, 8);
        ASSERT_EQ(tile.m(4), after.low());
        ASSERT_EQ(tile.m(5), after.high());
      }
    }
}

TEST_F(Memory, IsPacedThroughWithoutStrides) {
  assemble("ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0b0100");
  tile.setM(4, kPlain);
  tile.setM(5, kInterleaved);
  run();
  EXPECT_EQ(tile.m(4), kPlain + 8);
  EXPECT_EQ(tile.m(5), kInterleaved);
}

TEST_F(Memory, StoresTheOldValueOfARegisterThatItLoads) {
  assemble("ldst64pace $a0:1, $a0:1, $m4:5+=, $mzero, 0");
  const Packed p{kPlain, 0x12345, 0x60000};
  tile.setM(4, p.low());
  tile.setM(5, p.high());
  tile.setA(0, 11);
  tile.setA(1, 22);
  run();
  EXPECT_EQ(at(0x60000, 8), std::uint64_t{22} << 32 | 11);
  EXPECT_EQ(aux(0), at(kPlain, 8));
  EXPECT_EQ(tile.m(5) & 0x1FFFFF, 0x12345U); // takes no part
}

TEST_F(Memory, IsReadByDeltas) {
  const struct {
    const char *text;
    unsigned deltaBytes, bytes, shift;
    Word times;
  } cases[] = {
      {"ldd16a32 $a0, $m0++, $m1, $m2@", 2, 4, 0, 1},
      {"ldd16a64 $a0:1, $m0++, $m1, $m2@", 2, 8, 0, 1},
      {"ldd16b16 $a0, $m0++, $m1, $m2@", 2, 2, 0, 0x10001},
      {"ldd16v2a32 $a0, $m0++, $m1, $m2@", 4, 4, 16, 1},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.text);
    assemble(c.text);
    for (int turn = 0; turn < kTurns; ++turn) {
      const Word from = address(c.deltaBytes), data = address(c.bytes, true), deltas = word();
      tile.setM(0, from);
      tile.setM(1, data - (deltas >> c.shift & 0xFFFF));
      tile.setM(2, deltas);
      run();
      ASSERT_EQ(tile.a(0), static_cast<Word>(at(data, std::min(c.bytes, 4U))) * c.times);
      if (c.bytes == 8) {
        ASSERT_EQ(tile.a(1), at(data + 4, 4));
      }
      ASSERT_EQ(tile.m(0), from + c.deltaBytes);
      ASSERT_EQ(tile.m(2), at(from, c.deltaBytes));
    }
  }
}

TEST_F(Memory, IsReadByTwoDeltasWithMiniSteps) {
  assemble("ldb16b16 $a0:1, $m0, $m1++, $m2>>");
  for (int turn = 0; turn < kTurns; ++turn) {
    // The upper delta is in region 1, the lower one in region 0.
    const Word base = 0x80000 - 0x2000, mini = word();
    const Word upper = 0x8000 + word() % 0x7F00 / 2 * 2, lower = word() % 0x1F00 / 2 * 2;
    tile.setM(0, base);
    tile.setM(1, upper << 16 | lower);
    tile.setM(2, mini);
    run();
    ASSERT_EQ(tile.a(0), at(base + upper, 2) * 0x10001);
    ASSERT_EQ(tile.a(1), at(base + lower, 2) * 0x10001);
    ASSERT_EQ(tile.m(1), (upper + 2) << 16 | (lower + 2 * (mini % 16 + 1)));
    ASSERT_EQ(tile.m(2), mini / 16);
  }
}

TEST_F(Memory, DeltasStepWithoutACarry) {
  assemble("ldb16b16 $a0:1, $m0, $m1++, $m2>>");
  tile.setM(0, 0x80000 - 0xFFFE + 8);
  tile.setM(1, 0x0000FFFEU);
  tile.setM(2, 3);
  run();
  EXPECT_EQ(tile.m(1), 2U << 16 | 6U);
}

TEST_F(Memory, FillsThreeRegistersOfAQuad) {
  assemble("ld64a32 $a1:3, $m0++, $m1, $m2");
  for (int turn = 0; turn < kTurns; ++turn) {
    const Word from = address(8), data = address(4, true), delta = word();
    tile.setA(0, 77);
    tile.setM(0, from);
    tile.setM(1, data - (delta & 0xFFFF));
    tile.setM(2, delta);
    run();
    ASSERT_EQ(tile.a(0), 77U);
    ASSERT_EQ(tile.a(1), at(data, 4));
    ASSERT_EQ(aux(2), at(from, 8));
    ASSERT_EQ(tile.m(0), from + 8);
    ASSERT_EQ(tile.m(2), delta);
  }
}

TEST_F(Memory, DiscardsLoadsIntoZeroRegisters) {
  assemble("ld64step $azeros, $mzero, $m1+=, $m2\nld32step $mzero, $mzero, $m3+=, 6\n"
           "mov $a0:1, $azeros\nmov $m4, $mzero");
  tile.setM(1, kPlain);
  tile.setM(2, 5);
  tile.setM(3, kPlain);
  run();
  EXPECT_EQ(tile.m(1), kPlain + 40);
  EXPECT_EQ(tile.m(3), kPlain + 24);
  EXPECT_EQ(aux(0), 0U);
  EXPECT_EQ(tile.m(4), 0U);
}

// Tests faults of accesses, in the order in which the hardware checks them.

TEST_F(Memory, StoresInSpiteOfABadLoad) {
  const struct {
    const char *text;
    Packed at;
    bool stores;
  } cases[] = {
      {"ldst64pace $a0:1, $a6:7, $m4:5+=, $mzero, 0", {0x100, 0, 0x60000}, true},
      {"ldst64pace $a0:1, $a6:7, $m4:5+=, $mzero, 0", {kPlain + 4, 0, 0x60000}, true},
      {"ldst64pace $a0:1, $a6:7, $m4:5+=, $mzero, 0", {kPlain, 0, 0x60004}, false},
      {"ldst64pace $a0:1, $a6:7, $m4:5+=, $mzero, 0", {kPlain, 0, 0xE8000}, false},
      {"ld2xst64pace $a0:3, $a6:7, $m4:5+=, $mzero, 0", {0x54000, 0x58000, 0x60000}, true},
      {"ld2xst64pace $a0:3, $a6:7, $m4:5+=, $mzero, 0", {0x54000, 0x80000, 0x1FFFF8}, false},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.text);
    tile.words(0x60000, {1, 2, 3, 4});
    tile.setM(4, c.at.low());
    tile.setM(5, c.at.high());
    tile.setA(6, 77);
    tile.setA(7, 88);
    const auto result = tile.run(std::string(c.text));
    ASSERT_NE(result.fault, nullptr);
    EXPECT_EQ(result.fault->type, Exception::InvalidAddress);
    EXPECT_EQ(at(0x60000, 8), c.stores ? std::uint64_t{88} << 32 | 77 : std::uint64_t{2} << 32 | 1);
    EXPECT_EQ(at(0x60008, 8), std::uint64_t{4} << 32 | 3);
    EXPECT_EQ(tile.m(4), c.at.low());
    EXPECT_EQ(tile.m(5), c.at.high());
  }
}

struct AccessFault {
  const char *name, *text;
  Word m0, m1;
  Exception type;
};
const AccessFault kFaults[] = {
    {"Ld64Misaligned", "ld64 $a0:1, $m0, $mzero, 0", 0x58004, 0, Exception::InvalidAddress},
    {"Ld128Misaligned", "ld128 $a0:3, $m0, $mzero, 0", 0x90008, 0, Exception::InvalidAddress},
    {"BelowMemory", "ld32 $a0, $m0, $mzero, 0", 0x4BFFC, 0, Exception::InvalidAddress},
    {"AboveMemory", "ldz8 $m4, $m0, $mzero, 0", 0xE8000, 0, Exception::InvalidAddress},
    {"LastByte", "ldz8 $m4, $m0, $mzero, 0", 0xE7FFF, 0, Exception::None},
    {"HighBitsCount", "ld32 $m4, $m0, $mzero, 0", 0x258000, 0, Exception::InvalidAddress},
    {"Stm32Misaligned", "stm32 $m4, $m0, $mzero", 0x58002, 0, Exception::InvalidAddress},
    {"DeltaUnpopulated", "ldd16a32 $a0, $m0++, $m1, $mzero@", 0x58000, 0x100,
     Exception::InvalidAddress},
    {"DeltaClash", "ldd16a32 $a0, $m0++, $m1, $mzero@", 0x58000, 0x58100, Exception::Conflict},
    {"DeltaMisaligned", "ldd16a64 $a0:1, $m0++, $m1, $mzero@", 0x58000, 0x90004,
     Exception::InvalidAddress},
    {"SameWordClash", "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x90000, 0x90000,
     Exception::Conflict},
    {"MisalignedBeforeClash", "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x58000, 0x58004,
     Exception::InvalidAddress},
    {"HalvesClash", "ldb16b16 $a0:1, $m0, $m1++, $mzero>>", 0x58000, 0x00100020,
     Exception::Conflict},
    {"QuadLoadClash", "ld64a32 $a1:3, $m0++, $m1, $mzero", 0x58000, 0x58010, Exception::Conflict},
    {"AtAnElementsEnd", "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x57FF8, 0x58000,
     Exception::None},
    {"LoadFromCode", "ld32 $m4, $m0, $mzero, 0", 0x4C000, 0, Exception::Conflict},
    {"StoreIntoCodesElement", "st32 $m4, $m0, $mzero, 0", 0x4FFFC, 0, Exception::Conflict},
    {"BehindCodesElement", "st32 $m4, $m0, $mzero, 0", 0x50000, 0, Exception::None},
};
void PrintTo(const AccessFault &f, std::ostream *out) { *out << f.name; }

class AccessFaults : public ::testing::TestWithParam<AccessFault> {};
TEST_P(AccessFaults, HaveTheirType) {
  const auto &c = GetParam();
  TestTile t;
  t.setM(0, c.m0);
  t.setM(1, c.m1);
  t.setA(0, 5);
  const auto result = t.run(std::string(c.text));
  const auto type = result.fault ? result.fault->type : Exception::None;
  EXPECT_EQ(isa::nameOf(type), isa::nameOf(c.type));
  if (c.type != Exception::None) {
    EXPECT_EQ(t.m(0), c.m0); // no address has moved
    EXPECT_EQ(t.m(1), c.m1);
    EXPECT_EQ(t.a(0), 5U);
  }
}
INSTANTIATE_TEST_SUITE_P(Memory, AccessFaults, ::testing::ValuesIn(kFaults),
                         [](const auto &p) { return p.param.name; });

} // namespace
} // namespace copse::ipud
