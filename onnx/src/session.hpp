#pragma once

#include "model.hpp"

#include <cstdint>

namespace copse::onnx {

/// How a model is to run.
struct Request {
  std::string device = "ipu"; ///< ipu, ipumodel or cpu
  unsigned replicas = 1, ipusPerReplica = 1;
  unsigned tilesPerIpu = 0; ///< of an ipumodel; 0: as many as an IPU has
  bool profile = false;
  std::map<std::string, HostTensor> inputs;
};

struct Outcome {
  std::map<std::string, HostTensor> outputs; ///< of all batches, one after another
  std::size_t steps = 1;                     ///< batches that each replica ran
  std::size_t batches = 1;      ///< of the outputs; 1 if all replicas computed the same one
  std::uint64_t stepCycles = 0; ///< of the last batch, without its transfers [modelled cycles]
  std::uint64_t cycles = 0;     ///< of all batches, transfers included [modelled cycles]
  double clock = 0;             ///< of a tile [Hz]
  double runSeconds = 0;        ///< of all batches, once the program is loaded [wall-clock s]
  std::string profile;          ///< a summary for people, if it was asked for
};

/// Lowers the model, runs it on all batches of the inputs and collects its outputs.
/// \throws ModelError; poplar's and PopLibs' errors
Outcome runModel(const Model &model, const Request &request);

} // namespace copse::onnx
