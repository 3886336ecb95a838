// Tests the functions of the two tables, each with its types.
#include "operation_run.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

namespace {

using namespace copse::test;
using namespace popops::expr;
using poplar::Tensor;
using poplar::Type;

using poplar::BOOL;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::SHORT;
using poplar::UNSIGNED_INT;
using poplar::UNSIGNED_SHORT;

std::string nameOf(const Type &type) { return type.toString().cloneAsString(); }

std::int64_t integer(double x) { return static_cast<std::int64_t>(x); }
double wrapped(std::int64_t x, const Type &type) {
  return type == INT ? static_cast<double>(static_cast<std::int32_t>(x))
                     : static_cast<double>(static_cast<std::uint32_t>(x));
}

/// Returns 0 for integers and comparisons, else the tolerance of section 11.1 of the contract.
double toleranceFor(const Type &type) { return type == HALF ? 3e-3 : type == FLOAT ? 1e-6 : 0; }

struct UnaryCase {
  UnaryOpType op;
  std::vector<Type> types;
  double low, high;
  std::function<double(double)> expected;
};

const std::vector<UnaryCase> &unaryCases() {
  const std::vector<Type> reals = {FLOAT, HALF};
  static const std::vector<UnaryCase> kCases = {
      {UnaryOpType::ABSOLUTE, {FLOAT, HALF, INT}, -9, 9, [](double x) { return std::fabs(x); }},
      {UnaryOpType::ASIN, reals, -1, 1, [](double x) { return std::asin(x); }},
      {UnaryOpType::BITWISE_NOT, {INT}, -99, 99, [](double x) { return ~integer(x); }},
      {UnaryOpType::CBRT, reals, -9, 9, [](double x) { return std::cbrt(x); }},
      {UnaryOpType::CEIL, reals, -9, 9, [](double x) { return std::ceil(x); }},
      {UnaryOpType::COS, reals, -3, 3, [](double x) { return std::cos(x); }},
      {UnaryOpType::COUNT_LEADING_ZEROS,
       {INT, UNSIGNED_INT},
       0,
       9,
       [](double x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }},
      {UnaryOpType::ERF, reals, -2, 2, [](double x) { return std::erf(x); }},
      {UnaryOpType::EXPONENT, reals, -4, 4, [](double x) { return std::exp(x); }},
      {UnaryOpType::EXPONENT2, reals, -4, 4, [](double x) { return std::exp2(x); }},
      {UnaryOpType::EXPONENT_MINUS_ONE, reals, -1, 1, [](double x) { return std::expm1(x); }},
      {UnaryOpType::FLOOR, reals, -9, 9, [](double x) { return std::floor(x); }},
      {UnaryOpType::GELU_ERF, reals, -3, 3,
       [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
      {UnaryOpType::INVERSE, reals, 1, 9, [](double x) { return 1 / x; }},
      {UnaryOpType::LOGARITHM, reals, 0.1, 9, [](double x) { return std::log(x); }},
      {UnaryOpType::LOGARITHM_ONE_PLUS, reals, -0.5, 3, [](double x) { return std::log1p(x); }},
      {UnaryOpType::LOGICAL_NOT, {BOOL}, 0, 2, [](double x) { return x == 0; }},
      {UnaryOpType::NEARBY_INT, reals, -9, 9, [](double x) { return std::nearbyint(x); }},
      {UnaryOpType::NEGATE, {FLOAT, HALF, INT}, -9, 9, [](double x) { return -x; }},
      {UnaryOpType::POPCOUNT,
       {INT, UNSIGNED_INT},
       0,
       255,
       [](double x) { return __builtin_popcount(static_cast<unsigned>(x)); }},
      {UnaryOpType::RELU, reals, -9, 9, [](double x) { return x > 0 ? x : 0; }},
      {UnaryOpType::ROUND, reals, -9, 9, [](double x) { return std::round(x); }},
      {UnaryOpType::RSQRT, reals, 0.1, 9, [](double x) { return 1 / std::sqrt(x); }},
      {UnaryOpType::SIGMOID, reals, -9, 9, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {UnaryOpType::SIGNUM, {FLOAT, HALF, INT}, -2, 2, [](double x) { return (x > 0) - (x < 0); }},
      {UnaryOpType::SIN, reals, -3, 3, [](double x) { return std::sin(x); }},
      {UnaryOpType::SQRT, {FLOAT, HALF, INT}, 0, 99, [](double x) { return std::sqrt(x); }},
      {UnaryOpType::SQUARE, {FLOAT, HALF, INT, UNSIGNED_INT}, 0, 9, [](double x) { return x * x; }},
      {UnaryOpType::TAN, reals, -1, 1, [](double x) { return std::tan(x); }},
      {UnaryOpType::TANH, reals, -3, 3, [](double x) { return std::tanh(x); }},
  };
  return kCases;
}

std::vector<double> roundedTo(const poplar::Target &target, const Type &type,
                              std::vector<double> values) {
  if (type == HALF) {
    std::vector<char> bytes(values.size() * target.getTypeSize(HALF));
    poplar::copyDoubleToDeviceHalf(target, values.data(), bytes.data(), values.size());
    poplar::copyDeviceHalfToDouble(target, bytes.data(), values.data(), values.size());
  }
  return values;
}

bool isInteger(const Type &type) { return type != FLOAT && type != HALF; }

class ElementWiseTest : public ::testing::TestWithParam<Machine> {};

TEST_P(ElementWiseTest, UnaryFunctionsAgreeWithDoubles) {
  OperationRun run(GetParam());
  const std::size_t n = 37;
  struct Check {
    std::string name;
    std::vector<double> expected;
    double tolerance;
  };
  std::vector<Check> checks;
  for (const UnaryCase &c : unaryCases()) {
    for (const Type &type : c.types) {
      const auto values = roundedTo(run.graph.getTarget(), type,
                                    randomValues(n, c.low, c.high, 5, isInteger(type)));
      const Tensor in = run.input(type, {n}, values, 2);
      const std::string name = toString(c.op) + " " + nameOf(type);
      run.output(name, popops::map(run.graph, c.op, in, run.prog));
      Check check{name, {}, toleranceFor(type)};
      for (const double x : values)
        check.expected.push_back(isInteger(type) ? std::trunc(c.expected(x)) : c.expected(x));
      checks.push_back(check);
    }
  }
  run.run();
  for (const Check &check : checks)
    EXPECT_TRUE(areClose(run.read(check.name), check.expected, check.tolerance, 1e-5))
        << check.name;
}

struct BinaryCase {
  BinaryOpType op;
  std::vector<Type> types;
  double low, high;
  std::function<double(double, double, const Type &)> expected;
};

const std::vector<BinaryCase> &binaryCases() {
  const std::vector<Type> reals = {FLOAT, HALF}, numbers = {FLOAT, HALF, INT, UNSIGNED_INT},
                          integers = {INT, UNSIGNED_INT};
  static const std::vector<BinaryCase> kCases = {
      {BinaryOpType::ADD, numbers, 0, 9, [](double a, double b, const Type &) { return a + b; }},
      {BinaryOpType::ATAN2, reals, 1, 9,
       [](double a, double b, const Type &) { return std::atan2(a, b); }},
      {BinaryOpType::BITWISE_AND, integers, 0, 99,
       [](double a, double b, const Type &) { return integer(a) & integer(b); }},
      {BinaryOpType::BITWISE_OR, integers, 0, 99,
       [](double a, double b, const Type &) { return integer(a) | integer(b); }},
      {BinaryOpType::BITWISE_XNOR, integers, 0, 99,
       [](double a, double b, const Type &t) { return wrapped(~(integer(a) ^ integer(b)), t); }},
      {BinaryOpType::BITWISE_XOR, integers, 0, 99,
       [](double a, double b, const Type &) { return integer(a) ^ integer(b); }},
      {BinaryOpType::DIVIDE, numbers, 1, 99,
       [](double a, double b, const Type &) { return a / b; }},
      {BinaryOpType::EQUAL,
       {FLOAT, HALF, INT, UNSIGNED_INT, BOOL},
       0,
       2,
       [](double a, double b, const Type &) { return a == b; }},
      {BinaryOpType::GREATER_THAN,
       {FLOAT, HALF, INT, UNSIGNED_INT, BOOL},
       0,
       2,
       [](double a, double b, const Type &) { return a > b; }},
      {BinaryOpType::GREATER_THAN_EQUAL,
       {FLOAT, HALF, INT, UNSIGNED_INT, BOOL},
       0,
       2,
       [](double a, double b, const Type &) { return a >= b; }},
      {BinaryOpType::INV_STD_DEV_TO_VARIANCE, reals, 0.5, 0.9,
       [](double a, double b, const Type &) { return 1 / (a * a) - b; }},
      {BinaryOpType::LESS_THAN,
       {FLOAT, HALF, INT, UNSIGNED_INT, BOOL},
       0,
       2,
       [](double a, double b, const Type &) { return a < b; }},
      {BinaryOpType::LESS_THAN_EQUAL,
       {FLOAT, HALF, INT, UNSIGNED_INT, BOOL},
       0,
       2,
       [](double a, double b, const Type &) { return a <= b; }},
      {BinaryOpType::LOGICAL_AND,
       {BOOL},
       0,
       2,
       [](double a, double b, const Type &) { return a != 0 && b != 0; }},
      {BinaryOpType::LOGICAL_OR,
       {BOOL},
       0,
       2,
       [](double a, double b, const Type &) { return a != 0 || b != 0; }},
      {BinaryOpType::MAXIMUM, numbers, 0, 9,
       [](double a, double b, const Type &) { return std::max(a, b); }},
      {BinaryOpType::MINIMUM, numbers, 0, 9,
       [](double a, double b, const Type &) { return std::min(a, b); }},
      {BinaryOpType::MULTIPLY, numbers, 0, 9,
       [](double a, double b, const Type &) { return a * b; }},
      {BinaryOpType::NOT_EQUAL,
       {FLOAT, HALF, INT, UNSIGNED_INT, BOOL},
       0,
       2,
       [](double a, double b, const Type &) { return a != b; }},
      {BinaryOpType::POWER, reals, 0.5, 3,
       [](double a, double b, const Type &) { return std::pow(a, b); }},
      {BinaryOpType::REMAINDER, numbers, 1, 99,
       [](double a, double b, const Type &) { return std::fmod(a, b); }},
      {BinaryOpType::SHIFT_LEFT, integers, 0, 15,
       [](double a, double b, const Type &t) { return wrapped(integer(a) << integer(b), t); }},
      {BinaryOpType::SHIFT_RIGHT, integers, 0, 31,
       [](double a, double b, const Type &) { return integer(a) >> integer(b); }},
      {BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND,
       {INT},
       0,
       31,
       [](double a, double b, const Type &) { return integer(a) >> integer(b); }},
      {BinaryOpType::SUBTRACT,
       {FLOAT, HALF, INT},
       0,
       9,
       [](double a, double b, const Type &) { return a - b; }},
      {BinaryOpType::VARIANCE_TO_INV_STD_DEV, reals, 0.5, 3,
       [](double a, double b, const Type &) { return 1 / std::sqrt(a + b); }},
  };
  return kCases;
}

TEST_P(ElementWiseTest, BinaryFunctionsAgreeWithDoubles) {
  OperationRun run(GetParam());
  const std::size_t n = 29;
  struct Check {
    std::string name;
    std::vector<double> expected;
    double tolerance;
  };
  std::vector<Check> checks;
  for (const BinaryCase &c : binaryCases()) {
    for (const Type &type : c.types) {
      const auto values = [&](unsigned seed) {
        return roundedTo(run.graph.getTarget(), type,
                         randomValues(n, c.low, c.high, seed, isInteger(type)));
      };
      const auto a = values(1), b = values(2);
      const std::string name = toString(c.op) + " " + nameOf(type);
      run.output(name, popops::map(run.graph, c.op, run.input(type, {n}, a, 3),
                                   run.input(type, {n}, b, 4), run.prog));
      Check check{name, {}, toleranceFor(type)};
      for (std::size_t i = 0; i != n; ++i) {
        const double value = c.expected(a[i], b[i], type);
        check.expected.push_back(isInteger(type) ? std::trunc(value) : value);
      }
      checks.push_back(check);
    }
  }
  run.run();
  for (const Check &check : checks)
    EXPECT_TRUE(areClose(run.read(check.name), check.expected,
                         check.name.find("POWER half") == 0 ? 0.012 : check.tolerance, 1e-5))
        << check.name;
}

TEST_P(ElementWiseTest, IntegersWrapDivideTowardZeroAndShiftLogically) {
  OperationRun run(GetParam());
  const Tensor a = run.input(INT, {4}, {-7, 7, -2147483648.0, -8});
  const Tensor b = run.input(INT, {4}, {2, -2, -1, 1});
  run.output("quotient", popops::div(run.graph, a, b, run.prog));
  run.output("remainder", popops::rem(run.graph, a, b, run.prog));
  run.output("product", popops::mul(run.graph, a, b, run.prog));
  run.output("absolute", popops::abs(run.graph, a, run.prog));
  const Tensor amounts = run.input(INT, {4}, {1, 1, 31, 1});
  run.output("logical", popops::shiftRight(run.graph, a, amounts, run.prog));
  run.output("arithmetic", popops::shiftRightSignExtend(run.graph, a, amounts, run.prog));
  run.run();
  EXPECT_EQ(run.read("quotient"), (std::vector<double>{-3, -3, -2147483648.0, -8}));
  EXPECT_EQ(run.read("remainder"), (std::vector<double>{-1, 1, 0, 0}));
  EXPECT_EQ(run.read("product"), (std::vector<double>{-14, -14, -2147483648.0, -8}));
  EXPECT_EQ(run.read("absolute"), (std::vector<double>{7, 7, -2147483648.0, 8}));
  EXPECT_EQ(run.read("logical"), (std::vector<double>{2147483644, 3, 1, 2147483644}));
  EXPECT_EQ(run.read("arithmetic"), (std::vector<double>{-4, 3, -1, -4}));
}
TEST_P(ElementWiseTest, NaNIsUnequalToItselfAndLosesAgainstNumbers) {
  OperationRun run(GetParam());
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const Tensor a = run.input(FLOAT, {3}, {nan, infinity, 1}),
               b = run.input(FLOAT, {3}, {1, 2, nan});
  run.output("less", popops::lt(run.graph, a, b, run.prog));
  run.output("unequal", popops::neq(run.graph, a, a, run.prog));
  run.output("largest", popops::max(run.graph, a, b, run.prog));
  run.output("finite", popops::isFinite(run.graph, a, run.prog));
  run.output("nan", popops::map(run.graph, UnaryOpType::IS_NAN, a, run.prog));
  run.output("inf", popops::map(run.graph, IsInf(_1), {a}, run.prog));
  run.run();
  EXPECT_EQ(run.read("less"), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(run.read("unequal"), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(run.read("largest"), (std::vector<double>{1, infinity, 1}));
  EXPECT_EQ(run.read("finite"), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(run.read("nan"), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(run.read("inf"), (std::vector<double>{0, 1, 0}));
}

INSTANTIATE_TEST_SUITE_P(Machines, ElementWiseTest,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::Ipu),
                         [](const auto &p) { return machineName(p.param); });

TEST(ElementWiseFunctions, AConstantMayBeOnEitherSide) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {3}, {1, 2, 4});
  run.output("right", popops::sub(run.graph, a, 1.0f, run.prog, "right"));
  run.output("left", popops::sub(run.graph, 1.0, a, run.prog));
  const Tensor i = run.input(INT, {3}, {1, 2, 4});
  popops::mulInPlace(run.graph, i, 3, run.prog);
  run.output("int", i);
  run.run();
  EXPECT_EQ(run.read("right"), (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(run.read("left"), (std::vector<double>{0, -1, -3}));
  EXPECT_EQ(run.read("int"), (std::vector<double>{3, 6, 12}));
}
TEST(ElementWiseFunctions, AConstantOfAnotherTypeIsAnError) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(INT, {3}, {1, 2, 4});
  EXPECT_THROW(popops::add(run.graph, a, 1.0f, run.prog), std::runtime_error);
  EXPECT_THROW(popops::add(run.graph, a, 1u, run.prog), std::runtime_error);
  EXPECT_THROW(popops::add(run.graph, run.input(HALF, {1}, {1}), 1, run.prog), std::runtime_error);
}
TEST(ElementWiseFunctions, ResultsAreWrittenInPlaceOrToAnOutput) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}, 1);
  const Tensor b = run.input(FLOAT, {3}, {10, 20, 30}, 2);
  const Tensor out = run.input(FLOAT, {2, 3}, std::vector<double>(6, 0), 3);
  popops::addWithOutput(run.graph, a, b, out, run.prog);
  popops::addInPlace(run.graph, a, b, run.prog);
  popops::negInPlace(run.graph, b, run.prog);
  run.output("out", out);
  run.output("a", a);
  run.output("b", b);
  run.run();
  EXPECT_EQ(run.read("out"), (std::vector<double>{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(run.read("a"), (std::vector<double>{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(run.read("b"), (std::vector<double>{-10, -20, -30}));
}
TEST(ElementWiseFunctions, SelectAndClampTakeThreeOperands) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(INT, {4}, {1, 2, 3, 4}), b = run.input(INT, {1}, {-1});
  const Tensor c = run.input(BOOL, {4}, {1, 0, 1, 0});
  run.output("selected", popops::select(run.graph, a, b, c, run.prog));
  run.output("clamped", popops::clamp(run.graph, a, run.input(INT, {}, {2}),
                                      run.input(INT, {4}, {9, 9, 2, 3}), run.prog));
  run.run();
  EXPECT_EQ(run.read("selected"), (std::vector<double>{1, -1, 3, -1}));
  EXPECT_EQ(run.read("clamped"), (std::vector<double>{2, 2, 2, 3}));
}
TEST(ElementWiseFunctions, VariancesChangeTheirType) {
  OperationRun run(Machine::Model);
  const Tensor variance = run.input(FLOAT, {2}, {0.25, 4});
  const Tensor half = popops::varianceToInvStdDev(run.graph, variance, 0.0f, run.prog);
  EXPECT_EQ(half.elementType(), HALF);
  const Tensor back = popops::invStdDevToVariance(run.graph, half, 0.0f, run.prog);
  EXPECT_EQ(back.elementType(), FLOAT);
  run.output("half", half);
  run.output("back", back);
  run.run();
  EXPECT_EQ(run.read("half"), (std::vector<double>{2, 0.5}));
  EXPECT_EQ(run.read("back"), (std::vector<double>{0.25, 4}));
}

TEST(ElementWiseInPlace, ASecondOperandMayHaveLeadingSizesOfOne) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {3}, {1, 2, 3}), one = run.input(FLOAT, {}, {5});
  popops::addInPlace(run.graph, a, run.input(FLOAT, {1, 1, 3}, {10, 20, 30}), run.prog);
  popops::mulInPlace(run.graph, one, run.input(FLOAT, {1, 1}, {2}), run.prog);
  run.output("a", a);
  run.output("one", one);
  run.run();
  EXPECT_EQ(run.read("a"), (Values{11, 22, 33}));
  EXPECT_EQ(run.read("one"), (Values{10}));
  EXPECT_THROW(popops::addInPlace(run.graph, a, run.variable(FLOAT, {2, 3}), run.prog),
               poputil::poplibs_error);
}

} // namespace
