// Convolutions.
#include "operators.hpp"
#include "windows.hpp"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>

namespace copse::onnx {
namespace {

/// ONNX has weights as [groups * outputs][inputs][kernel...], PopLibs as [groups][outputs][inputs][kernel...].
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

  const poplar::Tensor kernel =
      c.weights(1, [&] { return poplin::createWeights(c.graph, params, c.node.inputs[1]); });
  Shape grouped = {groups, weights[0] / groups};
  grouped.insert(grouped.end(), weights.begin() + 1, weights.end());
  const poplar::Tensor out = poplin::convolution(c.graph, c.tensor(0), kernel.reshape(grouped),
                                                 params, false, c.prog, c.node.name);
  if (c.has(2))
    poplin::addBias(c.graph, out, c.tensor(2), c.prog, c.node.name);
  c.output(out);
}

} // namespace

void addConvolutions(OperatorTable &table) { table["Conv"] = convolve; }

} // namespace copse::onnx
