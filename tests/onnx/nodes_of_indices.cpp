// Makes nodes that choose elements by indices, order elements, or find positions of extremes.
#include "random_node.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Integers = std::vector<std::int64_t>;

Shape withElements(Shape shape) {
  for (std::size_t &size : shape)
    size = std::max<std::size_t>(1, size);
  return shape;
}

const std::vector<ElementType> kIndexTypes = {ElementType::Int32, ElementType::Int64};

/// Returns an index from the start for one that may count from the end.
std::size_t fromStart(std::int64_t index, std::size_t size) {
  return static_cast<std::size_t>(index < 0 ? index + number(size) : index);
}

RandomNode gather(Random &random, std::int64_t) {
  const Shape data = withElements(random.shape(1, 4)), indices = random.shape(0, 3);
  const std::size_t axis = random.below(data.size());
  RandomNode node{.op = "Gather", .attributes = {{"axis", random.axis(axis, data.size())}}};
  node.add(random.tensor(random.pick(kAllTypes), data));
  node.add(random.integers(random.pick(kIndexTypes), indices, -number(data[axis]),
                           number(data[axis]) - 1),
           random.oneIn(3));
  Shape shape(data.begin(), data.begin() + number(axis));
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + number(axis) + 1, data.end());
  node.expected = {
      {moved(node.inputs[0], shape,
             [&](const Shape &index) {
               const auto begin = index.begin() + number(axis),
                          end = begin + number(indices.size());
               Shape from(index.begin(), begin);
               from.push_back(fromStart(
                   node.inputs[1].integers[positionOf(indices, Shape(begin, end))], data[axis]));
               from.insert(from.end(), end, index.end());
               return positionOf(data, from);
             }),
       {}}};
  return node;
}

/// Returns the shape of indices of GatherElements and ScatterElements: of the data's rank, smaller
/// elsewhere.
Shape smallerShape(Random &random, const Shape &data, std::size_t axis) {
  Shape shape = data;
  for (std::size_t d = 0; d < shape.size(); ++d)
    shape[d] = d == axis ? random.between(1, 4) : random.between(1, shape[d]);
  if (random.oneIn(15))
    shape[axis] = 0;
  return shape;
}

RandomNode gatherElements(Random &random, std::int64_t) {
  const Shape data = withElements(random.shape(1, 4));
  const std::size_t axis = random.below(data.size());
  const Shape shape = smallerShape(random, data, axis);
  RandomNode node{.op = "GatherElements", .attributes = {{"axis", random.axis(axis, data.size())}}};
  node.add(random.tensor(random.pick(kAllTypes), data));
  node.add(random.integers(random.pick(kIndexTypes), shape, -number(data[axis]),
                           number(data[axis]) - 1));
  std::size_t at = 0;
  node.expected = {{moved(node.inputs[0], shape,
                          [&](Shape index) {
                            index[axis] = fromStart(node.inputs[1].integers[at++], data[axis]);
                            return positionOf(data, index);
                          }),
                    {}}};
  return node;
}

/// Returns tuples of indices into the leading dimensions after \p batch common ones.
HostTensor tuplesInto(Random &random, const Shape &data, Shape shape, std::size_t batch,
                      std::size_t length) {
  shape.push_back(length);
  HostTensor tuples = makeTensor(ElementType::Int64, shape);
  for (std::size_t i = 0; i < tuples.elements(); ++i) {
    const std::int64_t size = number(data[batch + i % length]);
    tuples.integers[i] = random.signedBetween(-size, size - 1);
  }
  return tuples;
}

RandomNode gatherND(Random &random, std::int64_t) {
  const Shape data = withElements(random.shape(1, 5));
  const std::size_t batch =
                        random.oneIn(2) ? 0 : random.below(std::min<std::size_t>(3, data.size())),
                    length = random.between(1, data.size() - batch);
  Shape tuples(data.begin(), data.begin() + number(batch));
  for (const std::size_t size : random.shape(0, 2))
    tuples.push_back(size);
  RandomNode node{.op = "GatherND"};
  if (batch > 0)
    node.attributes["batch_dims"] = number(batch);
  node.add(random.tensor(random.pick(kAllTypes), data));
  node.add(tuplesInto(random, data, tuples, batch, length));
  Shape shape = tuples;
  shape.insert(shape.end(), data.begin() + number(batch + length), data.end());
  node.expected = {{moved(node.inputs[0], shape,
                          [&](const Shape &index) {
                            const auto end = index.begin() + number(tuples.size());
                            const std::size_t tuple = positionOf(tuples, Shape(index.begin(), end));
                            Shape from(index.begin(), index.begin() + number(batch));
                            for (std::size_t i = 0; i < length; ++i)
                              from.push_back(fromStart(node.inputs[1].integers[tuple * length + i],
                                                       data[batch + i]));
                            from.insert(from.end(), end, index.end());
                            return positionOf(data, from);
                          }),
                    {}}};
  return node;
}

/// Returns a reduction that the type allows.
std::string reductionFor(Random &random, ElementType type, std::int64_t opset) {
  if (opset < 16 || type == ElementType::Bool || random.oneIn(2))
    return "none";
  if (opset < 18 || !isReal(type))
    return "add";
  return random.pick(std::vector<std::string>{"add", "mul", "max"});
}

double combined(double a, double b, const std::string &reduction) {
  return reduction == "add" ? a + b : reduction == "mul" ? a * b : std::max(a, b);
}

void combine(HostTensor &to, std::size_t position, const HostTensor &from, std::size_t source,
             const std::string &reduction) {
  if (reduction == "none")
    copyElement(to, position, from, source);
  else if (isReal(to.type))
    setElement(to, position, combined(to.at(position), from.at(source), reduction));
  else
    setInteger(to, position, to.integers[position] + from.integers[source]);
}

RandomNode scatterElements(Random &random, std::int64_t opset) {
  const Shape data = withElements(random.shape(1, 4));
  const std::size_t axis = random.below(data.size());
  Shape shape = smallerShape(random, data, axis);
  const ElementType type = random.pick(kAllTypes);
  const auto reduction = reductionFor(random, type, opset);
  RandomNode node{.op = opset < 11 ? "Scatter" : "ScatterElements",
                  .attributes = {{"axis", random.axis(axis, data.size())}}};
  if (reduction != "none")
    node.attributes["reduction"] = reduction;
  else
    shape[axis] = std::min(shape[axis], data[axis]);
  node.add(random.tensor(type, data, Random::Reals::Ordinary));
  HostTensor indices = makeTensor(ElementType::Int64, shape);
  const std::int64_t first = random.signedBetween(0, number(data[axis]) - 1);
  std::size_t i = 0;
  forEachIndex(shape, [&](const Shape &index) { // different ones, unless they are added
    const std::int64_t at = (first + number(index[axis])) % number(data[axis]);
    indices.integers[i++] = random.oneIn(2) ? at : at - number(data[axis]);
  });
  node.add(indices);
  node.add(random.tensor(type, shape, Random::Reals::Ordinary));
  HostTensor result = node.inputs[0];
  i = 0;
  forEachIndex(shape, [&](Shape index) {
    index[axis] = fromStart(indices.integers[i], data[axis]);
    combine(result, positionOf(data, index), node.inputs[2], i, reduction);
    ++i;
  });
  node.expected = {{result, std::vector<double>(result.elements(), 16)}};
  return node;
}

RandomNode scatterND(Random &random, std::int64_t opset) {
  const Shape data = withElements(random.shape(1, 4));
  const std::size_t length = random.between(1, data.size());
  const Shape row(data.begin() + number(length), data.end());
  const ElementType type = random.pick(kAllTypes);
  const auto reduction = reductionFor(random, type, opset);
  const std::size_t count = random.oneIn(10) ? 0 : reduction == "none" ? 1 : random.between(1, 4);
  RandomNode node{.op = "ScatterND"};
  if (reduction != "none")
    node.attributes["reduction"] = reduction;
  node.add(random.tensor(type, data, Random::Reals::Ordinary));
  node.add(tuplesInto(random, data, {count}, 0, length));
  Shape updates = row;
  updates.insert(updates.begin(), count);
  node.add(random.tensor(type, updates, Random::Reals::Ordinary));
  HostTensor result = node.inputs[0];
  std::size_t i = 0;
  forEachIndex(updates, [&](const Shape &index) {
    Shape at;
    for (std::size_t d = 0; d < length; ++d)
      at.push_back(fromStart(node.inputs[1].integers[index[0] * length + d], data[d]));
    at.insert(at.end(), index.begin() + 1, index.end());
    combine(result, positionOf(data, at), node.inputs[2], i++, reduction);
  });
  node.expected = {{result, std::vector<double>(result.elements(), 16)}};
  return node;
}

/// Returns lines along an axis, as positions of their elements.
std::vector<std::vector<std::size_t>> linesOf(const Shape &shape, std::size_t axis) {
  Shape lines = shape;
  lines[axis] = 1;
  std::vector<std::vector<std::size_t>> result(onnx::elementsOf(lines));
  std::size_t from = 0;
  forEachIndex(shape,
               [&](const Shape &index) { result[positionOf(lines, index)].push_back(from++); });
  return result;
}

/// Returns true if a < b; NaN is larger than all numbers.
bool isLess(double a, double b) { return !std::isnan(a) && (std::isnan(b) || a < b); }

RandomNode extremePosition(Random &random, std::int64_t opset) {
  const bool largest = random.oneIn(2), keeps = random.oneIn(2),
             last = opset >= 12 && random.oneIn(2);
  Shape in = random.shape(1, 6);
  const std::size_t axis = random.below(in.size());
  in[axis] = std::max<std::size_t>(1, in[axis]);
  RandomNode node{
      .op = largest ? "ArgMax" : "ArgMin",
      .attributes = {{"axis", random.axis(axis, in.size())}, {"keepdims", std::int64_t{keeps}}}};
  if (last)
    node.attributes["select_last_index"] = std::int64_t{1};
  node.add(random.tensor(random.pick(kNumbers), in));
  Shape shape = in;
  if (keeps)
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + number(axis));
  HostTensor result = makeTensor(ElementType::Int64, shape);
  std::size_t to = 0;
  for (const auto &line : linesOf(in, axis)) {
    std::size_t best = 0;
    const auto x = [&](std::size_t i) { return node.inputs[0].at(line[i]); };
    for (std::size_t i = 1; i < line.size(); ++i) {
      // NaN is the result, for the minimum and for the maximum.
      const bool better = std::isnan(x(best)) ? false
                          : std::isnan(x(i))  ? true
                          : largest           ? x(i) > x(best)
                                              : x(i) < x(best);
      const bool same = x(i) == x(best) || (std::isnan(x(i)) && std::isnan(x(best)));
      if (better || (last && same))
        best = i;
    }
    result.integers[to++] = number(best);
  }
  node.expected = {{result, {}}};
  return node;
}

RandomNode topK(Random &random, std::int64_t) {
  const bool largest = random.oneIn(2);
  const Shape in = random.shape(1, 4);
  const std::size_t axis = random.below(in.size()), k = random.between(0, in[axis]);
  RandomNode node{
      .op = "TopK",
      .attributes = {{"axis", random.axis(axis, in.size())}, {"largest", std::int64_t{largest}}}};
  node.add(random.tensor(random.pick(kNumbers), in));
  node.add(listOf(Integers{number(k)}), true);
  Shape shape = in;
  shape[axis] = k;
  HostTensor values = makeTensor(node.inputs[0].type, shape),
             positions = makeTensor(ElementType::Int64, shape);
  if (k > 0) {
    const auto lines = linesOf(in, axis), results = linesOf(shape, axis);
    for (std::size_t n = 0; n < lines.size(); ++n) {
      std::vector<std::size_t> order(in[axis]);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const double x = node.inputs[0].at(lines[n][a]), y = node.inputs[0].at(lines[n][b]);
        return largest ? isLess(y, x) : isLess(x, y);
      });
      for (std::size_t i = 0; i < k; ++i) {
        copyElement(values, results[n][i], node.inputs[0], lines[n][order[i]]);
        positions.integers[results[n][i]] = number(order[i]);
      }
    }
  }
  node.expected = {{values, {}}, {positions, {}}};
  return node;
}

RandomNode hardmax(Random &random, std::int64_t opset) {
  const Shape shape = random.shape(1, 5);
  const std::size_t axis = random.below(shape.size());
  RandomNode node{.op = "Hardmax", .attributes = {{"axis", random.axis(axis, shape.size())}}};
  node.add(random.tensor(random.pick(kReals), shape));
  HostTensor result = makeTensor(node.inputs[0].type, shape);
  Shape joined = shape;
  std::size_t along = axis;
  if (opset < 13) {
    const auto split = shape.begin() + number(axis);
    joined = {onnx::elementsOf(Shape(shape.begin(), split)),
              onnx::elementsOf(Shape(split, shape.end()))};
    along = 1;
  }
  if (result.elements() > 0)
    for (const auto &line : linesOf(joined, along)) {
      std::size_t best = line[0];
      for (const std::size_t i : line)
        if (isLess(node.inputs[0].at(best), node.inputs[0].at(i)))
          best = i;
      setElement(result, best, 1);
    }
  node.expected = {{result, {}}};
  return node;
}

RandomNode oneHot(Random &random, std::int64_t) {
  const Shape indices = random.shape(0, 4);
  const std::size_t depth = random.between(1, 5), axis = random.below(indices.size() + 1);
  const ElementType type = random.pick(kAllTypes);
  RandomNode node{.op = "OneHot", .attributes = {{"axis", random.axis(axis, indices.size() + 1)}}};
  node.add(random.integers(random.pick(std::vector<ElementType>{
                               ElementType::Int32, ElementType::Int64, ElementType::Int8}),
                           indices, -number(depth) - 2, number(depth) + 2));
  HostTensor classes = listOf(Integers{number(depth)});
  if (random.oneIn(2))
    classes.shape = {};
  node.add(classes, true);
  node.add(random.tensor(type, {2}));
  Shape shape = indices;
  shape.insert(shape.begin() + number(axis), depth);
  HostTensor result = makeTensor(type, shape);
  std::size_t to = 0;
  forEachIndex(shape, [&](Shape index) {
    const std::int64_t at = number(index[axis]);
    index.erase(index.begin() + number(axis));
    const std::int64_t wanted = node.inputs[0].integers[positionOf(indices, index)];
    const bool on = wanted == at || wanted + number(depth) == at;
    copyElement(result, to++, node.inputs[2], on ? 1 : 0);
  });
  node.expected = {{result, {}}};
  return node;
}

} // namespace

void addNodesOfIndices(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(), {gather, gatherElements, gatherND, scatterElements, scatterND,
                               extremePosition, extremePosition, topK, topK, hardmax, oneHot});
}

} // namespace copse::test
