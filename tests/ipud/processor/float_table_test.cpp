#include "instruction_loop.hpp"
#include "number_model.hpp"

#include <functional>

namespace copse::ipud {
namespace {

using model::Outcome;
using test::InstructionLoop;
using test::kNanoo;
using test::kStochastic;
using test::OperandSource;
using Word = std::uint32_t;
using Operands = InstructionLoop::Operands;

/// Computes one element of an instruction, of f32 or of halves.
using Element = Outcome (*)(Word, Word);

Outcome singles(Word x, Word y, double exact) { return model::singleResult(exact, {x, y}); }
double absolute(Word x) { return std::fabs(model::valueOf(x)); }

Outcome halves(Word x, Word y, double exact) {
  if (!model::isNumber16(x) || !model::isNumber16(y))
    return model::errorResult16({x, y});
  return model::halfOf(exact);
}

/// Returns true if x is less than y; -0 is less than +0.
template <class Value> bool isLess(Value value, Word x, Word y, Word sign) {
  return value(x) != value(y) ? value(x) < value(y) : (x & sign) > (y & sign);
}
Outcome chosen(Word x, Word y, bool larger) {
  if (model::isSignalling(x) || model::isSignalling(y))
    return {model::kNaN32, model::kInvalid};
  const auto flushed = [](Word w) { return (w & 0x7F800000) == 0 ? w & 0x80000000 : w; };
  if (model::isNaN(x) || model::isNaN(y))
    return {!model::isNaN(x) ? flushed(x) : !model::isNaN(y) ? flushed(y) : model::kNaN32, 0};
  return {flushed(isLess(model::valueOf, x, y, 0x80000000) == larger ? y : x), 0};
}
Outcome chosen16(Word x, Word y, bool larger) {
  if (model::isSignalling16(x) || model::isSignalling16(y))
    return {model::kNaN16, model::kInvalid};
  if (model::isNaN16(x) || model::isNaN16(y))
    return {!model::isNaN16(x) ? x : !model::isNaN16(y) ? y : model::kNaN16, 0};
  return {isLess(model::valueOf16, x, y, 0x8000) == larger ? y : x, 0};
}

Outcome compared(bool holds, bool hasNaN, bool whenNaN) {
  return {hasNaN ? (whenNaN ? ~0U : 0U) : (holds ? ~0U : 0U), hasNaN ? model::kInvalid : 0};
}
template <class Test> Outcome compared32(Word x, Word y, Test test, bool whenNaN = false) {
  return compared(test(model::valueOf(x), model::valueOf(y)), model::isNaN(x) || model::isNaN(y),
                  whenNaN);
}
template <class Test> Outcome compared16(Word x, Word y, Test test, bool whenNaN = false) {
  Outcome o = compared(test(model::valueOf16(x), model::valueOf16(y)),
                       model::isNaN16(x) || model::isNaN16(y), whenNaN);
  o.bits &= 0xFFFF;
  return o;
}

const struct Operation {
  const char *name;
  Element single, half;
  bool hasBroadcasts;
} kOperations[] = {
    {"add", [](Word x, Word y) { return singles(x, y, model::valueOf(x) + model::valueOf(y)); },
     [](Word x, Word y) { return halves(x, y, model::valueOf16(x) + model::valueOf16(y)); }, true},
    {"sub", [](Word x, Word y) { return singles(x, y, model::valueOf(x) - model::valueOf(y)); },
     [](Word x, Word y) { return halves(x, y, model::valueOf16(x) - model::valueOf16(y)); }, true},
    {"mul", [](Word x, Word y) { return singles(x, y, model::valueOf(x) * model::valueOf(y)); },
     [](Word x, Word y) { return halves(x, y, model::valueOf16(x) * model::valueOf16(y)); }, true},
    {"absadd", [](Word x, Word y) { return singles(x, y, absolute(x) + absolute(y)); },
     [](Word x, Word y) {
       return halves(x, y, std::fabs(model::valueOf16(x)) + std::fabs(model::valueOf16(y)));
     },
     false},
    {"max", [](Word x, Word y) { return chosen(x, y, true); },
     [](Word x, Word y) { return chosen16(x, y, true); }, false},
    {"min", [](Word x, Word y) { return chosen(x, y, false); },
     [](Word x, Word y) { return chosen16(x, y, false); }, false},
    {"absmax", [](Word x, Word y) { return chosen(x & 0x7FFFFFFF, y & 0x7FFFFFFF, true); },
     [](Word x, Word y) { return chosen16(x & 0x7FFF, y & 0x7FFF, true); }, false},
    {"cmpeq", [](Word x, Word y) { return compared32(x, y, std::equal_to<>()); },
     [](Word x, Word y) { return compared16(x, y, std::equal_to<>()); }, true},
    {"cmpne", [](Word x, Word y) { return compared32(x, y, std::not_equal_to<>(), true); },
     [](Word x, Word y) { return compared16(x, y, std::not_equal_to<>(), true); }, true},
    {"cmplt", [](Word x, Word y) { return compared32(x, y, std::less<>()); },
     [](Word x, Word y) { return compared16(x, y, std::less<>()); }, true},
    {"cmple", [](Word x, Word y) { return compared32(x, y, std::less_equal<>()); },
     [](Word x, Word y) { return compared16(x, y, std::less_equal<>()); }, true},
    {"cmpgt", [](Word x, Word y) { return compared32(x, y, std::greater<>()); },
     [](Word x, Word y) { return compared16(x, y, std::greater<>()); }, true},
    {"cmpge", [](Word x, Word y) { return compared32(x, y, std::greater_equal<>()); },
     [](Word x, Word y) { return compared16(x, y, std::greater_equal<>()); }, true},
};

Word halfOf(const Operands &in, unsigned first, unsigned i) {
  return in[first + i / 2] >> (16 * (i % 2)) & 0xFFFF;
}

/// A form of an element-wise instruction: which elements of its operands are combined.
const struct Shape {
  const char *prefix, *operands;
  unsigned elements; ///< number of elements of \p bits each
  unsigned bits;
  bool broadcasts;
  Word (*x)(const Operands &, unsigned);
  Word (*y)(const Operands &, unsigned);
} kShapes[] = {
    {"f32", "$a4, $a0, $a1", 1, 32, false, [](const auto &in, unsigned) { return in[0]; },
     [](const auto &in, unsigned) { return in[1]; }},
    {"f32v2", "$a4:5, $a0:1, $a2:3", 2, 32, false, [](const auto &in, unsigned i) { return in[i]; },
     [](const auto &in, unsigned i) { return in[2 + i]; }},
    {"f32v2", "$a4:5, $a1:B, $a2:3", 2, 32, true, [](const auto &in, unsigned) { return in[1]; },
     [](const auto &in, unsigned i) { return in[2 + i]; }},
    {"f32v2", "$a4:5, $a1:BL, $a2:3", 2, 32, true, [](const auto &in, unsigned) { return in[1]; },
     [](const auto &in, unsigned i) { return in[2 + i]; }},
    {"f16v2", "$a4, $a0, $a1", 2, 16, false,
     [](const auto &in, unsigned i) { return halfOf(in, 0, i); },
     [](const auto &in, unsigned i) { return halfOf(in, 1, i); }},
    {"f16v2", "$a4, $a0:BL, $a1", 2, 16, true,
     [](const auto &in, unsigned) { return halfOf(in, 0, 0); },
     [](const auto &in, unsigned i) { return halfOf(in, 1, i); }},
    {"f16v2", "$a4, $a0:BU, $a1", 2, 16, true,
     [](const auto &in, unsigned) { return halfOf(in, 0, 1); },
     [](const auto &in, unsigned i) { return halfOf(in, 1, i); }},
    {"f16v4", "$a4:5, $a0:1, $a2:3", 4, 16, false,
     [](const auto &in, unsigned i) { return halfOf(in, 0, i); },
     [](const auto &in, unsigned i) { return halfOf(in, 2, i); }},
    {"f16v4", "$a4:5, $a1:BL, $a2:3", 4, 16, true,
     [](const auto &in, unsigned) { return halfOf(in, 1, 0); },
     [](const auto &in, unsigned i) { return halfOf(in, 2, i); }},
    {"f16v4", "$a4:5, $a1:B, $a2:3", 4, 16, true,
     [](const auto &in, unsigned) { return halfOf(in, 1, 0); },
     [](const auto &in, unsigned i) { return halfOf(in, 2, i); }},
    {"f16v4", "$a4:5, $a1:BU, $a2:3", 4, 16, true,
     [](const auto &in, unsigned) { return halfOf(in, 1, 1); },
     [](const auto &in, unsigned i) { return halfOf(in, 2, i); }},
};

/// Returns 10^6 pairs of numbers, or fewer; of halves, every one at each position of the first
/// source.
std::vector<Operands> operandsFor(const Shape &shape) {
  OperandSource source;
  if (shape.bits == 32) {
    std::vector<Operands> all(test::operandsOf(1'000'000) / shape.elements);
    for (auto &o : all)
      o = {source.single(), source.single(), source.single(), source.single()};
    return all;
  }
  const auto word = [&](Word h) {
    return source.word() % 2 == 0 ? h | Word{source.half()} << 16 : h << 16 | source.half();
  };
  std::vector<Operands> all(3 * 0x10000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto h = static_cast<Word>(i & 0xFFFF);
    all[i] = {word(h), word(h), source.half() | Word{source.half()} << 16,
              source.half() | Word{source.half()} << 16};
  }
  return all;
}

void expectElementwise(const Operation &operation, const Shape &shape,
                       std::span<const Operands> operands) {
  const std::string text = std::string(shape.prefix) + operation.name + " " + shape.operands;
  SCOPED_TRACE(text);
  InstructionLoop loop(text, true);
  const Element element = shape.bits == 32 ? operation.single : operation.half;
  const std::uint64_t mask = shape.elements * shape.bits == 64 ? ~std::uint64_t{0} : 0xFFFFFFFF;
  loop.run(operands, [&](const Operands &in, const auto &out) {
    std::uint64_t expected = 0;
    Word flags = 0;
    for (unsigned i = 0; i < shape.elements; ++i) {
      const Outcome o = element(shape.x(in, i), shape.y(in, i));
      expected |= o.bits << (shape.bits * i);
      flags |= o.flags;
    }
    ASSERT_EQ(out.both() & mask, expected)
        << std::hex << in[0] << " " << in[1] << " " << in[2] << " " << in[3];
    ASSERT_EQ(out.status, flags) << std::hex << in[0] << " " << in[1] << " " << in[2] << " "
                                 << in[3];
  });
}

void PrintTo(const Operation &o, std::ostream *out) { *out << o.name; }

class ElementwiseTable : public ::testing::TestWithParam<Operation> {};
TEST_P(ElementwiseTable, AgreesWithTheDefinition) {
  for (const Shape &shape : kShapes) {
    if (shape.broadcasts && !GetParam().hasBroadcasts)
      continue;
    expectElementwise(GetParam(), shape, operandsFor(shape));
    ASSERT_FALSE(HasFatalFailure());
  }
}
INSTANTIATE_TEST_SUITE_P(Float, ElementwiseTable, ::testing::ValuesIn(kOperations),
                         [](const auto &p) { return std::string(p.param.name); });

// Clamps a value: limits are a pair, or two halves of one register.

Outcome clamped(Word x, Word low, Word high) {
  const bool invalid =
      model::isSignalling(x) || model::isSignalling(low) || model::isSignalling(high);
  if (model::isNaN(x) || model::isNaN(low) || model::isNaN(high))
    return {model::kNaN32, invalid ? model::kInvalid : 0};
  return isLess(model::valueOf, high, x, 0x80000000) ? chosen(high, high, true)
                                                     : chosen(x, low, true);
}
Outcome clamped16(Word x, Word low, Word high) {
  const bool invalid =
      model::isSignalling16(x) || model::isSignalling16(low) || model::isSignalling16(high);
  if (model::isNaN16(x) || model::isNaN16(low) || model::isNaN16(high))
    return {model::kNaN16, invalid ? model::kInvalid : 0};
  return isLess(model::valueOf16, high, x, 0x8000) ? Outcome{high, 0} : chosen16(x, low, true);
}

TEST(FloatTable, ClampsBetweenLimits) {
  const struct {
    const char *text;
    unsigned elements, bits;
  } cases[] = {{"f32clamp $a4, $a0, $a2:3", 1, 32},
               {"f32v2clamp $a4:5, $a0:1, $a2:3", 2, 32},
               {"f16v2clamp $a4, $a0, $a2", 2, 16},
               {"f16v4clamp $a4:5, $a0:1, $a2", 4, 16}};
  for (const auto &c : cases) {
    SCOPED_TRACE(c.text);
    InstructionLoop loop(c.text, true);
    loop.run(operandsFor(c.bits == 32 ? kShapes[0] : kShapes[6]), [&](const Operands &in,
                                                                      const auto &out) {
      std::uint64_t expected = 0;
      Word flags = 0;
      for (unsigned i = 0; i < c.elements; ++i) {
        const Outcome o = c.bits == 32
                              ? clamped(in[i], in[2], in[3])
                              : clamped16(halfOf(in, 0, i), halfOf(in, 2, 0), halfOf(in, 2, 1));
        expected |= o.bits << (c.bits * i);
        flags |= o.flags;
      }
      const std::uint64_t mask = c.elements * c.bits == 64 ? ~std::uint64_t{0} : 0xFFFFFFFF;
      ASSERT_EQ(out.both() & mask, expected) << std::hex << in[0] << " " << in[2];
      ASSERT_EQ(out.status, flags) << std::hex << in[0] << " " << in[2];
    });
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(FloatTable, DividesWithAllItsFlags) {
  InstructionLoop loop("f32div $a4, $a0, $a1", true);
  loop.run(operandsFor(kShapes[0]), [](const Operands &in, const auto &out) {
    const double x = model::valueOf(in[0]), y = model::valueOf(in[1]);
    Outcome expected = singles(in[0], in[1], x / y);
    if (y == 0 && std::isfinite(x) && x != 0)
      expected = {singles(in[0], in[1], x / y).bits, model::kDivideByZero};
    ASSERT_EQ(out.first, expected.bits) << std::hex << in[0] << " " << in[1];
    ASSERT_EQ(out.status, expected.flags) << std::hex << in[0] << " " << in[1];
  });
}

// Tests $FP_CTL: NaN on overflow, and stochastic rounding.

TEST(FloatTable, HalvesOverflowToNaNIfEnabled) {
  for (const char *name : {"add", "sub", "mul", "absadd"}) {
    const std::string text = std::string("f16v4") + name + " $a4:5, $a0:1, $a2:3";
    SCOPED_TRACE(text);
    const Operation *const operation =
        std::find_if(std::begin(kOperations), std::end(kOperations),
                     [&](const Operation &o) { return o.name == std::string(name); });
    InstructionLoop loop(text, true);
    loop.tile.tile.initialControl = kNanoo;
    loop.run(operandsFor(kShapes[6]), [&](const Operands &in, const auto &out) {
      std::uint64_t expected = 0;
      Word flags = 0;
      for (unsigned i = 0; i < 4; ++i) {
        Outcome o = operation->half(halfOf(in, 0, i), halfOf(in, 2, i));
        if ((o.flags & model::kOverflow) != 0)
          o = {model::kNaN16, model::kOverflow | model::kInvalid};
        expected |= o.bits << (16 * i);
        flags |= o.flags;
      }
      ASSERT_EQ(out.both(), expected) << std::hex << in[0] << " " << in[2];
      ASSERT_EQ(out.status, flags) << std::hex << in[0] << " " << in[2];
    });
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(FloatTable, HalvesRoundStochasticallyWithTheirNoise) {
  const struct {
    const char *text;
    double (*exact)(double, double);
  } cases[] = {
      {"f16v4add $a4:5, $a0:1, $a2:3", [](double x, double y) { return x + y; }},
      {"f16v4sub $a4:5, $a0:1, $a2:3", [](double x, double y) { return x - y; }},
      {"f16v4mul $a4:5, $a0:1, $a2:3", [](double x, double y) { return x * y; }},
      {"f16v4absadd $a4:5, $a0:1, $a2:3",
       [](double x, double y) { return std::fabs(x) + std::fabs(y); }},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.text);
    InstructionLoop loop(c.text, true);
    loop.tile.tile.initialControl = kStochastic;
    loop.tile.tile.workers[0].prng = {0x0123456789ABCDEF, 0xFEDCBA9876543211};
    model::Generator generator{0x0123456789ABCDEF, 0xFEDCBA9876543211};
    loop.run(operandsFor(kShapes[6]), [&](const Operands &in, const auto &out) {
      const auto draw = generator.advance();
      std::uint64_t expected = 0;
      Word flags = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const Word x = halfOf(in, 0, i), y = halfOf(in, 2, i);
        const bool areNumbers = model::isNumber16(x) && model::isNumber16(y);
        const double exact = c.exact(model::valueOf16(x), model::valueOf16(y));
        const Outcome o = areNumbers ? model::stochasticHalf(model::singleOf(exact), draw, i)
                                     : model::errorResult16({x, y});
        expected |= o.bits << (16 * i);
        flags |= o.flags;
      }
      ASSERT_EQ(out.both(), expected) << std::hex << in[0] << " " << in[2];
      ASSERT_EQ(out.status, flags) << std::hex << in[0] << " " << in[2];
    });
    ASSERT_FALSE(HasFatalFailure());
  }
}

} // namespace
} // namespace copse::ipud
