#include "checks.hpp"
#include "popnn/Rnn.hpp"

#include <poplar/Target.hpp>
#include <utility>

namespace popnn {
namespace rnn {

using poplar::Tensor;

RnnParams::RnnParams(poplar::Type type, std::size_t batch, std::size_t steps,
                     std::vector<std::size_t> sizes)
    : dataType(type), batchSize(batch), maxTimeSteps(steps), timeSteps(steps),
      layerSizes(std::move(sizes)) {}

RnnParams::RnnParams(poplar::Type type, std::size_t batch, std::size_t maxSteps,
                     const Tensor &steps, std::vector<std::size_t> sizes)
    : dataType(type), batchSize(batch), maxTimeSteps(maxSteps), timeSteps(maxSteps),
      varTimeSteps(steps), layerSizes(std::move(sizes)) {
  if (!variableTimeSteps())
    return;
  require("RnnParams", steps.rank() == 1 && (steps.dim(0) == 1 || steps.dim(0) == batch),
          "time steps of shape " + steps.shapeToString() + "; it must be {1} or {" +
              std::to_string(batch) + "}");
  require("RnnParams", steps.elementType() == poplar::UNSIGNED_INT,
          "time steps are UNSIGNED_INT, not " + steps.elementType().toString().cloneAsString());
}

std::size_t RnnParams::getMaxShards(const poplar::Graph &) const { return 1; }

namespace {

std::size_t bytesPerTile(const poplar::Graph &graph, const poplar::Type &type,
                         std::size_t elements) {
  const poplar::Target &target = graph.getTarget();
  const std::size_t tiles = target.getNumTiles();
  return (elements + tiles - 1) / tiles * target.getTypeSize(type);
}

} // namespace

std::size_t RnnParams::getInputBytesPerTile(const poplar::Graph &graph) const {
  return bytesPerTile(graph, dataType, batchSize * layerSizes.front());
}
std::size_t RnnParams::getOutputBytesPerTile(const poplar::Graph &graph) const {
  return bytesPerTile(graph, dataType, batchSize * layerSizes.back());
}

bool RnnParams::variableTimeSteps() const { return varTimeSteps.valid(); }
bool RnnParams::batchVariableTimeSteps() const {
  return variableTimeSteps() && varTimeSteps.numElements() > 1;
}

} // namespace rnn
} // namespace popnn
