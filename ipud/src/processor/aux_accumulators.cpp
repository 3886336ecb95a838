#include "processor/accumulators.hpp"
#include "processor/aux_operations.hpp"
#include "processor/float_operations.hpp"
#include "processor/half_rounding.hpp"

/// Instructions whose sums stay in accumulators.
namespace copse::ipud::operation {
namespace {

float &working(Core &c, unsigned i) { return c.accumulators.working[i]; }

template <class F> bool accumulate32(Core &c, const MicroOp &u, unsigned count, F f) {
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < count; ++i)
    working(c, i) = f(working(c, i), c.r()[u.r[0] + i], flags);
  return c.report(flags);
}
template <class F> bool accumulate16(Core &c, const MicroOp &u, unsigned count, F f) {
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < count; ++i) {
    const auto h = static_cast<std::uint16_t>(c.r()[u.r[0] + i / 2] >> (16 * (i % 2)));
    working(c, i) = f(working(c, i), fp::operand16(h, flags), flags);
  }
  return c.report(flags);
}

float plainSum(float a, std::uint32_t x, std::uint32_t &flags) {
  return fp::accumulated(a, fp::partial32(x, flags));
}
float absoluteSum(float a, std::uint32_t x, std::uint32_t &flags) {
  return fp::accumulated(std::fabs(a), std::fabs(fp::partial32(x, flags)));
}
float squareSum(float a, std::uint32_t x, std::uint32_t &flags) {
  return fp::accumulated(a, fp::product(x, x, flags));
}

void dotInto(float &accumulator, std::uint64_t x, std::uint64_t y, unsigned first,
             std::uint32_t &flags) {
  const std::uint16_t xs[] = {half(x, first), half(x, first + 1)};
  const std::uint16_t ys[] = {half(y, first), half(y, first + 1)};
  accumulator = fp::accumulated(accumulator, fp::dot16(xs, ys, flags));
}

/// Returns the first four working values as halves.
std::uint64_t workingHalves(Core &c, const fp::HalfMode &mode, std::uint32_t &flags) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= placed(fp::read16(working(c, i), i, mode, flags), i);
  return result;
}

} // namespace
bool exactMac(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  working(c, 0) =
      fp::accumulated(working(c, 0), fp::product(auxOf(c, u, 0), auxOf(c, u, 1), flags));
  return c.report(flags);
}
bool exactMacs(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 0), y = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  working(c, 0) = fp::accumulated(working(c, 0), fp::product(low(x), low(y), flags));
  working(c, 1) = fp::accumulated(working(c, 1), fp::product(high(x), high(y), flags));
  return c.report(flags);
}
bool F32v4acc(Core &c, const MicroOp &u) { return accumulate32(c, u, 4, plainSum); }
bool F32v4absacc(Core &c, const MicroOp &u) { return accumulate32(c, u, 4, absoluteSum); }
bool F32v4sqacc(Core &c, const MicroOp &u) { return accumulate32(c, u, 4, squareSum); }
bool F16v4acc(Core &c, const MicroOp &u) { return accumulate16(c, u, 4, plainSum); }
bool F16v8acc(Core &c, const MicroOp &u) { return accumulate16(c, u, 8, plainSum); }
bool F16v4absacc(Core &c, const MicroOp &u) { return accumulate16(c, u, 4, absoluteSum); }
bool F16v8absacc(Core &c, const MicroOp &u) { return accumulate16(c, u, 8, absoluteSum); }
bool F16v8sqacc(Core &c, const MicroOp &u) { return accumulate16(c, u, 8, squareSum); }
bool F16v2cmac(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  dotInto(working(c, 0), auxOf(c, u, 0), auxOf(c, u, 1), 0, flags);
  return c.report(flags);
}
bool F16v4cmac(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 0), y = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  dotInto(working(c, 0), x, y, 0, flags);
  dotInto(working(c, 1), x, y, 2, flags);
  return c.report(flags);
}
bool F32v2aop(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 0), y = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < 4; ++i)
    working(c, i) =
        fp::accumulated(working(c, i), fp::product(i % 2 == 0 ? low(x) : high(x),
                                                   i / 2 == 0 ? low(y) : high(y), flags));
  return c.report(flags);
}
bool F32v2axpy(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const std::uint64_t out =
      joined(fp::read32(working(c, 0), flags), fp::read32(working(c, 1), flags));
  working(c, 0) = fp::accumulated(fp::product(c.tas, low(x), flags), fp::partial32(low(y), flags));
  working(c, 1) =
      fp::accumulated(fp::product(c.tas, high(x), flags), fp::partial32(high(y), flags));
  return c.report(flags) && setPair(c, u, out);
}
bool F16v4mix(Core &c, const MicroOp &u) {
  const Rounding rounding(c);
  const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const std::uint64_t out = workingHalves(c, rounding.mode, flags);
  const std::uint16_t scales[] = {half(c.tas, 0), half(c.tas, 1)};
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint16_t values[] = {half(x, i), half(y, i)};
    working(c, i) = fp::dot16(scales, values, flags);
  }
  return c.report(flags) && setPair(c, u, out);
}
namespace {
/// The values of one set, working or delayed, that `gina` reads and moves.
struct Chain {
  Chain(Core &core, std::int32_t immediate)
      : at(((immediate & 1) != 0 ? core.accumulators.delayed : core.accumulators.working).data() +
           ((immediate & 2) != 0 && core.chip->accumulatorSets > 1 ? 8 : 0)) {}
  void shift(float in0, float in1) {
    for (unsigned i = 0; i < 6; ++i)
      at[i] = at[i + 2];
    at[6] = in0;
    at[7] = in1;
  }
  float *const at;
};
} // namespace
bool F32v2gina(Core &c, const MicroOp &u) {
  Chain chain(c, u.immediate);
  const std::uint64_t in = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint64_t out = joined(fp::read32(chain.at[0], flags), fp::read32(chain.at[1], flags));
  const float in0 = fp::partial32(low(in), flags), in1 = fp::partial32(high(in), flags);
  if (!c.report(flags))
    return false;
  chain.shift(in0, in1);
  return setPair(c, u, out);
}
bool F16v2gina(Core &c, const MicroOp &u) {
  Chain chain(c, u.immediate);
  const Rounding rounding(c);
  const std::uint32_t in = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint64_t out = placed(fp::read16(chain.at[0], 0, rounding.mode, flags), 0) |
                            placed(fp::read16(chain.at[1], 1, rounding.mode, flags), 1);
  const float in0 = fp::partial16(half(in, 0), flags), in1 = fp::partial16(half(in, 1), flags);
  if (!c.report(flags))
    return false;
  chain.shift(in0, in1);
  return setAux(c, u, static_cast<std::uint32_t>(out));
}
bool F16v4gacc(Core &c, const MicroOp &u) {
  const Rounding rounding(c);
  std::uint32_t flags = 0;
  const std::uint64_t out = workingHalves(c, rounding.mode, flags);
  return c.report(flags) && setPair(c, u, out);
}
namespace {
std::uint32_t rawOf(Core &c, unsigned i) { return fp::asBits(c.accumulators[i]); }
void move(Core &c, unsigned to, unsigned from) { c.accumulators[to] = c.accumulators[from]; }
} // namespace
bool F16v4stacc(Core &c, const MicroOp &u) {
  if ((u.immediate & 1) != 0) {
    const std::uint64_t out = joined(rawOf(c, 1), rawOf(c, 3));
    for (unsigned i = 1; i < 9; i += 4) {
      move(c, i, i + 4);
      move(c, i + 2, i + 6);
    }
    return setPair(c, u, out);
  }
  const std::uint64_t out = joined(rawOf(c, 0), rawOf(c, 2));
  for (unsigned i = 0; i < 12; i += 4) {
    move(c, i + 1, i + 4);
    move(c, i + 3, i + 6);
  }
  return setPair(c, u, out);
}
bool F16v4istacc(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), p = pairOf(c, u, 2);
  const std::uint64_t out = joined(rawOf(c, 1), rawOf(c, 3));
  const bool second = (u.immediate & 1) != 0;
  if (!second) {
    move(c, 1, 5);
    move(c, 3, 7);
  }
  for (unsigned i = 0; i < 4; ++i)
    c.accumulators[4 * i + (second ? 2 : 0)] =
        fp::asFloat(half(x, i) | static_cast<std::uint32_t>(half(p, i)) << 16);
  return setPair(c, u, out);
}

} // namespace copse::ipud::operation
