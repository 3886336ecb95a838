// Makes nodes of operators on single elements.
#include "random_node.hpp"

#include <algorithm>
#include <cmath>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Reals = Random::Reals;
using Function = double (*)(double);

struct UnaryOperator {
  const char *name;
  Function function;
  bool addsUp = false; ///< sums in it cancel: the input's size is the magnitude
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) {
  return std::isnan(x) ? x : std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}
double unitClamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

const UnaryOperator kUnary[] = {
    {"Abs", [](double x) { return std::fabs(x); }},
    {"Neg", [](double x) { return -x; }},
    {"Ceil", [](double x) { return std::ceil(x); }},
    {"Floor", [](double x) { return std::floor(x); }},
    {"Round", [](double x) { return std::nearbyint(x); }},
    {"Sqrt", [](double x) { return std::sqrt(x); }},
    {"Exp", [](double x) { return std::exp(x); }},
    {"Log", [](double x) { return std::log(x); }},
    {"Reciprocal", [](double x) { return 1 / x; }},
    {"Relu", [](double x) { return x < 0 ? 0 : x; }},
    {"Sigmoid", sigmoid},
    {"Sin", [](double x) { return std::sin(x); }},
    {"Cos", [](double x) { return std::cos(x); }},
    {"Tan", [](double x) { return std::tan(x); }},
    {"Asin", [](double x) { return std::asin(x); }},
    {"Acos", [](double x) { return std::acos(x); }},
    {"Atan", [](double x) { return std::atan(x); }},
    {"Sinh", [](double x) { return std::sinh(x); }},
    {"Cosh", [](double x) { return std::cosh(x); }},
    {"Asinh", [](double x) { return std::asinh(x); }},
    {"Acosh", [](double x) { return std::acosh(x); }},
    {"Atanh", [](double x) { return std::atanh(x); }},
    {"Tanh", [](double x) { return std::tanh(x); }},
    {"Erf", [](double x) { return std::erf(x); }},
    {"Softplus", softplus},
    {"Softsign", [](double x) { return x / (1 + std::fabs(x)); }},
    {"Sign", [](double x) { return x > 0   ? 1
                                   : x < 0 ? -1
                                           : x; }},
    {"Elu", [](double x) { return x > 0 ? x : std::expm1(x); }},
    {"Selu",
     [](double x) {
       return 1.05070102214813232421875 * (x > 0 ? x : 1.67326319217681884765625 * std::expm1(x));
     }},
    {"Celu", [](double x) { return x > 0 ? x : std::expm1(x); }},
    {"LeakyRelu", [](double x) { return x > 0 ? x : x * double{0.01f}; }},
    {"ThresholdedRelu", [](double x) { return x <= 1 ? 0 : x; }},
    {"HardSigmoid", [](double x) { return unitClamp(x * double{0.2f} + 0.5); }, true},
    {"HardSwish", [](double x) { return x * unitClamp(x / 6 + 0.5); }, true},
    {"Mish", [](double x) { return x * std::tanh(softplus(x)); }},
    {"Shrink", [](double x) { return x < -0.5 || x > 0.5 ? x : 0; }},
};

RandomNode unaryOfReals(Random &random, std::int64_t) {
  const UnaryOperator &op = kUnary[random.kindBelow(std::size(kUnary))];
  const ElementType type = random.pick(kReals);
  RandomNode node{.op = op.name};
  node.add(random.tensor(type, random.shape(0, 6)));
  HostTensor result = makeTensor(type, node.inputs[0].shape);
  std::vector<double> magnitudes;
  for (std::size_t i = 0; i < result.elements(); ++i) {
    const double x = node.inputs[0].at(i);
    setElement(result, i, op.function(x));
    magnitudes.push_back(op.addsUp ? x : 0);
  }
  node.expected = {{result, magnitudes}};
  return node;
}

/// Makes a unary operator with an attribute other than the default.
RandomNode unaryWithParameters(Random &random, std::int64_t) {
  struct Parameterised {
    const char *name;
    std::map<std::string, onnx::Attribute> attributes;
    Function function;
    bool addsUp;
  };
  static const Parameterised kOperators[] = {
      {"Elu", {{"alpha", 2.0f}}, [](double x) { return x > 0 ? x : 2 * std::expm1(x); }, false},
      {"Celu",
       {{"alpha", 2.0f}},
       [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); },
       false},
      {"Selu",
       {{"alpha", 2.0f}, {"gamma", 3.0f}},
       [](double x) { return 3 * (x > 0 ? x : 2 * std::expm1(x)); },
       false},
      {"LeakyRelu", {{"alpha", 0.25f}}, [](double x) { return x > 0 ? x : x / 4; }, false},
      {"ThresholdedRelu", {{"alpha", -0.5f}}, [](double x) { return x <= -0.5 ? 0 : x; }, false},
      {"HardSigmoid",
       {{"alpha", 0.5f}, {"beta", 0.25f}},
       [](double x) { return unitClamp(x / 2 + 0.25); },
       true},
      {"Shrink",
       {{"lambd", 1.5f}, {"bias", 1.0f}},
       [](double x) { return x < -1.5  ? x + 1
                             : x > 1.5 ? x - 1
                                       : 0; },
       false},
  };
  const Parameterised &op = kOperators[random.kindBelow(std::size(kOperators))];
  const ElementType type = random.pick(kReals);
  RandomNode node{.op = op.name, .attributes = op.attributes};
  node.add(random.tensor(type, random.shape(0, 4)));
  HostTensor result = makeTensor(type, node.inputs[0].shape);
  std::vector<double> magnitudes;
  for (std::size_t i = 0; i < result.elements(); ++i) {
    const double x = node.inputs[0].at(i);
    setElement(result, i, op.function(x));
    magnitudes.push_back(op.addsUp ? x : 0);
  }
  node.expected = {{result, magnitudes}};
  return node;
}

RandomNode unaryOfIntegers(Random &random, std::int64_t opset) {
  const bool hasSign = random.oneIn(2);
  std::vector<const char *> names = {"Abs", "Sign"};
  if (hasSign)
    names.push_back("Neg");
  if (hasSign && opset >= 14)
    names.push_back("Relu");
  const std::string name = random.pick(names);
  const ElementType type =
      random.pick(hasSign ? std::vector<ElementType>{ElementType::Int8, ElementType::Int16,
                                                     ElementType::Int32, ElementType::Int64}
                          : std::vector<ElementType>{ElementType::UInt8, ElementType::UInt16,
                                                     ElementType::UInt32, ElementType::UInt64});
  RandomNode node{.op = name};
  node.add(random.tensor(type, random.shape(0, 6)));
  HostTensor result = makeTensor(type, node.inputs[0].shape);
  for (std::size_t i = 0; i < result.elements(); ++i) {
    const std::int64_t x = node.inputs[0].integers[i];
    setInteger(result, i,
               name == "Abs"    ? std::abs(x)
               : name == "Sign" ? (x > 0) - (x < 0)
               : name == "Neg"  ? -x
                                : std::max<std::int64_t>(x, 0));
  }
  node.expected = {{result, {}}};
  return node;
}

RandomNode tests(Random &random, std::int64_t) {
  const std::string name = random.pick(std::vector<std::string>{"IsNaN", "IsInf", "Not"});
  RandomNode node{.op = name};
  const bool positive = random.oneIn(2), negative = random.oneIn(2);
  if (name == "IsInf")
    node.attributes = {{"detect_positive", std::int64_t{positive}},
                       {"detect_negative", std::int64_t{negative}}};
  const ElementType type =
      name == "Not" ? ElementType::Bool
      : name == "IsInf"
          ? random.pick(std::vector<ElementType>{ElementType::Float, ElementType::Double})
          : random.pick(kReals);
  node.add(random.tensor(type, random.shape(0, 6)));
  HostTensor result = makeTensor(ElementType::Bool, node.inputs[0].shape);
  for (std::size_t i = 0; i < result.elements(); ++i) {
    const double x = node.inputs[0].at(i);
    setInteger(result, i,
               name == "Not"     ? x == 0
               : name == "IsNaN" ? std::isnan(x)
                                 : std::isinf(x) && (x > 0 ? positive : negative));
  }
  node.expected = {{result, {}}};
  return node;
}

/// Returns two shapes that broadcast, in either order.
std::pair<Shape, Shape> twoShapes(Random &random) {
  const Shape a = random.shape(0, 6), b = random.broadcastable(a);
  return random.oneIn(2) ? std::pair{a, b} : std::pair{b, a};
}

/// Applies \p function to the positions of each pair of elements.
HostTensor paired(ElementType type, const HostTensor &a, const HostTensor &b,
                  const std::function<void(HostTensor &, std::size_t to, std::size_t i,
                                           std::size_t j)> &function) {
  HostTensor result = makeTensor(type, broadcastOf(a.shape, b.shape));
  std::size_t to = 0;
  forEachIndex(result.shape, [&](const Shape &index) {
    function(result, to++, positionOf(a.shape, index), positionOf(b.shape, index));
  });
  return result;
}

double largerOf(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smallerOf(double a, double b) { return std::isnan(a) || a < b ? a : b; }

RandomNode arithmeticOfReals(Random &random, std::int64_t) {
  struct Operator {
    const char *name;
    double (*function)(double, double);
  };
  static const Operator kOperators[] = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return a / b; }},
      {"Pow", [](double a, double b) { return std::pow(a, b); }},
      {"Max", largerOf},
      {"Min", smallerOf},
      {"Sum", [](double a, double b) { return a + b; }},
      {"Mod", [](double a, double b) { return std::fmod(a, b); }},
      {"PRelu", [](double a, double b) { return a < 0 ? a * b : a; }},
  };
  const Operator &op = kOperators[random.kindBelow(std::size(kOperators))];
  auto [first, second] = twoShapes(random);
  if (std::string(op.name) == "PRelu") // only the slope broadcasts
    first = broadcastOf(first, second);
  const ElementType type = random.pick(kReals);
  RandomNode node{.op = op.name};
  node.add(random.tensor(type, first));
  node.add(random.tensor(type, second));
  if (node.op == "Mod")
    node.attributes["fmod"] = std::int64_t{1};
  const HostTensor &a = node.inputs[0], &b = node.inputs[1];
  node.expected = {{paired(type, a, b,
                           [&](HostTensor &result, std::size_t to, std::size_t i, std::size_t j) {
                             setElement(result, to, op.function(a.at(i), b.at(j)));
                           }),
                    {}}};
  return node;
}

std::int64_t powerOf(std::int64_t a, std::int64_t b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  std::uint64_t result = 1, square = static_cast<std::uint64_t>(a);
  for (; b > 0; b /= 2, square *= square)
    result *= b % 2 == 1 ? square : 1;
  return static_cast<std::int64_t>(result);
}

std::int64_t moduloOf(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::uint64_t bits(std::int64_t i) { return static_cast<std::uint64_t>(i); }

RandomNode arithmeticOfIntegers(Random &random, std::int64_t) {
  struct Operator {
    const char *name;
    std::int64_t (*function)(std::int64_t, std::int64_t);
  };
  static const Operator kOperators[] = {
      {"Add", [](std::int64_t a, std::int64_t b) { return a + b; }},
      {"Sub", [](std::int64_t a, std::int64_t b) { return a - b; }},
      {"Mul",
       [](std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(bits(a) * bits(b)); }},
      {"Div", [](std::int64_t a, std::int64_t b) { return a / b; }},
      {"Pow", powerOf},
      {"Max", [](std::int64_t a, std::int64_t b) { return std::max(a, b); }},
      {"Min", [](std::int64_t a, std::int64_t b) { return std::min(a, b); }},
      {"Mod", moduloOf},
  };
  const Operator &op = kOperators[random.kindBelow(std::size(kOperators))];
  const auto [first, second] = twoShapes(random);
  const std::string name = op.name;
  const ElementType type = random.pick(
      name == "Pow" ? std::vector<ElementType>{ElementType::Int32, ElementType::Int64} : kIntegers);
  RandomNode node{.op = name};
  const bool isLong = onnx::widthOf(type) == 8;
  node.add(isLong && name == "Pow" ? random.integers(type, first, -8, 8)
                                   : random.tensor(type, first));
  node.add(name == "Pow" ? random.integers(type, second, -2, isLong ? 8 : 40)
                         : random.tensor(type, second));
  if (name == "Div" || name == "Mod")
    for (std::int64_t &i : node.inputs[1].integers)
      i = i == 0 ? 1 : i;
  if (name == "Pow") // the standard defines no negative powers of 0
    for (std::int64_t &i : node.inputs[0].integers)
      i = i == 0 ? 1 : i;
  if (isLong && name == "Sub" && type == ElementType::UInt64)
    std::fill(node.inputs[1].integers.begin(), node.inputs[1].integers.end(), 0);
  const HostTensor &a = node.inputs[0], &b = node.inputs[1];
  node.expected = {{paired(type, a, b,
                           [&](HostTensor &result, std::size_t to, std::size_t i, std::size_t j) {
                             setInteger(result, to, op.function(a.integers[i], b.integers[j]));
                           }),
                    {}}};
  return node;
}

/// Makes a power whose base and exponent have different types.
RandomNode mixedPower(Random &random, std::int64_t) {
  const auto [first, second] = twoShapes(random);
  RandomNode node{.op = "Pow"};
  if (random.oneIn(2)) { // reals to whole numbers
    node.add(random.tensor(random.pick(kReals), first, Reals::Ordinary));
    node.add(random.integers(ElementType::Int32, second, -3, 6));
  } else {
    node.add(random.integers(ElementType::Int32, first, -9, 9));
    node.add(random.tensor(ElementType::Float, second, Reals::Ordinary));
    for (float &x : node.inputs[1].reals)
      x = std::fabs(std::floor(x));
  }
  const HostTensor &a = node.inputs[0], &b = node.inputs[1];
  node.expected = {{paired(a.type, a, b,
                           [&](HostTensor &result, std::size_t to, std::size_t i, std::size_t j) {
                             setElement(result, to, std::pow(a.at(i), b.at(j)));
                           }),
                    {}}};
  return node;
}

RandomNode comparison(Random &random, std::int64_t) {
  const std::string name = random.pick(std::vector<std::string>{
      "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor"});
  const bool isLogical = name == "And" || name == "Or" || name == "Xor";
  const ElementType type = isLogical         ? ElementType::Bool
                           : name == "Equal" ? random.pick(kAllTypes)
                                             : random.pick(kNumbers);
  const auto [first, second] = twoShapes(random);
  RandomNode node{.op = name};
  node.add(random.tensor(type, first));
  node.add(random.tensor(type, second));
  if (random.oneIn(2) && node.inputs[1].elements() > 0) // equal ones are rare otherwise
    forEachIndex(first, [&](const Shape &index) {
      if (random.oneIn(3) && first.size() >= second.size())
        copyElement(node.inputs[1], positionOf(second, index), node.inputs[0],
                    positionOf(first, index));
    });
  const HostTensor &a = node.inputs[0], &b = node.inputs[1];
  node.expected = {{paired(ElementType::Bool, a, b,
                           [&](HostTensor &result, std::size_t to, std::size_t i, std::size_t j) {
                             const double x = a.at(i), y = b.at(j);
                             setInteger(result, to,
                                        name == "Equal"            ? x == y
                                        : name == "Less"           ? x < y
                                        : name == "LessOrEqual"    ? x <= y
                                        : name == "Greater"        ? x > y
                                        : name == "GreaterOrEqual" ? x >= y
                                        : name == "And"            ? x != 0 && y != 0
                                        : name == "Or"             ? x != 0 || y != 0
                                                                   : (x != 0) != (y != 0));
                           }),
                    {}}};
  return node;
}

RandomNode shift(Random &random, std::int64_t) {
  const bool left = random.oneIn(2);
  const ElementType type = random.pick(
      std::vector<ElementType>{ElementType::UInt8, ElementType::UInt16, ElementType::UInt32});
  const auto [first, second] = twoShapes(random);
  RandomNode node{.op = "BitShift",
                  .attributes = {{"direction", std::string(left ? "LEFT" : "RIGHT")}}};
  node.add(random.tensor(type, first));
  node.add(random.integers(type, second, 0, 40));
  const HostTensor &a = node.inputs[0], &b = node.inputs[1];
  node.expected = {{paired(type, a, b,
                           [&](HostTensor &result, std::size_t to, std::size_t i, std::size_t j) {
                             const auto n = static_cast<unsigned>(b.integers[j]);
                             setInteger(result, to, left ? a.integers[i] << n : a.integers[i] >> n);
                           }),
                    {}}};
  return node;
}

/// Makes an operator with any number of inputs.
RandomNode variadic(Random &random, std::int64_t) {
  const std::string name = random.pick(std::vector<std::string>{"Max", "Min", "Sum", "Mean"});
  const bool anyNumber = name == "Max" || name == "Min";
  const ElementType type = random.pick(anyNumber ? kNumbers : kReals);
  const std::size_t count = random.between(1, 4);
  Shape shape = random.shape(0, 4);
  RandomNode node{.op = name};
  for (std::size_t i = 0; i < count; ++i)
    node.add(random.tensor(type, random.broadcastable(shape),
                           anyNumber ? Reals::Special : Reals::Ordinary));
  shape = {};
  for (const HostTensor &input : node.inputs)
    shape = broadcastOf(shape, input.shape);
  HostTensor result = makeTensor(type, shape);
  std::vector<double> magnitudes;
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    double value = 0, magnitude = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = node.inputs[i].at(positionOf(node.inputs[i].shape, index));
      magnitude += anyNumber ? 0 : std::fabs(x);
      value = i == 0          ? x
              : name == "Max" ? largerOf(value, x)
              : name == "Min" ? smallerOf(value, x)
                              : value + x;
    }
    magnitudes.push_back(magnitude);
    setElement(result, to++, name == "Mean" ? value / static_cast<double>(count) : value);
  });
  node.expected = {{result, magnitudes}};
  return node;
}

RandomNode cast(Random &random, std::int64_t opset) {
  const ElementType from = random.pick(kAllTypes), to = random.pick(kAllTypes);
  const Shape shape = random.shape(0, 6);
  RandomNode node{.op = "Cast"};
  // The standard defines no value for reals that the integer type cannot hold.
  HostTensor input = random.tensor(from, shape, isReal(to) ? Reals::Special : Reals::Ordinary);
  const bool hasSign = isReal(to) || isSigned(to);
  if (isReal(from) && !hasSign && to != ElementType::Bool)
    for (float &x : input.reals)
      x = std::fabs(x);
  if (onnx::widthOf(from) < 8 && onnx::widthOf(to) == 8 && !isReal(from) && !hasSign)
    for (std::int64_t &i : input.integers)
      i = std::max<std::int64_t>(0, i);
  if (to == ElementType::UInt64)
    for (std::int64_t &i : input.integers)
      i = std::max<std::int64_t>(0, i);
  if (from == ElementType::UInt32 && to == ElementType::Int64) // 31 bits on the device
    for (std::int64_t &i : input.integers)
      i &= INT32_MAX;
  node.add(input);
  if (opset >= 15 && random.oneIn(2)) {
    node.op = "CastLike";
    node.add(random.tensor(to, {1}));
  } else {
    node.attributes["to"] = static_cast<std::int64_t>(to);
  }
  HostTensor result = makeTensor(to, shape);
  for (std::size_t i = 0; i < result.elements(); ++i) {
    if (isReal(to))
      setElement(result, i, node.inputs[0].at(i));
    else if (to == ElementType::Bool)
      result.integers[i] = node.inputs[0].at(i) != 0;
    else if (isReal(from))
      setElement(result, i, std::trunc(node.inputs[0].at(i)));
    else
      setInteger(result, i, node.inputs[0].integers[i]);
  }
  node.expected = {{result, {}}};
  return node;
}

RandomNode where(Random &random, std::int64_t) {
  const auto [first, second] = twoShapes(random);
  const ElementType type = random.pick(kAllTypes);
  RandomNode node{.op = "Where"};
  node.add(random.tensor(ElementType::Bool, random.broadcastable(broadcastOf(first, second))));
  node.add(random.tensor(type, first));
  node.add(random.tensor(type, second));
  HostTensor result =
      makeTensor(type, broadcastOf(node.inputs[0].shape, broadcastOf(first, second)));
  std::size_t to = 0;
  forEachIndex(result.shape, [&](const Shape &index) {
    const bool yes = node.inputs[0].integers[positionOf(node.inputs[0].shape, index)] != 0;
    const HostTensor &from = node.inputs[yes ? 1 : 2];
    copyElement(result, to++, from, positionOf(from.shape, index));
  });
  node.expected = {{result, {}}};
  return node;
}

RandomNode clip(Random &random, std::int64_t opset) {
  const ElementType type = random.pick(opset >= 12 ? kNumbers : kReals);
  RandomNode node{.op = "Clip"};
  node.add(random.tensor(type, random.shape(0, 6)));
  const HostTensor low = random.tensor(type, {}, Reals::Ordinary),
                   high = random.tensor(type, {}, Reals::Ordinary);
  node.add(low);
  const bool hasHigh = random.oneIn(2);
  if (hasHigh)
    node.add(high);
  HostTensor result = node.inputs[0];
  for (std::size_t i = 0; i < result.elements(); ++i) {
    if (isReal(type)) {
      double x = largerOf(result.at(i), low.at(0));
      setElement(result, i, hasHigh ? smallerOf(x, high.at(0)) : x);
    } else {
      const std::int64_t x = std::max(result.integers[i], low.integers[0]);
      setInteger(result, i, hasHigh ? std::min(x, high.integers[0]) : x);
    }
  }
  node.expected = {{result, {}}};
  return node;
}

/// The operators are newer than the schemas that the library knows.
RandomNode bitwise(Random &random, std::int64_t opset) {
  if (opset < 18)
    return shift(random, opset);
  const std::string name =
      random.pick(std::vector<std::string>{"BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"});
  const ElementType type = random.pick(
      std::vector<ElementType>{ElementType::Int8, ElementType::UInt8, ElementType::Int16,
                               ElementType::UInt16, ElementType::Int32, ElementType::UInt32});
  const auto [first, second] = twoShapes(random);
  RandomNode node{.op = name};
  node.add(random.tensor(type, first));
  if (name != "BitwiseNot")
    node.add(random.tensor(type, second));
  const HostTensor &a = node.inputs.front(), &b = node.inputs.back();
  node.expected = {{paired(type, a, b,
                           [&](HostTensor &result, std::size_t to, std::size_t i, std::size_t j) {
                             const std::int64_t x = a.integers[i], y = b.integers[j];
                             setInteger(result, to,
                                        name == "BitwiseAnd"   ? x & y
                                        : name == "BitwiseOr"  ? x | y
                                        : name == "BitwiseXor" ? x ^ y
                                                               : ~x);
                           }),
                    {}}};
  return node;
}

} // namespace

void addNodesOfElements(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(), 8, unaryOfReals);
  makers.insert(makers.end(), 4, arithmeticOfReals);
  makers.insert(makers.end(), 4, arithmeticOfIntegers);
  makers.insert(makers.end(), {unaryWithParameters, unaryOfIntegers, unaryOfIntegers, tests,
                               mixedPower, comparison, comparison, shift, bitwise, variadic,
                               variadic, cast, cast, where, clip, clip});
}

} // namespace copse::test
