// Convolutions.
#include "expressions.hpp"
#include "joined_nodes.hpp"
#include "operators.hpp"
#include "windows.hpp"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// Adds the bias and the operations that withJoinedNodes() has joined, in place if the shapes
/// permit it. PopLibs has precompiled codelets for these sums.
poplar::Tensor withBiasAndJoined(OperatorContext &c, poplar::Tensor out) {
  const bool isJoined = c.hasAttribute(kJoinedRelu);
  const bool broadcasts = c.has(kJoinedAddend) && c.shape(kJoinedAddend) != out.shape();
  if (!isJoined || broadcasts) {
    if (c.has(2))
      poplin::addBias(c.graph, out, c.tensor(2), c.prog, c.node.name);
    if (!isJoined)
      return out;
    const poplar::Tensor sum =
        popops::add(c.graph, out, c.tensor(kJoinedAddend), c.prog, c.node.name);
    return popops::map(c.graph, reluOf(pe::_1), {sum}, c.prog, c.node.name);
  }
  std::vector<poplar::Tensor> terms{out};
  if (c.has(2))
    terms.push_back(c.tensor(2).expand(std::vector<std::size_t>(out.rank() - 2, 1)));
  if (c.has(kJoinedAddend))
    terms.push_back(c.tensor(kJoinedAddend));
  pe::Any sum = pe::_1;
  if (terms.size() > 1)
    sum = pe::Add(sum, pe::_2);
  if (terms.size() > 2)
    sum = pe::Add(sum, pe::_3);
  popops::mapInPlace(c.graph, reluOf(sum), terms, c.prog, c.node.name);
  return out;
}

/// Lowers Conv. ONNX has weights as [groups * outputs][inputs][kernel...], PopLibs as
/// [groups][outputs][inputs][kernel...].
void convolve(OperatorContext &c) {
  const Shape &in = c.shape(0), &weights = c.shape(1);
  const auto groups = static_cast<std::size_t>(c.integer("group", 1));
  if (in.size() < 3 || weights.size() != in.size() || groups == 0 || weights[0] % groups != 0 ||
      in[1] != weights[1] * groups)
    c.fail("input " + textOf(in) + " and weights " + textOf(weights) + " in " +
           std::to_string(groups) + " groups do not fit");
  const Windows w = windowsOf(c, Shape(weights.begin() + 2, weights.end()));
  poplin::ConvParams params(deviceType(c.type()), in[0], Shape(in.begin() + 2, in.end()), w.kernel,
                            weights[1], weights[0] / groups, groups);
  params.kernelTransform.dilation = w.dilations;
  params.inputTransform.paddingLower.assign(w.lower.begin(), w.lower.end());
  params.inputTransform.paddingUpper.assign(w.upper.begin(), w.upper.end());
  params.outputTransform.stride = w.strides;

  const poplar::Tensor kernel = c.weights(
      1, [&] { return poplin::createWeights(c.graph, params, c.node.inputs[1], {}, &c.plans); });
  Shape grouped = {groups, weights[0] / groups};
  grouped.insert(grouped.end(), weights.begin() + 1, weights.end());
  const poplar::Tensor out = poplin::convolution(c.graph, c.tensor(0), kernel.reshape(grouped),
                                                 params, false, c.prog, c.node.name, {}, &c.plans);
  c.output(withBiasAndJoined(c, out));
}

/// Returns the transposed convolution as a convolution of the input with zeros between its
/// elements.
poplin::ConvParams transposedParams(const OperatorContext &c, const Windows &w,
                                    std::size_t groups) {
  const Shape &in = c.shape(0), &weights = c.shape(1);
  poplin::ConvParams params(deviceType(c.type()), in[0], Shape(in.begin() + 2, in.end()), w.kernel,
                            in[1] / groups, weights[1], groups);
  params.kernelTransform.dilation = w.dilations;
  params.kernelTransform.flip.assign(w.kernel.size(), true);
  params.inputTransform.dilation = w.strides;
  const auto added = c.integers("output_padding");
  for (std::size_t d = 0; d < w.kernel.size(); ++d) {
    const int whole = static_cast<int>(w.dilations[d] * (w.kernel[d] - 1));
    const int extra = added.empty() ? 0 : static_cast<int>(added[d]);
    const int lower = whole - w.lower[d], upper = whole - w.upper[d] + extra;
    params.inputTransform.paddingLower[d] = static_cast<unsigned>(std::max(0, lower));
    params.inputTransform.paddingUpper[d] = static_cast<unsigned>(std::max(0, upper));
    params.outputTransform.truncationLower[d] = static_cast<unsigned>(std::max(0, -lower));
    params.outputTransform.truncationUpper[d] = static_cast<unsigned>(std::max(0, -upper));
  }
  return params;
}

/// Pads to the sizes of output_shape, or else to the input's sizes times the strides.
void padToOutput(const OperatorContext &c, Windows &w) {
  const auto automatic = c.attribute<std::string>("auto_pad", "NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  auto wanted = c.integers("output_shape");
  if (wanted.empty() && !same)
    return;
  const auto added = c.integers("output_padding");
  const std::size_t n = w.kernel.size();
  if (wanted.size() > n) // the sizes include batch and channels
    wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(n));
  for (std::size_t d = 0; d < n; ++d) {
    const auto size = static_cast<int>(c.shape()[d + 2]), stride = static_cast<int>(w.strides[d]);
    const int full = stride * (size - 1) + static_cast<int>(w.dilations[d] * (w.kernel[d] - 1)) +
                     1 + (added.empty() ? 0 : static_cast<int>(added[d]));
    const int total = full - (wanted.empty() ? size * stride : static_cast<int>(wanted[d]));
    const int more = total - total / 2;
    w.upper[d] = automatic == "SAME_UPPER" ? more : total / 2;
    if (total < 0) // elements that no input reaches come last
      w.upper[d] = total;
    w.lower[d] = total - w.upper[d];
  }
}

/// Lowers ConvTranspose. ONNX has weights as [groups * inputs][outputs][kernel...].
void convolveTransposed(OperatorContext &c) {
  const Shape &in = c.shape(0), &weights = c.shape(1);
  const auto groups = static_cast<std::size_t>(c.integer("group", 1));
  if (in.size() < 3 || weights.size() != in.size() || groups == 0 || in[1] != weights[0] ||
      in[1] % groups != 0)
    c.fail("input " + textOf(in) + " and weights " + textOf(weights) + " in " +
           std::to_string(groups) + " groups do not fit");
  Windows w = windowsOf(c, Shape(weights.begin() + 2, weights.end()));
  padToOutput(c, w);
  const poplin::ConvParams params = transposedParams(c, w, groups);
  Shape grouped = {groups, in[1] / groups};
  grouped.insert(grouped.end(), weights.begin() + 1, weights.end());
  const poplar::Tensor kernel = c.weights(1, [&] {
    return poplin::createWeights(c.graph, params, c.node.inputs[1])
        .dimShufflePartial({1, 2}, {2, 1});
  });
  const poplar::Tensor out = poplin::convolution(
      c.graph, c.tensor(0), kernel.reshape(grouped).dimShufflePartial({1, 2}, {2, 1}), params,
      false, c.prog, c.node.name);
  if (c.has(2))
    poplin::addBias(c.graph, out, c.tensor(2), c.prog, c.node.name);
  c.output(out);
}

} // namespace

void addConvolutions(OperatorTable &table) {
  table["Conv"] = convolve;
  table["ConvTranspose"] = convolveTransposed;
}

} // namespace copse::onnx
