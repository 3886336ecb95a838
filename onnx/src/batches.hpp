#pragma once

#include "session.hpp"

namespace copse::onnx {

/// The inputs of a run, cut along their first dimension. Each step gives a batch to each replica.
struct Batches {
  std::size_t steps = 1;
  std::size_t count = 1;               ///< 1: one batch, which all replicas compute alike
  std::map<std::string, Shape> shapes; ///< of one batch, by input
};

/// A first dimension that the model fixes is the batch; one that it leaves open is divided among the replicas.
/// \throws ModelError if an input is missing, or its type or shape does not fit
Batches cutIntoBatches(const Model &model, const Request &request);

} // namespace copse::onnx
