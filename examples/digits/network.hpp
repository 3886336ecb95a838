#pragma once

#include "dataset.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <vector>

namespace digits {

struct NetworkOptions {
  unsigned hidden = 64; ///< units of the hidden layer, one to a tile
  unsigned batch = 16;  ///< images of one step on one replica
  unsigned stepsPerEpoch = 1;
  unsigned testSteps = 1;
  float learningRate = 0.1f;
  float momentum = 0.9f;
  unsigned seed = 1;
  bool checkpoint = false; ///< with the programs kSave and kRestore
};

// The names by which the host connects to the program.
constexpr const char *kImagesStream = "images"; // float [64 * batch], feature-major, to the device
constexpr const char *kLabelsStream = "labels"; // int [batch], to the device
constexpr const char *kLossStream = "loss";     // float [1]: the batch's sum, to the host
constexpr const char *kTestImagesStream = "test_images";  // float [64 * batch]
constexpr const char *kPredictionsStream = "predictions"; // int [batch], to the host
constexpr const char *kMomentumBuffer = "momentum";       // remote buffer, one row of all weights
// With a checkpoint only: two rows, the slots, of all weights and of all momentum, and a record.
constexpr const char *kKeptWeightsBuffer = "kept_weights";
constexpr const char *kKeptMomentumBuffer = "kept_momentum";
constexpr const char *kRecordBuffer = "checkpoint"; // one row of kRecordWords words
constexpr unsigned kRecordWords = 8;
constexpr const char *kSlotHandle = "slot";       // host write: unsigned, 0 or 1
constexpr const char *kWeightsHandle = "weights"; // host read: all weights of every replica
constexpr const char *kCyclesHandle = "cycles";   // host read: cycles of the last training program

// The programs of the engine.
enum ProgramIndex : unsigned { kTrainEpoch = 0, kTest = 1, kSave = 2, kRestore = 3 };

/// Returns the number of weights and biases.
unsigned parameterCount(const NetworkOptions &options);

/// Adds a two-layer perceptron to \p graph and returns its programs, by ProgramIndex.
std::vector<poplar::program::Program>
buildNetwork(poplar::Graph &graph, const NetworkOptions &options, const std::string &codelets);

} // namespace digits
