// Makes nodes of operators that move elements without computing.
#include "random_node.hpp"

#include <algorithm>
#include <numeric>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Integers = std::vector<std::int64_t>;

/// Makes a node with one input, which may be known: then the host moves its elements.
RandomNode moving(const char *op, Random &random, const Shape &shape) {
  RandomNode node{.op = op};
  node.add(random.tensor(random.pick(kAllTypes), shape), random.oneIn(4));
  return node;
}

void expect(RandomNode &node, const Shape &shape,
            const std::function<std::size_t(const Shape &)> &from) {
  node.expected.push_back({moved(node.inputs[0], shape, from), {}});
}
/// Expects the elements in the same order.
void expectReshaped(RandomNode &node, const Shape &shape) {
  HostTensor result = node.inputs[0];
  result.shape = shape;
  node.expected = {{result, {}}};
}

RandomNode identity(Random &random, std::int64_t) {
  RandomNode node = moving("Identity", random, random.shape(0, 6));
  expectReshaped(node, node.inputs[0].shape);
  return node;
}

RandomNode reshape(Random &random, std::int64_t) {
  const Shape in = random.shape(0, 6);
  RandomNode node = moving("Reshape", random, in);
  Shape shape;
  Integers wanted;
  if (random.oneIn(2) && onnx::elementsOf(in) > 0) { // neighbours joined, one of them left open
    for (std::size_t d = 0; d < in.size(); d += 2)
      shape.push_back(in[d] * (d + 1 < in.size() ? in[d + 1] : 1));
    wanted = listOf(shape);
    const std::size_t open = shape.empty() ? 0 : random.below(shape.size());
    std::size_t others = 1;
    for (std::size_t d = 0; d < shape.size(); ++d)
      others *= d == open ? 1 : shape[d];
    if (!shape.empty() && others > 0)
      wanted[open] = -1;
  } else { // the same shape with ones inserted
    shape = in;
    wanted = listOf(shape);
    if (!shape.empty())
      wanted[0] = 0; // copied
    shape.push_back(1);
    wanted.push_back(1);
  }
  node.add(listOf(wanted), true);
  expectReshaped(node, shape);
  return node;
}

RandomNode flatten(Random &random, std::int64_t) {
  const Shape in = random.shape(1, 6);
  RandomNode node = moving("Flatten", random, in);
  const std::size_t axis = random.below(in.size() + 1);
  node.attributes["axis"] = number(axis);
  const auto split = in.begin() + static_cast<std::ptrdiff_t>(axis);
  expectReshaped(
      node, {onnx::elementsOf(Shape(in.begin(), split)), onnx::elementsOf(Shape(split, in.end()))});
  return node;
}

/// Adds the axes of Squeeze or Unsqueeze: an input from opset 13.
void addAxes(RandomNode &node, std::int64_t opset, const Integers &axes) {
  if (opset >= 13)
    node.add(listOf(axes), true);
  else
    node.attributes["axes"] = axes;
}

RandomNode squeeze(Random &random, std::int64_t opset) {
  Shape in = random.shape(0, 5);
  in.insert(in.begin() + number(random.below(in.size() + 1)), 1);
  RandomNode node = moving("Squeeze", random, in);
  Integers axes;
  Shape shape;
  const bool all = random.oneIn(2);
  for (std::size_t d = 0; d < in.size(); ++d)
    if (in[d] == 1 && (all || axes.empty()))
      axes.push_back(random.oneIn(2) ? number(d) : number(d) - number(in.size()));
    else
      shape.push_back(in[d]);
  if (!all || random.oneIn(2))
    addAxes(node, opset, axes);
  expectReshaped(node, shape);
  return node;
}

RandomNode unsqueeze(Random &random, std::int64_t opset) {
  const Shape in = random.shape(0, 4);
  RandomNode node = moving("Unsqueeze", random, in);
  Shape shape = in;
  const std::size_t at = random.below(in.size() + 1);
  shape.insert(shape.begin() + number(at), 1);
  shape.push_back(1);
  addAxes(node, opset, {-1, number(at)});
  expectReshaped(node, shape);
  return node;
}

RandomNode transpose(Random &random, std::int64_t) {
  const Shape in = random.shape(0, 6);
  RandomNode node = moving("Transpose", random, in);
  Integers order(in.size());
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  if (random.oneIn(2) && !in.empty()) {
    for (std::size_t d = in.size(); d-- > 1;)
      std::swap(order[d], order[random.below(d + 1)]);
    node.attributes["perm"] = order;
  }
  Shape shape;
  for (const std::int64_t d : order)
    shape.push_back(in[static_cast<std::size_t>(d)]);
  expect(node, shape, [&](const Shape &index) {
    Shape from(in.size());
    for (std::size_t d = 0; d < in.size(); ++d)
      from[static_cast<std::size_t>(order[d])] = index[d];
    return positionOf(in, from);
  });
  return node;
}

RandomNode concatenate(Random &random, std::int64_t) {
  const Shape first = random.shape(1, 5);
  const std::size_t axis = random.below(first.size());
  const ElementType type = random.pick(kAllTypes);
  RandomNode node{.op = "Concat", .attributes = {{"axis", random.axis(axis, first.size())}}};
  Shape shape = first;
  shape[axis] = 0;
  for (std::size_t parts = random.between(1, 3); parts > 0; --parts) {
    Shape part = first;
    part[axis] = random.size();
    shape[axis] += part[axis];
    node.add(random.tensor(type, part));
  }
  HostTensor result = makeTensor(type, shape);
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    Shape from = index;
    std::size_t i = 0;
    for (; from[axis] >= node.inputs[i].shape[axis]; ++i)
      from[axis] -= node.inputs[i].shape[axis];
    copyElement(result, to++, node.inputs[i], positionOf(node.inputs[i].shape, from));
  });
  node.expected = {{result, {}}};
  return node;
}

RandomNode split(Random &random, std::int64_t opset) {
  Shape in = random.shape(1, 5);
  const std::size_t axis = random.below(in.size());
  const std::size_t outputs = random.between(1, 3);
  Integers sizes;
  in[axis] = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    sizes.push_back(number(random.below(4)));
    in[axis] += static_cast<std::size_t>(sizes.back());
  }
  RandomNode node = moving("Split", random, in);
  node.attributes["axis"] = random.axis(axis, in.size());
  if (opset >= 13)
    node.add(listOf(sizes), true);
  else
    node.attributes["split"] = sizes;
  std::size_t begin = 0;
  for (const std::int64_t size : sizes) {
    Shape shape = in;
    shape[axis] = static_cast<std::size_t>(size);
    expect(node, shape, [&](Shape index) {
      index[axis] += begin;
      return positionOf(in, index);
    });
    begin += static_cast<std::size_t>(size);
  }
  return node;
}

RandomNode slice(Random &random, std::int64_t) {
  const Shape in = random.shape(1, 5);
  RandomNode node = moving("Slice", random, in);
  Integers begins, ends, axes, steps;
  Shape shape = in;
  Integers first(in.size(), 0), step(in.size(), 1);
  for (std::size_t d = 0; d < in.size(); ++d) {
    if (random.oneIn(3))
      continue;
    const std::int64_t size = number(in[d]);
    begins.push_back(random.signedBetween(-size - 2, size + 2));
    ends.push_back(random.oneIn(4) ? (random.oneIn(2) ? INT64_MAX : INT64_MIN + 1)
                                   : random.signedBetween(-size - 2, size + 2));
    axes.push_back(random.oneIn(2) ? number(d) : number(d) - number(in.size()));
    steps.push_back(random.oneOf(Integers{1, 1, 2, -1, -2}));
    // Follows Python's slice.indices().
    const bool forwards = steps.back() > 0;
    const std::int64_t low = forwards ? 0 : -1, high = forwards ? size : size - 1;
    const auto bound = [&](std::int64_t at) {
      return std::clamp(at < 0 ? at + size : at, low, high);
    };
    first[d] = bound(begins.back());
    const std::int64_t last = bound(ends.back());
    step[d] = steps.back();
    const std::int64_t distance = forwards ? last - first[d] : first[d] - last,
                       stride = std::abs(step[d]);
    shape[d] = distance <= 0 ? 0 : static_cast<std::size_t>((distance + stride - 1) / stride);
  }
  for (const Integers &list : {begins, ends, axes, steps})
    node.add(listOf(list), true);
  expect(node, shape, [&](Shape index) {
    for (std::size_t d = 0; d < in.size(); ++d)
      index[d] = static_cast<std::size_t>(first[d] + number(index[d]) * step[d]);
    return positionOf(in, index);
  });
  return node;
}

RandomNode expand(Random &random, std::int64_t) {
  const Shape shape = random.shape(0, 6), in = random.broadcastable(shape);
  RandomNode node = moving("Expand", random, in);
  Integers wanted = listOf(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) // 1: the input's own
    if (d + in.size() >= shape.size() && in[d + in.size() - shape.size()] == shape[d] &&
        random.oneIn(2))
      wanted[d] = 1;
  node.add(listOf(wanted), true);
  expect(node, shape, [&](const Shape &index) { return positionOf(in, index); });
  return node;
}

RandomNode tile(Random &random, std::int64_t) {
  const Shape in = random.shape(0, 4);
  RandomNode node = moving("Tile", random, in);
  Integers repeats;
  Shape shape = in;
  for (std::size_t &size : shape) {
    repeats.push_back(number(random.oneIn(10) ? 0 : random.between(1, 3)));
    size *= static_cast<std::size_t>(repeats.back());
  }
  node.add(listOf(repeats), true);
  expect(node, shape, [&](Shape index) {
    for (std::size_t d = 0; d < in.size(); ++d)
      index[d] %= in[d];
    return positionOf(in, index);
  });
  return node;
}

RandomNode pad(Random &random, std::int64_t) {
  const auto mode = random.oneOf(std::vector<std::string>{"constant", "edge", "reflect"});
  Shape in = random.shape(1, 4);
  if (mode != "constant")
    for (std::size_t &size : in)
      size = std::max<std::size_t>(1, size);
  RandomNode node = moving("Pad", random, in);
  node.attributes["mode"] = mode;
  Integers lower, upper;
  Shape shape;
  for (const std::size_t size : in) {
    const std::int64_t most = mode == "reflect" ? std::min<std::int64_t>(3, number(size) - 1) : 3;
    lower.push_back(random.signedBetween(0, most));
    upper.push_back(random.signedBetween(0, most));
    shape.push_back(size + static_cast<std::size_t>(lower.back() + upper.back()));
  }
  Integers pads = lower;
  pads.insert(pads.end(), upper.begin(), upper.end());
  node.add(listOf(pads), true);
  const HostTensor value = random.tensor(node.inputs[0].type, {});
  const bool given = mode == "constant" && random.oneIn(2);
  if (given)
    node.add(value);
  const HostTensor &input = node.inputs[0];
  HostTensor result = makeTensor(input.type, shape);
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    Shape from(in.size());
    bool outside = false;
    for (std::size_t d = 0; d < in.size(); ++d) {
      std::int64_t at = number(index[d]) - lower[d];
      const std::int64_t last = number(in[d]) - 1;
      outside = outside || at < 0 || at > last;
      if (mode == "reflect")
        at = at < 0 ? -at : at > last ? 2 * last - at : at;
      else
        at = std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(0, last));
      from[d] = static_cast<std::size_t>(at);
    }
    if (mode != "constant" || !outside)
      copyElement(result, to, input, positionOf(in, from));
    else if (given)
      copyElement(result, to, value, 0);
    ++to;
  });
  node.expected = {{result, {}}};
  return node;
}

RandomNode depthAndSpace(Random &random, std::int64_t) {
  const bool toDepth = random.oneIn(2), columnFirst = random.oneIn(2);
  const std::size_t b = random.between(1, 3), n = random.size(), c = random.sizeFrom1(),
                    h = random.sizeFrom1(), w = random.sizeFrom1();
  const Shape deep = {n, c * b * b, h, w}, wide = {n, c, h * b, w * b};
  RandomNode node =
      moving(toDepth ? "SpaceToDepth" : "DepthToSpace", random, toDepth ? wide : deep);
  node.attributes["blocksize"] = number(b);
  if (!toDepth)
    node.attributes["mode"] = std::string(columnFirst ? "CRD" : "DCR");
  expect(node, toDepth ? deep : wide, [&](const Shape &index) {
    if (toDepth) {
      const std::size_t block = index[1] / c, channel = index[1] % c;
      return positionOf(wide,
                        {index[0], channel, index[2] * b + block / b, index[3] * b + block % b});
    }
    const std::size_t block = index[2] % b * b + index[3] % b;
    return positionOf(deep,
                      {index[0], columnFirst ? index[1] * b * b + block : block * c + index[1],
                       index[2] / b, index[3] / b});
  });
  return node;
}

RandomNode eyeLike(Random &random, std::int64_t) {
  const Shape shape = {random.size(), random.size()};
  const std::int64_t k = random.signedBetween(-3, 3);
  RandomNode node{.op = "EyeLike", .attributes = {{"k", k}}};
  node.add(random.tensor(ElementType::Float, shape));
  const ElementType type = random.pick(kNumbers);
  node.attributes["dtype"] = static_cast<std::int64_t>(type);
  HostTensor result = makeTensor(type, shape);
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    setElement(result, to++, number(index[1]) - number(index[0]) == k);
  });
  node.expected = {{result, {}}};
  return node;
}

RandomNode triangle(Random &random, std::int64_t opset) {
  if (opset < 14)
    return identity(random, opset);
  Shape shape = random.shape(2, 5);
  const bool upper = random.oneIn(2);
  const std::int64_t k = random.signedBetween(-3, 3);
  RandomNode node = moving("Trilu", random, shape);
  node.attributes["upper"] = std::int64_t{upper};
  HostTensor diagonal = listOf(Integers{k});
  diagonal.shape = {};
  node.add(diagonal, true);
  HostTensor result = makeTensor(node.inputs[0].type, shape);
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    const std::int64_t offset = number(index.back()) - number(index[index.size() - 2]);
    if (upper ? offset >= k : offset <= k)
      copyElement(result, to, node.inputs[0], to);
    ++to;
  });
  node.expected = {{result, {}}};
  return node;
}

} // namespace

void addNodesOfShapes(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(),
                {identity, reshape, flatten, squeeze, unsqueeze, transpose, concatenate, split,
                 slice, expand, tile, pad, depthAndSpace, eyeLike, triangle});
}

} // namespace copse::test
