#include "norm_channels.hpp"

#include <poputil/exceptions.hpp>

namespace poplin {

using poplar::Tensor;

namespace {

void require(const char *function, bool holds, const std::string &what) {
  if (!holds)
    throw poputil::poplibs_error(std::string(function) + ": " + what);
}

} // namespace

void checkActs(const char *function, const Tensor &acts) {
  require(function, acts.rank() >= 2,
          "activations of shape " + acts.shapeToString() + " have no dimension of channels");
  require(function, acts.elementType() == poplar::FLOAT || acts.elementType() == poplar::HALF,
          "activations must be FLOAT or HALF, not " + acts.elementType().toString());
}

void checkVector(const char *function, const char *what, const Tensor &acts, const Tensor &t) {
  require(function, t.rank() == 1 && t.dim(0) == acts.dim(1),
          std::string(what) + " must have shape {" + std::to_string(acts.dim(1)) + "}, not " +
              t.shapeToString());
}

void checkGradients(const char *function, const Tensor &acts, const Tensor &gradients) {
  checkActs(function, acts);
  require(function, acts.shape() == gradients.shape(),
          "the activations have shape " + acts.shapeToString() + ", the gradients " +
              gradients.shapeToString());
}

Tensor alongChannels(const Tensor &acts, const Tensor &t) {
  std::vector<std::size_t> shape(acts.rank() - 1, 1);
  shape[0] = t.numElements();
  return t.reshape(shape);
}

std::vector<std::size_t> allButChannels(const Tensor &acts) {
  std::vector<std::size_t> dims{0};
  for (std::size_t d = 2; d != acts.rank(); ++d)
    dims.push_back(d);
  return dims;
}

} // namespace poplin
