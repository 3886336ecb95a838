#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <vector>

namespace transformer {

/// A learned tensor, and the sum of its gradients over the micro-batches of a step.
struct Parameter {
  poplar::Tensor value, gradient;
};

/// The learned tensors of one pipeline stage, in the order in which they were added.
class Parameters {
public:
  Parameters(poplar::Graph &graph, unsigned seed) : graph_(graph), seed_(seed) {}

  /// \p value begins with normal random numbers, which depend on the seed and \p name only.
  Parameter addRandom(const poplar::Tensor &value, double deviation, const std::string &name);
  /// \p value begins with one number.
  Parameter addConstant(const poplar::Tensor &value, float number, const std::string &name);

  /// Returns all of them as one vector, for whatever treats every element alike.
  poplar::Tensor values() const;
  poplar::Tensor gradients() const;

private:
  Parameter add(const poplar::Tensor &value, const std::string &name);

  poplar::Graph &graph_;
  unsigned seed_;
  std::vector<Parameter> all_;
};

} // namespace transformer
