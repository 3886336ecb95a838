#pragma once

#include "model.hpp"

#include <cstdint>

namespace copse::onnx {

/// How a model is to run.
struct Request {
  std::string device = "ipu"; ///< ipu, ipumodel or cpu
  unsigned replicas = 1, ipusPerReplica = 1;
  unsigned tilesPerIpu = 0; ///< for an ipumodel; 0: as many as an IPU has
  bool profile = false;
  std::map<std::string, HostTensor> inputs;
};

/// The results of a run of an ONNX model, and its times.
struct Outcome {
  std::map<std::string, HostTensor> outputs; ///< outputs of all batches, concatenated
  std::size_t steps = 1;                     ///< number of batches that each replica ran
  /// Number of batches in the outputs; 1 if all replicas computed one batch.
  std::size_t batches = 1;
  std::uint64_t stepCycles = 0; ///< for the last batch, without its transfers [modelled cycles]
  std::uint64_t cycles = 0;     ///< for all batches, including transfers [modelled cycles]
  double clock = 0;             ///< frequency of a tile [Hz]
  double runSeconds = 0;        ///< for all batches, after loading [wall-clock s]
  std::string profile;          ///< a readable summary, if the request asks for it
};

/// Lowers the model, runs it on all batches of the inputs and collects its outputs.
/// \throws ModelError; errors of poplar and PopLibs
Outcome runModel(const Model &model, const Request &request);

} // namespace copse::onnx
