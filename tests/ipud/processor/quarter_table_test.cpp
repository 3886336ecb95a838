#include "instruction_loop.hpp"
#include "quarter_model.hpp"

namespace copse::ipud {
namespace {

using model::Format;
using model::Outcome;
using test::halfOf;
using test::InstructionLoop;
using test::kNanoo;
using test::kStochastic;
using Word = std::uint32_t;
using Operands = InstructionLoop::Operands;

/// Both formats, with some scales, including the least and the greatest.
const struct Setting {
  const char *name;
  Format format;
  Word fpFormat; ///< $FP_NFMT
  int scale;
} kSettings[] = {
    {"F152", model::kQuarter152, 0, 0},         {"F143", model::kQuarter143, 2, 0},
    {"F152Up", model::kQuarter152, 0, 5},       {"F143Down", model::kQuarter143, 2, -3},
    {"F152Highest", model::kQuarter152, 0, 31}, {"F143Lowest", model::kQuarter143, 2, -32},
};

/// Returns every half at one of the eight positions.
std::vector<Operands> everyHalfSomewhere() {
  test::OperandSource source;
  std::vector<Operands> all(0x10000);
  for (Word h = 0; h < all.size(); ++h) {
    for (Word &word : all[h])
      word = source.half() | Word{source.half()} << 16;
    Word &word = all[h][h % 4];
    word = h % 8 < 4 ? (word & 0xFFFF0000) | h : (word & 0xFFFF) | h << 16;
  }
  return all;
}

void PrintTo(const Setting &s, std::ostream *out) { *out << s.name; }

class QuarterTable : public ::testing::TestWithParam<Setting> {
protected:
  void prepare(InstructionLoop &loop, Word control = 0) const {
    loop.tile.tile.initialControl = control;
    loop.tile.tile.initialFormat = GetParam().fpFormat;
    loop.tile.tile.initialScale = static_cast<Word>(GetParam().scale) & 63;
    loop.tile.tile.workers[0].prng = {11, 13};
  }
  double scaled(double x) const { return std::ldexp(x, GetParam().scale); }
};

TEST_P(QuarterTable, RoundsEveryHalf) {
  for (const Word control : {Word{0}, kNanoo, kStochastic}) {
    for (const unsigned count : {2U, 8U}) {
      SCOPED_TRACE(std::to_string(control) + " " + std::to_string(count));
      InstructionLoop loop(count == 2 ? "f16v2tof8 $a4, $a0" : "f16v8tof8 $a4:5, $a0:3", true);
      prepare(loop, control);
      model::Generator generator{11, 13};
      loop.run(everyHalfSomewhere(), [&](const Operands &in, const auto &out) {
        const auto draw = control == kStochastic ? generator.advance() : model::Generator::Draw{};
        std::uint64_t expected = 0;
        Word flags = 0;
        for (unsigned i = 0; i < count; ++i) {
          const Word h = halfOf(in, i);
          const double exact = scaled(model::valueOf16(h));
          const Format f = GetParam().format;
          const Outcome o = !model::isNumber16(h) ? model::errorResult8(h)
                            : control == kStochastic
                                ? model::stochasticQuarter(exact, f, draw, i)
                                : model::quarterOf(exact, f, control == kNanoo);
          expected |= o.bits << (8 * i);
          flags |= o.flags;
        }
        ASSERT_EQ(out.first, count == 2 ? expected * 0x10001 : expected & 0xFFFFFFFF)
            << std::hex << in[0] << " " << in[1];
        if (count == 8) {
          ASSERT_EQ(out.second, expected >> 32) << std::hex << in[2] << " " << in[3];
        }
        ASSERT_EQ(out.status, flags) << std::hex << in[0] << " " << in[1];
      });
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

TEST_P(QuarterTable, WidensEveryCode) {
  std::vector<Operands> all(256);
  for (Word code = 0; code < 256; ++code)
    all[code] = {code | (code ^ 0x55) << 8 | (255 - code) << 16 | (code * 7 & 0xFF) << 24, 0, 0, 0};
  for (const unsigned count : {2U, 4U}) {
    InstructionLoop loop(count == 2 ? "f8v2tof16 $a4, $a0" : "f8v4tof16 $a4:5, $a0", true);
    prepare(loop);
    loop.run(all, [&](const Operands &in, const auto &out) {
      std::uint64_t expected = 0;
      Word flags = 0;
      for (unsigned i = 0; i < count; ++i) {
        const Word code = in[0] >> (8 * i) & 0xFF;
        const Outcome o = code == model::kError8
                              ? Outcome{model::kNaN16, model::kInvalid}
                              : model::halfOf(scaled(model::valueOf8(code, GetParam().format)));
        expected |= o.bits << (16 * i);
        flags |= o.flags;
      }
      ASSERT_EQ(out.first, expected & 0xFFFFFFFF) << std::hex << in[0];
      if (count == 4) {
        ASSERT_EQ(out.second, expected >> 32) << std::hex << in[0];
      }
      ASSERT_EQ(out.status, flags) << std::hex << in[0];
    });
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST_P(QuarterTable, ClassifiesEveryCode) {
  std::vector<Operands> all(256);
  for (Word code = 0; code < 256; ++code)
    all[code] = {code | (255 - code) << 8, 0, 0, 0};
  InstructionLoop loop("f8v4class $a4, $a0", true);
  prepare(loop);
  const auto classOf = [](Word code) -> Word {
    const Format f = GetParam().format;
    if (code == model::kError8 || code == 0)
      return code == 0 ? 6 : 1;
    const double value = model::valueOf8(code, f);
    if (std::fabs(value) < std::ldexp(1, 1 - f.bias))
      return value < 0 ? 9 : 10;
    return value < 0 ? 4 : 7;
  };
  loop.run(all, [&](const Operands &in, const auto &out) {
    Word expected = 0;
    for (unsigned i = 0; i < 4; ++i)
      expected |= classOf(in[0] >> (8 * i) & 0xFF) << (8 * i);
    ASSERT_EQ(out.first, expected) << std::hex << in[0];
    ASSERT_EQ(out.status, 0U);
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, QuarterTable, ::testing::ValuesIn(kSettings),
                         [](const auto &p) { return std::string(p.param.name); });

TEST(QuarterControl, FormatOfWeightsBelongsToTheSupervisor) {
  test::TestTile t(isa::Architecture::Ipu21);
  t.tile.initialFormat = 1;
  ASSERT_EQ(t.run("setzi $a0, 2\nuput $FP_NFMT, $a0\nuget $a4, $FP_NFMT\n"
                  "setzi $a0, 0xFFF\nuput $FP_SCL, $a0\nuget $a5, $FP_SCL")
                .fault,
            nullptr);
  EXPECT_EQ(t.a(4), 3U);
  EXPECT_EQ(t.a(5), 0x3FU);
}

} // namespace
} // namespace copse::ipud
