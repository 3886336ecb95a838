#include "folding.hpp"

#include "host_array.hpp"

#include <cmath>
#include <limits>

namespace copse::onnx {
namespace {

/// A function of one or two elements. A null member means that the operator is not folded for such
/// elements. Reals are computed in floats and rounded once, as on the device.
struct HostFunction {
  std::int64_t (*ofIntegers)(std::int64_t, std::int64_t) = nullptr;
  float (*ofReals)(float, float) = nullptr;
  bool (*testsIntegers)(std::int64_t, std::int64_t) = nullptr; ///< returns booleans
  bool (*testsReals)(float, float) = nullptr;
};

/// Computes sums and products with wrap-around, as ONNX's integers do.
template <class Function>
std::int64_t wrappingRound(std::int64_t a, std::int64_t b, Function function) {
  return static_cast<std::int64_t>(
      function(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}
std::int64_t sum(std::int64_t a, std::int64_t b) { return wrappingRound(a, b, std::plus<>()); }
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return wrappingRound(a, b, std::minus<>());
}
std::int64_t product(std::int64_t a, std::int64_t b) {
  return wrappingRound(a, b, std::multiplies<>());
}
std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (b == 0)
    throw ModelError("a division of integers by zero");
  return b == -1 ? difference(0, a) : a / b; // the smallest integer has no negative
}
/// Returns the remainder with the sign of the divisor, as in Python.
std::int64_t remainder(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = difference(a, product(quotient(a, b), b));
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
std::int64_t power(std::int64_t a, std::int64_t b) {
  std::int64_t result = 1;
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  for (; b > 0; b /= 2, a = product(a, a))
    result = b % 2 == 1 ? product(result, a) : result;
  return result;
}

using Functions = std::map<std::string, HostFunction>;

Functions functionsOfTwo() {
  using I = std::int64_t;
  using R = float;
  return {
      {"Add", {sum, [](R a, R b) { return a + b; }}},
      {"Sub", {difference, [](R a, R b) { return a - b; }}},
      {"Mul", {product, [](R a, R b) { return a * b; }}},
      {"Div", {quotient, [](R a, R b) { return a / b; }}},
      {"Mod", {remainder}},
      {"Pow", {power, [](R a, R b) { return std::pow(a, b); }}},
      {"Max",
       {[](I a, I b) { return std::max(a, b); },
        [](R a, R b) { return a > b || std::isnan(a) ? a : b; }}},
      {"Min",
       {[](I a, I b) { return std::min(a, b); },
        [](R a, R b) { return a < b || std::isnan(a) ? a : b; }}},
      {"Sum", {sum, [](R a, R b) { return a + b; }}},
      {"And", {nullptr, nullptr, [](I a, I b) { return a != 0 && b != 0; }}},
      {"Or", {nullptr, nullptr, [](I a, I b) { return a != 0 || b != 0; }}},
      {"Xor", {nullptr, nullptr, [](I a, I b) { return (a != 0) != (b != 0); }}},
      {"Equal",
       {nullptr, nullptr, [](I a, I b) { return a == b; }, [](R a, R b) { return a == b; }}},
      {"Less", {nullptr, nullptr, [](I a, I b) { return a < b; }, [](R a, R b) { return a < b; }}},
      {"LessOrEqual",
       {nullptr, nullptr, [](I a, I b) { return a <= b; }, [](R a, R b) { return a <= b; }}},
      {"Greater",
       {nullptr, nullptr, [](I a, I b) { return a > b; }, [](R a, R b) { return a > b; }}},
      {"GreaterOrEqual",
       {nullptr, nullptr, [](I a, I b) { return a >= b; }, [](R a, R b) { return a >= b; }}},
  };
}

/// Returns functions that ignore their second argument.
Functions functionsOfOne() {
  using I = std::int64_t;
  using R = float;
  return {
      {"Neg", {[](I a, I) { return difference(0, a); }, [](R a, R) { return -a; }}},
      {"Abs",
       {[](I a, I) { return a < 0 ? difference(0, a) : a; }, [](R a, R) { return std::fabs(a); }}},
      {"Sign",
       {[](I a, I) { return static_cast<I>((a > 0) - (a < 0)); },
        [](R a, R) { return a > 0   ? R{1}
                            : a < 0 ? R{-1}
                                    : a; }}},
      {"Ceil", {nullptr, [](R a, R) { return std::ceil(a); }}},
      {"Floor", {nullptr, [](R a, R) { return std::floor(a); }}},
      {"Round", {nullptr, [](R a, R) { return std::nearbyint(a); }}},
      {"Sqrt", {nullptr, [](R a, R) { return std::sqrt(a); }}},
      {"Exp", {nullptr, [](R a, R) { return std::exp(a); }}},
      {"Log", {nullptr, [](R a, R) { return std::log(a); }}},
      {"Reciprocal", {nullptr, [](R a, R) { return 1 / a; }}},
      {"Not", {nullptr, nullptr, [](I a, I) { return a == 0; }}},
  };
}

Shape broadcastShape(const OperatorContext &c, const Shape &a, const Shape &b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (const Shape *of : {&a, &b})
    for (std::size_t d = 0; d < of->size(); ++d) {
      std::size_t &size = shape[shape.size() - of->size() + d];
      if ((*of)[d] != 1 && size != 1 && (*of)[d] != size)
        c.fail("shapes " + textOf(a) + " and " + textOf(b) + " do not broadcast");
      size = size == 1 ? (*of)[d] : size;
    }
  return shape;
}

/// Returns the positions of a tensor's elements when the tensor is broadcast to \p shape.
std::vector<std::size_t> broadcastPositions(const Shape &from, const Shape &shape) {
  const auto own = stridesOf(from);
  std::vector<std::ptrdiff_t> strides(shape.size(), 0);
  for (std::size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1)
      strides[shape.size() - from.size() + d] = own[d];
  std::vector<std::size_t> positions;
  positions.reserve(elementsOf(shape));
  forEachPosition(shape, strides, 0, [&](std::size_t at) { positions.push_back(at); });
  return positions;
}

/// Returns true if an integer uses all of its 64 bits. Functions of signed integers get these
/// wrong.
bool isBeyondSigned(const HostTensor &t) {
  return t.type == ElementType::UInt64 &&
         std::any_of(t.integers.begin(), t.integers.end(), [](std::int64_t i) { return i < 0; });
}

std::optional<HostTensor> applied(const OperatorContext &c, const HostFunction &f,
                                  const HostTensor &a, const HostTensor &b) {
  const bool reals = isReal(a.type), tests = reals ? !!f.testsReals : !!f.testsIntegers;
  if (isBeyondSigned(a) || isBeyondSigned(b))
    return std::nullopt;
  if (isReal(b.type) != reals || !(tests || (reals ? !!f.ofReals : !!f.ofIntegers)))
    return std::nullopt;
  const Shape shape = broadcastShape(c, a.shape, b.shape);
  const auto atA = broadcastPositions(a.shape, shape), atB = broadcastPositions(b.shape, shape);
  HostTensor result = makeTensor(tests ? ElementType::Bool : a.type, shape);
  for (std::size_t i = 0; i < atA.size(); ++i) {
    if (tests)
      result.integers[i] = reals ? f.testsReals(a.reals[atA[i]], b.reals[atB[i]])
                                 : f.testsIntegers(a.integers[atA[i]], b.integers[atB[i]]);
    else if (reals)
      result.reals[i] = rounded(f.ofReals(a.reals[atA[i]], b.reals[atB[i]]), result.type);
    else
      result.integers[i] =
          wrapped(f.ofIntegers(a.integers[atA[i]], b.integers[atB[i]]), result.type);
  }
  return result;
}

bool foldElementwise(OperatorContext &c) {
  static const Functions ofOne = functionsOfOne(), ofTwo = functionsOfTwo();
  std::optional<HostTensor> result;
  if (const auto found = ofOne.find(c.node.op); found != ofOne.end()) {
    result = applied(c, found->second, *c.constant(0), *c.constant(0));
  } else if (const auto two = ofTwo.find(c.node.op); two != ofTwo.end()) {
    if (c.integer("fmod", 0) != 0)
      return false;
    result = *c.constant(0);
    for (std::size_t i = 1; result && i < c.numInputs(); ++i)
      result = applied(c, two->second, *result, *c.constant(i));
  }
  if (result)
    c.outputConstant(std::move(*result));
  return result.has_value();
}

bool foldWhere(OperatorContext &c) {
  const HostTensor &condition = *c.constant(0), &yes = *c.constant(1), &no = *c.constant(2);
  const Shape shape = broadcastShape(c, condition.shape, broadcastShape(c, yes.shape, no.shape));
  const auto chosen = broadcastPositions(condition.shape, shape),
             atYes = broadcastPositions(yes.shape, shape),
             atNo = broadcastPositions(no.shape, shape);
  HostTensor result = makeTensor(yes.type, shape);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const bool first = condition.integers[chosen[i]] != 0;
    if (isReal(yes.type))
      result.reals[i] = first ? yes.reals[atYes[i]] : no.reals[atNo[i]];
    else
      result.integers[i] = first ? yes.integers[atYes[i]] : no.integers[atNo[i]];
  }
  c.outputConstant(std::move(result));
  return true;
}

bool foldCast(OperatorContext &c) {
  c.withoutEffect({"saturate"}); // concerns floating-point types of eight bits
  const auto type =
      c.node.op == "CastLike" ? c.type(1) : static_cast<ElementType>(c.integer("to", 0));
  c.outputConstant(converted(*c.constant(0), type));
  return true;
}

bool foldGather(OperatorContext &c) {
  const HostArray data(*c.constant(0));
  const HostTensor &indices = *c.constant(1);
  const unsigned axis = c.axis(c.integer("axis", 0), data.rank());
  std::vector<HostArray> parts = {data.slice(0, 0, axis)};
  for (const std::int64_t index : indices.integers) {
    const unsigned at = c.axis(index, data.dim(axis)); // counts from the end if negative
    parts.push_back(data.slice(at, at + 1, axis));
  }
  Shape shape = data.shape();
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, indices.shape.begin(), indices.shape.end());
  c.outputConstant(concat(parts, axis).reshape(shape).tensor());
  return true;
}

/// Folds reductions of vectors of integers, by which exporters multiply the sizes of shapes.
bool foldReduction(OperatorContext &c) {
  const HostTensor &in = *c.constant(0);
  if (in.shape.size() != 1 || isReal(in.type) || in.elements() == 0 || isBeyondSigned(in) ||
      c.integer("noop_with_empty_axes", 0) != 0)
    return false;
  c.axes(c.list("axes", 1), 1);
  const std::string name = c.node.op == "ReduceProd"  ? "Mul"
                           : c.node.op == "ReduceSum" ? "Add"
                                                      : c.node.op.substr(6);
  const auto function = functionsOfTwo().at(name).ofIntegers;
  std::int64_t result = in.integers.front();
  for (std::size_t i = 1; i < in.integers.size(); ++i)
    result = wrapped(function(result, in.integers[i]), in.type);
  c.outputConstant({in.type, c.integer("keepdims", 1) != 0 ? Shape{1} : Shape{}, {}, {result}});
  return true;
}

/// Returns the positions of nonzero elements: one row of the result for each dimension.
bool foldNonZero(OperatorContext &c) {
  const HostTensor &in = *c.constant(0);
  const auto strides = stridesOf(in.shape);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < in.elements(); ++i)
    if (in.at(i) != 0)
      found.push_back(i);
  HostTensor result = makeTensor(ElementType::Int64, {in.shape.size(), found.size()});
  for (std::size_t d = 0, next = 0; d < in.shape.size(); ++d)
    for (const std::size_t position : found)
      result.integers[next++] =
          static_cast<std::int64_t>(position / static_cast<std::size_t>(strides[d]) % in.shape[d]);
  c.outputConstant(std::move(result));
  return true;
}

} // namespace

bool fold(OperatorContext &c) {
  static const std::map<std::string, bool (*)(OperatorContext &)> others = {
      {"Where", foldWhere},          {"Cast", foldCast},
      {"CastLike", foldCast},        {"Gather", foldGather},
      {"ReduceProd", foldReduction}, {"ReduceSum", foldReduction},
      {"ReduceMax", foldReduction},  {"ReduceMin", foldReduction},
      {"NonZero", foldNonZero},
  };
  if (!c.allConstant())
    return false;
  const auto found = others.find(c.node.op);
  return found == others.end() ? foldElementwise(c) : found->second(c);
}

} // namespace copse::onnx
