// Operators that choose, reverse or cut parts of a tensor by values that are known before the model
// runs. The results are views.
#include "host_array.hpp"
#include "operators.hpp"

#include <numeric>
#include <popops/Pad.hpp>

namespace copse::onnx {
namespace {

/// Chooses the slices of an axis, or elements of the flattened input, whose condition holds.
void compress(OperatorContext &c) {
  const HostTensor &condition = c.known(1);
  const bool flattens = !c.hasAttribute("axis");
  const Shape shape = flattens ? Shape{elementsOf(c.shape())} : c.shape();
  const unsigned axis = flattens ? 0 : c.axis(c.integer("axis", 0), shape.size());
  if (condition.elements() > shape.at(axis))
    c.fail("a condition of " + std::to_string(condition.elements()) + " elements for " +
           std::to_string(shape[axis]));
  const poplar::Tensor in = c.tensor(0).reshape(shape);
  std::vector<poplar::Tensor> parts{in.slice(0, 0, axis)};
  for (std::size_t i = 0; i < condition.elements(); ++i)
    if (condition.integers[i] != 0)
      parts.push_back(in.slice(i, i + 1, axis));
  c.output(poplar::concat(parts, axis));
}

/// Reverses the first elements of each sequence of a batch.
void reverseSequence(OperatorContext &c) {
  const poplar::Tensor in = c.tensor(0);
  const unsigned batch = c.axis(c.integer("batch_axis", 1), in.rank()),
                 time = c.axis(c.integer("time_axis", 0), in.rank());
  const auto &lengths = c.known(1).integers;
  if (batch == time || lengths.size() != in.dim(batch))
    c.fail(std::to_string(lengths.size()) + " lengths of sequences do not fit " +
           textOf(in.shape()));
  std::vector<poplar::Tensor> sequences{in.slice(0, 0, batch)};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0 || static_cast<std::size_t>(lengths[i]) > in.dim(time))
      c.fail("a sequence of length " + std::to_string(lengths[i]));
    const auto length = static_cast<std::size_t>(lengths[i]);
    const poplar::Tensor sequence = in.slice(i, i + 1, batch);
    sequences.push_back(poplar::concat(sequence.slice(0, length, time).reverse(time),
                                       sequence.slice(length, in.dim(time), time), time));
  }
  c.output(poplar::concat(sequences, batch));
}

/// Cuts each axis to its middle, or pads it with zeros on both sides.
void centerCropPad(OperatorContext &c) {
  poplar::Tensor result = c.tensor(0);
  const auto &sizes = c.known(1).integers;
  auto axes = c.axes(c.integers("axes"), result.rank());
  if (axes.empty()) {
    axes.resize(result.rank());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
  }
  if (axes.size() != sizes.size())
    c.fail(std::to_string(sizes.size()) + " sizes do not fit " + std::to_string(axes.size()) +
           " axes");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<unsigned>(axes[i]);
    const auto from = static_cast<std::ptrdiff_t>(result.dim(axis)),
               to = static_cast<std::ptrdiff_t>(sizes[i]);
    if (to < 0)
      c.fail("a size of " + std::to_string(to));
    if (to < from)
      result = result.slice(static_cast<std::size_t>((from - to) / 2),
                            static_cast<std::size_t>((from - to) / 2 + to), axis);
    else if (to > from)
      result = popops::pad(c.graph, result, (to - from) / 2, to - from - (to - from) / 2, axis);
  }
  c.output(result);
}

} // namespace

void addSelections(OperatorTable &table) {
  table["Compress"] = compress;
  table["ReverseSequence"] = reverseSequence;
  table["CenterCropPad"] = centerCropPad;
}

} // namespace copse::onnx
