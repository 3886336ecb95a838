#pragma once

#include "session.hpp"

namespace copse::onnx {

/// The inputs of a run, cut along their first dimension. In each step, each replica gets one batch.
struct Batches {
  std::size_t steps = 1;
  std::size_t count = 1;               ///< 1: all replicas compute this batch
  std::map<std::string, Shape> shapes; ///< shapes of one batch, by input
};

/// Cuts the inputs of \p request. A first dimension that the model fixes is the size of a batch; a
/// dimension that the model leaves open is divided among the replicas.
/// \throws ModelError  if an input is missing, or its type or shape does not fit
Batches cutIntoBatches(const Model &model, const Request &request);

} // namespace copse::onnx
