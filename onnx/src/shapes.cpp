// Operators that move elements without computing. The operators make views of tensors, so nothing
// runs.
#include "host_array.hpp"
#include "operators.hpp"

#include <numeric>
#include <popops/Pad.hpp>

namespace copse::onnx {
namespace {

void put(OperatorContext &c, const poplar::Tensor &result, std::size_t i = 0) {
  c.outputInRange(result, c.type(), i);
}
void put(OperatorContext &c, const HostArray &result, std::size_t i = 0) {
  c.outputConstant(result.tensor(), i);
}

/// Returns the lowering of an operator that moves the elements of its first input: on the host if
/// they are known there, else as a view.
template <class Move> Lowering moving(Move move) {
  return [move](OperatorContext &c) {
    if (const HostTensor *constant = c.constant(0))
      move(c, HostArray(*constant));
    else
      move(c, c.tensor());
  };
}

constexpr auto identity = [](OperatorContext &c, const auto &in) { put(c, in); };

/// Returns true if a node that trains may drop elements, because its ratio is not 0. The default
/// ratio is 0.5.
bool drops(const OperatorContext &c) {
  if (c.opset < 12)
    return c.real("ratio", 0.5f) != 0;
  return !c.has(1) || c.known(1).elements() != 1 || c.known(1).at(0) != 0;
}

bool trains(const OperatorContext &c) {
  if (c.opset < 7)
    return c.integer("is_test", 0) == 0;
  return c.has(2) && c.known(2).elements() > 0 && c.known(2).at(0) != 0;
}

/// Returns the input, because inference drops nothing, and neither does training with a ratio of 0.
constexpr auto dropout = [](OperatorContext &c, const auto &in) {
  c.withoutEffect({"ratio", "seed"});
  c.inputWithoutEffect(1); // the ratio of newer opsets
  if (trains(c) && drops(c))
    c.fail("dropout in training is not supported, but with a ratio of 0");
  if (c.wantsOutput(1)) {
    HostTensor mask = makeTensor(ElementType::Bool, in.shape());
    std::fill(mask.integers.begin(), mask.integers.end(), 1);
    c.outputConstant(std::move(mask), 1);
  }
  put(c, in);
};

constexpr auto putReshaped = [](OperatorContext &c, const auto &in, const Shape &shape) {
  if (elementsOf(shape) != in.numElements())
    c.fail("elements of " + textOf(in.shape()) + " do not fill " + textOf(shape));
  put(c, in.reshape(shape));
};

constexpr auto reshape = [](OperatorContext &c, const auto &in) {
  const auto wanted = c.list("shape", 1);
  const bool zeroCopies = c.integer("allowzero", 0) == 0;
  Shape shape;
  std::size_t open = wanted.size(), others = 1;
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    if (wanted[d] == -1)
      open = d;
    const bool copies = wanted[d] == 0 && zeroCopies;
    if (copies && d >= in.rank())
      c.fail("the shape copies a dimension that the input has not");
    shape.push_back(copies ? in.shape()[d]
                           : static_cast<std::size_t>(std::max<std::int64_t>(0, wanted[d])));
    others *= d == open ? 1 : shape.back();
  }
  if (open < shape.size() && others > 0)
    shape[open] = in.numElements() / others;
  putReshaped(c, in, shape);
};

constexpr auto flatten = [](OperatorContext &c, const auto &in) {
  const auto rank = static_cast<std::int64_t>(in.rank());
  std::int64_t axis = c.integer("axis", 1);
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis > rank)
    c.fail("axis is out of range");
  const Shape shape = in.shape();
  putReshaped(c, in,
              {elementsOf(Shape(shape.begin(), shape.begin() + axis)),
               elementsOf(Shape(shape.begin() + axis, shape.end()))});
};

constexpr auto squeeze = [](OperatorContext &c, const auto &in) {
  const auto dims = c.axes(c.list("axes", 1), in.rank());
  Shape shape;
  for (std::size_t d = 0; d < in.rank(); ++d)
    if (dims.empty() ? in.shape()[d] != 1 : std::find(dims.begin(), dims.end(), d) == dims.end())
      shape.push_back(in.shape()[d]);
  putReshaped(c, in, shape);
};

constexpr auto unsqueeze = [](OperatorContext &c, const auto &in) {
  const auto list = c.list("axes", 1);
  auto dims = c.axes(list, in.rank() + list.size());
  std::sort(dims.begin(), dims.end());
  Shape shape = in.shape();
  for (const std::size_t d : dims)
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(std::min(d, shape.size())), 1);
  putReshaped(c, in, shape);
};

constexpr auto transpose = [](OperatorContext &c, const auto &in) {
  const auto wanted = c.integers("perm");
  if (!wanted.empty() && wanted.size() != in.rank())
    c.fail("perm has " + std::to_string(wanted.size()) + " entries for a tensor of shape " +
           textOf(in.shape()));
  std::vector<unsigned> order(in.rank());
  for (unsigned d = 0; d < in.rank(); ++d)
    order[d] = wanted.empty() ? in.rank() - 1 - d : c.axis(wanted[d], in.rank());
  put(c, in.dimShuffle(order));
};

void concatenate(OperatorContext &c) {
  const unsigned axis = c.axis(c.integer("axis", c.opset < 4 ? 1 : 0), c.shape().size());
  if (c.allConstant()) {
    std::vector<HostArray> parts;
    for (std::size_t i = 0; i < c.numInputs(); ++i)
      parts.emplace_back(*c.constant(i));
    return put(c, concat(parts, axis));
  }
  std::vector<poplar::Tensor> parts;
  for (std::size_t i = 0; i < c.numInputs(); ++i)
    parts.push_back(c.tensor(i));
  put(c, poplar::concat(parts, axis));
}

constexpr auto split = [](OperatorContext &c, const auto &in) {
  const unsigned axis = c.axis(c.integer("axis", 0), in.rank());
  auto sizes = c.list("split", 1);
  const std::size_t outputs = c.node.outputs.size(), size = in.dim(axis);
  if (c.integer("num_outputs", static_cast<std::int64_t>(outputs)) !=
      static_cast<std::int64_t>(outputs))
    c.fail("attribute 'num_outputs' is not the number of the node's outputs, " +
           std::to_string(outputs));
  if (sizes.empty()) {
    const std::size_t each = (size + outputs - 1) / outputs;
    for (std::size_t i = 0; i < outputs; ++i)
      sizes.push_back(static_cast<std::int64_t>(std::min(each, size - std::min(size, i * each))));
  }
  if (sizes.size() != outputs)
    c.fail("as many sizes as outputs are needed");
  std::size_t begin = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::size_t end = begin + static_cast<std::size_t>(sizes[i]);
    put(c, in.slice(begin, end, axis), i);
    begin = end;
  }
};

/// Slices one axis. The bounds may count from the end or lie outside.
template <class Array>
Array sliced(const OperatorContext &c, const Array &in, unsigned axis, std::int64_t begin,
             std::int64_t end, std::int64_t step) {
  const auto size = static_cast<std::int64_t>(in.dim(axis));
  if (step == 0)
    c.fail("a step of 0");
  begin = begin < 0 ? begin + size : begin;
  end = end < 0 && end >= -size ? end + size : end;
  if (step > 0) {
    begin = std::clamp<std::int64_t>(begin, 0, size);
    end = std::clamp<std::int64_t>(end, begin, size);
  } else { // from the last element taken to the first
    begin = std::clamp<std::int64_t>(begin, -1, size - 1) + 1;
    end = std::clamp<std::int64_t>(end, -1, begin - 1) + 1;
    std::swap(begin, end);
  }
  Array part = in.slice(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), axis);
  if (step < 0)
    part = part.reverse(axis);
  const std::int64_t stride = std::clamp<std::int64_t>(step < 0 ? -step : step, 1, size + 1);
  return stride == 1 || begin == end ? part : part.subSample(static_cast<unsigned>(stride), axis);
}

constexpr auto slice = [](OperatorContext &c, const auto &in) {
  const auto begins = c.list("starts", 1), ends = c.list("ends", 2);
  auto axes = c.list("axes", 3);
  const auto steps = c.has(4) ? c.known(4).integers : std::vector<std::int64_t>(begins.size(), 1);
  if (axes.empty()) {
    axes.resize(begins.size());
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
  }
  if (ends.size() != begins.size() || axes.size() != begins.size() || steps.size() != begins.size())
    c.fail("starts, ends, axes and steps have different sizes");
  auto result = in;
  for (std::size_t i = 0; i < begins.size(); ++i)
    result = sliced(c, result, c.axis(axes[i], in.rank()), begins[i], ends[i], steps[i]);
  put(c, result);
};

constexpr auto expand = [](OperatorContext &c, const auto &in) {
  auto result = in;
  const auto wanted = c.known(1).integers;
  while (result.rank() < wanted.size())
    result = result.expand({0});
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    const auto axis = static_cast<unsigned>(result.rank() - wanted.size() + d);
    if (wanted[d] != 1 && result.dim(axis) == 1)
      result = result.broadcast(static_cast<unsigned>(wanted[d]), axis);
  }
  put(c, result);
};

constexpr auto tile = [](OperatorContext &c, const auto &in) {
  auto result = in;
  const auto repeats = c.known(1).integers;
  for (unsigned d = 0; d < result.rank() && d < repeats.size(); ++d)
    result = result.broadcast(static_cast<unsigned>(repeats[d]), d);
  put(c, result);
};

/// Returns the first and last paddings of all dimensions. From opset 18 on, a node may name the
/// dimensions that are padded.
std::vector<std::int64_t> paddingOf(const OperatorContext &c, std::size_t rank) {
  const auto pads = c.list(c.opset < 2 ? "paddings" : "pads", 1);
  if (!c.has(3))
    return pads;
  const auto axes = c.axes(c.known(3).integers, rank);
  if (pads.size() != 2 * axes.size())
    c.fail(std::to_string(pads.size()) + " pads do not fit " + std::to_string(axes.size()) +
           " axes");
  std::vector<std::int64_t> all(2 * rank, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    all[axes[i]] = pads[i];
    all[rank + axes[i]] = pads[axes.size() + i];
  }
  return all;
}

void pad(OperatorContext &c) {
  const poplar::Tensor in = c.tensor();
  const auto pads = paddingOf(c, in.rank());
  if (pads.size() != 2 * std::size_t{in.rank()})
    c.fail("pads are needed for each dimension");
  const std::vector<std::ptrdiff_t> lower(pads.begin(), pads.begin() + in.rank()),
      upper(pads.begin() + in.rank(), pads.end());
  const auto mode = c.attribute<std::string>("mode", "constant");
  c.withoutEffect({"value"}); // belongs to constant padding
  if (mode != "constant" && c.has(2))
    c.inputWithoutEffect(2);
  if (mode == "edge" || mode == "reflect")
    return c.output(
        popops::pad(in, lower, upper,
                    mode == "edge" ? popops::padding::Type::EDGE : popops::padding::Type::REFLECT));
  if (mode != "constant")
    c.fail("mode '" + mode + "' is not supported");
  if (c.has(2))
    return c.output(popops::pad(c.graph, in, lower, upper, c.tensor(2)));
  c.output(popops::pad(c.graph, in, lower, upper, c.real("value", 0)));
}

/// Moves blocks of a field's elements to channels.
constexpr auto spaceToDepth = [](OperatorContext &c, const auto &in) {
  const Shape s = in.shape();
  const auto b = static_cast<std::size_t>(c.integer("blocksize", 1));
  put(c, in.reshape({s.at(0), s.at(1), s.at(2) / b, b, s.at(3) / b, b})
             .dimShuffle({0, 3, 5, 1, 2, 4})
             .reshape({s[0], s[1] * b * b, s[2] / b, s[3] / b}));
};

constexpr auto depthToSpace = [](OperatorContext &c, const auto &in) {
  const Shape s = in.shape();
  const auto b = static_cast<std::size_t>(c.integer("blocksize", 1));
  const std::size_t channels = s.at(1) / (b * b);
  const bool columnFirst = c.attribute<std::string>("mode", "DCR") == "CRD";
  const auto blocks =
      columnFirst
          ? in.reshape({s[0], channels, b, b, s.at(2), s.at(3)}).dimShuffle({0, 1, 4, 2, 5, 3})
          : in.reshape({s[0], b, b, channels, s.at(2), s.at(3)}).dimShuffle({0, 3, 4, 1, 5, 2});
  put(c, blocks.reshape({s[0], channels, s[2] * b, s[3] * b}));
};

} // namespace

void addShapeOperators(OperatorTable &table) {
  table["Identity"] = moving(identity);
  table["Dropout"] = moving(dropout);
  table["Reshape"] = moving(reshape);
  table["Flatten"] = moving(flatten);
  table["Squeeze"] = moving(squeeze);
  table["Unsqueeze"] = moving(unsqueeze);
  table["Transpose"] = moving(transpose);
  table["Concat"] = concatenate;
  table["Split"] = moving(split);
  table["Slice"] = moving(slice);
  table["Expand"] = moving(expand);
  table["Tile"] = moving(tile);
  table["Pad"] = pad;
  table["SpaceToDepth"] = moving(spaceToDepth);
  table["DepthToSpace"] = moving(depthToSpace);
}

} // namespace copse::onnx
