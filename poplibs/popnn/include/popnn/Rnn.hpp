#pragma once

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

namespace popnn {
namespace rnn {

/// The sizes of a recurrent layer.
struct RnnParams {
  poplar::Type dataType; ///< FLOAT or HALF
  std::size_t batchSize;
  std::size_t maxTimeSteps;
  std::size_t timeSteps; ///< the same number
  /// UNSIGNED_INT, {1} or {batchSize}: how many steps the batch, or each of its items, has. Not valid
  /// if all have maxTimeSteps.
  poplar::Tensor varTimeSteps;
  std::vector<std::size_t> layerSizes; ///< of the input and of the output

  RnnParams() = default;
  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes);
  /// \throws poputil::poplibs_error if \p varTimeSteps has another shape or type
  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
            const poplar::Tensor &varTimeSteps, std::vector<std::size_t> layerSizes);

  /// 1: time is not cut into parts here.
  std::size_t getMaxShards(const poplar::Graph &graph) const;
  /// Bytes of one step's input, or output, on each tile of an even mapping.
  std::size_t getInputBytesPerTile(const poplar::Graph &graph) const;
  std::size_t getOutputBytesPerTile(const poplar::Graph &graph) const;

  bool variableTimeSteps() const; ///< as a whole or by items
  bool batchVariableTimeSteps() const;
};

} // namespace rnn
} // namespace popnn
