#pragma once

#include "adam.hpp"
#include "pipeline.hpp"
#include "shape.hpp"
#include "stage.hpp"

#include <memory>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <vector>

namespace transformer {

struct ModelOptions {
  Shape shape;
  unsigned stages = 1;       ///< IPUs of a replica
  unsigned tilesPerIpu = 16; ///< that the model uses; fewer tiles take less time to emulate
  unsigned microBatches = 4; ///< micro-batches per step and replica
  unsigned stepsPerRun = 10; ///< steps in one run of the program kTrain
  unsigned seed = 1;
};

/// Programs of an engine, in this order.
enum ProgramIndex : unsigned { kReset, kTrain, kPredict, kSave, kRestore };

// Streams from the host: a row for each micro-batch, step or prediction.
constexpr char kCharactersStream[] = "characters"; ///< [rows + 2]: characters and the seed
constexpr char kLabelsStream[] = "labels";         ///< [rows]
constexpr char kRateStream[] = "rate";             ///< [1], of a step
constexpr char kPromptStream[] = "prompt";         ///< [context]: characters
constexpr char kPositionStream[] = "position";     ///< [1]: of the prompt's last character
// Streams to the host.
constexpr char kLossStream[] = "loss";                 ///< [1]: sum over the rows of a step
constexpr char kProbabilitiesStream[] = "probability"; ///< [alphabet]
// Handles of tensors.
constexpr char kTemperatureHandle[] = "temperature"; ///< {}
constexpr char kSlotHandle[] = "slot";               ///< {}: of a checkpoint, 0 or 1
constexpr char kCyclesHandle[] = "cycles";           ///< cycles of kTrain
/// Handles of a stage's parameters and their gradients, one vector each.
std::string valuesHandle(unsigned stage);
std::string gradientsHandle(unsigned stage);
// A remote buffer for the host only: what a checkpoint holds.
constexpr char kRecordBuffer[] = "record";
constexpr unsigned kRecordWords = 16;

/// The model with all its programs.
class Model {
public:
  Model(poplar::Graph &graph, const ModelOptions &options);

  std::vector<poplar::program::Program> programs();

  // Two parts of programs(), for a program that trains only.
  poplar::program::Sequence reset(); ///< kReset
  poplar::program::Sequence step();  ///< one step of kTrain; adds its streams, so call it once

  /// Elements of each stage's vector of parameters.
  std::vector<std::size_t> parameterCounts() const;

private:
  poplar::program::Sequence train();
  poplar::program::Sequence predict();
  poplar::program::Sequence save();
  poplar::program::Sequence restore();
  void addUpdate(poplar::program::Sequence &step);
  void addCheckpoints();

  poplar::Graph &graph_;
  ModelOptions options_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<Adam> optimisers_;
  std::vector<poplar::RemoteBuffer> kept_; ///< for each stage: two rows of values and moments
  std::vector<poplar::Tensor> slots_;      ///< for each stage, the number of a row
};

} // namespace transformer
