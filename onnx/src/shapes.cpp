// Operators that move elements without computing: views of tensors, so nothing runs.
#include "operators.hpp"

#include <limits>
#include <numeric>
#include <popops/Pad.hpp>

namespace copse::onnx {
namespace {

void identity(OperatorContext &c) {
  if (const HostTensor *constant = c.constant(0))
    c.outputConstant(*constant);
  else
    c.output(c.tensor());
}

/// In inference nothing is dropped.
void dropout(OperatorContext &c) {
  if (c.wantsOutput(1))
    c.fail("the output of the mask is not supported");
  if (c.has(2) && !c.known(2).integers.empty() && c.known(2).integers.front() != 0)
    c.fail("dropout in training is not supported");
  c.output(c.tensor());
}

/// The same elements in another shape, on the host or on the device.
void outputReshaped(OperatorContext &c, const Shape &shape) {
  if (elementsOf(shape) != elementsOf(c.shape()))
    c.fail("elements of " + textOf(c.shape()) + " do not fill " + textOf(shape));
  if (const HostTensor *constant = c.constant(0)) {
    HostTensor result = *constant;
    result.shape = shape;
    return c.outputConstant(std::move(result));
  }
  c.output(c.tensor().reshape(shape));
}

void reshape(OperatorContext &c) {
  const auto wanted = c.list("shape", 1);
  Shape shape;
  std::size_t open = wanted.size(), others = 1;
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    if (wanted[d] == -1)
      open = d;
    const bool copies = wanted[d] == 0 && c.integer("allowzero", 0) == 0;
    if (copies && d >= c.shape().size())
      c.fail("the shape copies a dimension that the input has not");
    shape.push_back(copies ? c.shape()[d]
                           : static_cast<std::size_t>(std::max<std::int64_t>(0, wanted[d])));
    others *= d == open ? 1 : shape.back();
  }
  if (open < shape.size() && others > 0)
    shape[open] = elementsOf(c.shape()) / others;
  outputReshaped(c, shape);
}

void flatten(OperatorContext &c) {
  const auto rank = static_cast<std::int64_t>(c.shape().size());
  std::int64_t axis = c.integer("axis", 1);
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis > rank)
    c.fail("axis is out of range");
  const auto begin = c.shape().begin();
  outputReshaped(c, {elementsOf(Shape(begin, begin + axis)),
                     elementsOf(Shape(begin + axis, c.shape().end()))});
}

void squeeze(OperatorContext &c) {
  const auto dims = c.axes(c.list("axes", 1), c.shape().size());
  const bool all = dims.empty();
  Shape shape;
  for (std::size_t d = 0; d < c.shape().size(); ++d)
    if (all ? c.shape()[d] != 1 : std::find(dims.begin(), dims.end(), d) == dims.end())
      shape.push_back(c.shape()[d]);
  outputReshaped(c, shape);
}

void unsqueeze(OperatorContext &c) {
  const auto list = c.list("axes", 1);
  auto dims = c.axes(list, c.shape().size() + list.size());
  std::sort(dims.begin(), dims.end());
  Shape shape = c.shape();
  for (const std::size_t d : dims)
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(std::min(d, shape.size())), 1);
  outputReshaped(c, shape);
}

void transpose(OperatorContext &c) {
  const poplar::Tensor in = c.tensor();
  std::vector<unsigned> order(in.rank());
  const auto wanted = c.integers("perm");
  for (unsigned d = 0; d < in.rank(); ++d)
    order[d] = wanted.empty() ? in.rank() - 1 - d : c.axis(wanted.at(d), in.rank());
  c.output(in.dimShuffle(order));
}

bool allConstant(const OperatorContext &c) {
  for (std::size_t i = 0; i < c.numInputs(); ++i)
    if (!c.constant(i))
      return false;
  return c.numInputs() > 0;
}

/// Vectors of integers: exporters compute shapes so, and a Reshape must know them.
HostTensor joined(const OperatorContext &c) {
  HostTensor result = makeTensor(c.type(), {0});
  for (std::size_t i = 0; i < c.numInputs(); ++i) {
    const auto &part = c.constant(i)->integers;
    result.integers.insert(result.integers.end(), part.begin(), part.end());
  }
  result.shape = {result.integers.size()};
  return result;
}

void concatenate(OperatorContext &c) {
  if (c.shape().size() == 1 && !isReal(c.type()) && allConstant(c))
    return c.outputConstant(joined(c));
  std::vector<poplar::Tensor> parts;
  for (std::size_t i = 0; i < c.numInputs(); ++i)
    parts.push_back(c.tensor(i));
  c.output(poplar::concat(parts, c.axis(c.integer("axis", 0), parts.front().rank())));
}

void split(OperatorContext &c) {
  const poplar::Tensor in = c.tensor();
  const unsigned axis = c.axis(c.integer("axis", 0), in.rank());
  auto sizes = c.list("split", 1);
  const std::size_t outputs = c.node.outputs.size();
  if (sizes.empty()) {
    const std::size_t each = (in.dim(axis) + outputs - 1) / outputs;
    for (std::size_t i = 0; i < outputs; ++i)
      sizes.push_back(static_cast<std::int64_t>(
          std::min(each, in.dim(axis) - std::min(in.dim(axis), i * each))));
  }
  if (sizes.size() != outputs)
    c.fail("as many sizes as outputs are needed");
  std::size_t begin = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::size_t end = begin + static_cast<std::size_t>(sizes[i]);
    c.output(in.slice(begin, end, axis), c.type(), i);
    begin = end;
  }
}

/// One axis of Slice, whose bounds may count from the end or lie outside.
poplar::Tensor sliced(const OperatorContext &c, const poplar::Tensor &t, unsigned axis,
                      std::int64_t begin, std::int64_t end, std::int64_t step) {
  const auto size = static_cast<std::int64_t>(t.dim(axis));
  if (step == 0)
    c.fail("a step of 0");
  begin = begin < 0 ? begin + size : begin;
  end = end < 0 && end >= -size ? end + size : end;
  if (step > 0) {
    begin = std::clamp<std::int64_t>(begin, 0, size);
    end = std::clamp<std::int64_t>(end, begin, size);
    const poplar::Tensor part =
        t.slice(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), axis);
    return step == 1 || part.dim(axis) == 0
               ? part
               : part.subSample(static_cast<unsigned>(std::min<std::int64_t>(step, size)), axis);
  }
  begin = std::clamp<std::int64_t>(begin, -1, size - 1);
  end = std::clamp<std::int64_t>(end, -1, begin);
  const poplar::Tensor part =
      t.slice(static_cast<std::size_t>(end + 1), static_cast<std::size_t>(begin + 1), axis)
          .reverse(axis);
  return step == -1 || part.dim(axis) == 0
             ? part
             : part.subSample(static_cast<unsigned>(std::min<std::int64_t>(-step, size)), axis);
}

void slice(OperatorContext &c) {
  const auto begins = c.list("starts", 1), ends = c.list("ends", 2);
  auto axes = c.list("axes", 3);
  const auto steps = c.has(4) ? c.known(4).integers : std::vector<std::int64_t>(begins.size(), 1);
  if (axes.empty()) {
    axes.resize(begins.size());
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
  }
  if (ends.size() != begins.size() || axes.size() != begins.size() || steps.size() != begins.size())
    c.fail("starts, ends, axes and steps have different sizes");
  poplar::Tensor result = c.tensor();
  for (std::size_t i = 0; i < begins.size(); ++i)
    result = sliced(c, result, c.axis(axes[i], result.rank()), begins[i], ends[i], steps[i]);
  c.output(result);
}

void expand(OperatorContext &c) {
  poplar::Tensor result = c.tensor();
  const auto wanted = c.known(1).integers;
  while (result.rank() < wanted.size())
    result = result.expand({0});
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    const auto axis = static_cast<unsigned>(result.rank() - wanted.size() + d);
    if (wanted[d] != 1 && result.dim(axis) == 1)
      result = result.broadcast(static_cast<unsigned>(wanted[d]), axis);
  }
  c.output(result);
}

void tile(OperatorContext &c) {
  poplar::Tensor result = c.tensor();
  const auto repeats = c.known(1).integers;
  for (unsigned d = 0; d < result.rank() && d < repeats.size(); ++d)
    result = result.broadcast(static_cast<unsigned>(repeats[d]), d);
  c.output(result);
}

void pad(OperatorContext &c) {
  const poplar::Tensor in = c.tensor();
  const auto pads = c.list("pads", 1);
  if (pads.size() != 2 * std::size_t{in.rank()})
    c.fail("pads are needed for each dimension");
  const std::vector<std::ptrdiff_t> lower(pads.begin(), pads.begin() + in.rank()),
      upper(pads.begin() + in.rank(), pads.end());
  const auto mode = c.attribute<std::string>("mode", "constant");
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

/// Blocks of a field's elements become channels.
void spaceToDepth(OperatorContext &c) {
  const Shape &s = c.shape();
  const auto b = static_cast<std::size_t>(c.integer("blocksize", 1));
  c.output(c.tensor()
               .reshape({s.at(0), s.at(1), s.at(2) / b, b, s.at(3) / b, b})
               .dimShuffle({0, 3, 5, 1, 2, 4})
               .reshape({s[0], s[1] * b * b, s[2] / b, s[3] / b}));
}

void depthToSpace(OperatorContext &c) {
  const Shape &s = c.shape();
  const auto b = static_cast<std::size_t>(c.integer("blocksize", 1));
  const std::size_t channels = s.at(1) / (b * b);
  const bool columnFirst = c.attribute<std::string>("mode", "DCR") == "CRD";
  const poplar::Tensor blocks = columnFirst ? c.tensor()
                                                  .reshape({s[0], channels, b, b, s.at(2), s.at(3)})
                                                  .dimShuffle({0, 1, 4, 2, 5, 3})
                                            : c.tensor()
                                                  .reshape({s[0], b, b, channels, s.at(2), s.at(3)})
                                                  .dimShuffle({0, 3, 4, 1, 5, 2});
  c.output(blocks.reshape({s[0], channels, s[2] * b, s[3] * b}));
}

} // namespace

void addShapeOperators(OperatorTable &table) {
  table["Identity"] = identity;
  table["Dropout"] = dropout;
  table["Reshape"] = reshape;
  table["Flatten"] = flatten;
  table["Squeeze"] = squeeze;
  table["Unsqueeze"] = unsqueeze;
  table["Transpose"] = transpose;
  table["Concat"] = concatenate;
  table["Split"] = split;
  table["Slice"] = slice;
  table["Expand"] = expand;
  table["Tile"] = tile;
  table["Pad"] = pad;
  table["SpaceToDepth"] = spaceToDepth;
  table["DepthToSpace"] = depthToSpace;
}

} // namespace copse::onnx
