#include "operands.hpp"

#include "block_tensor.hpp"
#include "blocks.hpp"

#include <map>
#include <utility>
#include <vector>

namespace poplin {
namespace {

using plan::Blocks;
using plan::Cell;
using plan::Range;
using poplar::Tensor;

/// Where a block stands: its range in each dimension. A range may be empty.
using Place = std::vector<std::size_t>;
void append(Place &place, const Range &range) {
  place.push_back(range.begin);
  place.push_back(range.end);
}

/// Returns the tiles whose cells have a block. \param placeOf  of the block that a cell has
template <typename PlaceOf>
std::map<Place, std::vector<unsigned>> tilesByPlace(const Blocks &blocks, const PlaceOf &placeOf) {
  std::map<Place, std::vector<unsigned>> tiles;
  for (unsigned step = 0; step != blocks.outChannels.size(); ++step)
    for (const Cell &cell : plan::cellsOf(blocks, step)) {
      auto &users = tiles[placeOf(cell)];
      if (users.empty() || users.back() < cell.tile)
        users.push_back(cell.tile);
    }
  return tiles;
}

/// One dimension of an operand.
struct Axis {
  const std::vector<Range> &places; ///< by which cells know it
  const std::vector<Range> &sizes;  ///< sizes of the operand
};

Tensor addOperand(poplar::Graph &graph, const poplar::Type &type, const std::vector<Axis> &axes,
                  const std::map<Place, std::vector<unsigned>> &tiles,
                  const poplar::DebugContext &debugContext) {
  std::vector<std::pair<Place, Block>> blocks(1);
  std::vector<std::size_t> counts;
  for (const Axis &axis : axes) {
    counts.push_back(axis.sizes.size());
    std::vector<std::pair<Place, Block>> finer;
    for (const auto &block : blocks)
      for (std::size_t i = 0; i != axis.sizes.size(); ++i) {
        finer.push_back(block);
        append(finer.back().first, axis.places[i]);
        finer.back().second.shape.push_back(axis.sizes[i].size());
      }
    blocks = std::move(finer);
  }
  std::vector<Block> placed;
  for (auto &[place, block] : blocks) {
    block.tiles = tiles.at(place);
    placed.push_back(std::move(block));
  }
  return addBlockTensor(graph, type, placed, counts, debugContext);
}

std::vector<unsigned> channelsBeforeField(std::size_t dims) {
  std::vector<unsigned> order{1, 0, static_cast<unsigned>(2 + dims)};
  for (unsigned d = 0; d != dims; ++d)
    order.push_back(2 + d);
  return order;
}

} // namespace

Tensor addInput(poplar::Graph &graph, const ConvParams &params, const plan::Plan &plan,
                const plan::Demands &demands, const poplar::DebugContext &debugContext) {
  const Blocks blocks = plan::blocksOf(params, graph.getTarget(), demands, plan.partition);
  const auto tiles = tilesByPlace(blocks, [](const Cell &cell) {
    Place place;
    append(place, cell.group);
    append(place, cell.batch);
    for (const Range &range : cell.field)
      append(place, range);
    append(place, cell.inChannels);
    return place;
  });
  std::vector<Axis> axes{{blocks.groups, blocks.groups}, {blocks.batch, blocks.batch}};
  for (std::size_t d = 0; d != blocks.field.size(); ++d)
    axes.push_back({blocks.field[d], blocks.inputField[d]});
  axes.push_back({blocks.inChannels, blocks.inChannels});
  const Tensor t = addOperand(graph, params.inputType, axes, tiles, debugContext);
  std::vector<std::size_t> shape{params.batchSize, params.getNumInputChans()};
  shape.insert(shape.end(), params.inputFieldShape.begin(), params.inputFieldShape.end());
  return t.dimShuffle(channelsBeforeField(params.getNumFieldDims())).reshape(shape);
}

Tensor addWeights(poplar::Graph &graph, const ConvParams &params, const plan::Plan &plan,
                  const plan::Demands &demands, const poplar::DebugContext &debugContext) {
  const Blocks blocks = plan::blocksOf(params, graph.getTarget(), demands, plan.partition);
  const auto tiles = tilesByPlace(blocks, [](const Cell &cell) {
    Place place;
    append(place, cell.group);
    for (const Range &range : cell.kernel)
      append(place, range);
    append(place, cell.inChannels);
    append(place, cell.outChannels);
    return place;
  });
  std::vector<Range> outChannels;
  for (const auto &step : blocks.outChannels)
    outChannels.insert(outChannels.end(), step.begin(), step.end());
  std::vector<Axis> axes{{blocks.groups, blocks.groups}};
  for (const auto &ranges : blocks.kernel)
    axes.push_back({ranges, ranges});
  axes.push_back({blocks.inChannels, blocks.inChannels});
  axes.push_back({outChannels, outChannels});
  const Tensor t = addOperand(graph, params.inputType, axes, tiles, debugContext);
  const auto dims = static_cast<unsigned>(params.getNumFieldDims());
  std::vector<unsigned> order{0, dims + 2, dims + 1};
  for (unsigned d = 0; d != dims; ++d)
    order.push_back(1 + d);
  return t.dimShuffle(order);
}

} // namespace poplin
