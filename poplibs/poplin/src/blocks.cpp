#include "blocks.hpp"

#include <algorithm>
#include <functional>

namespace poplin::plan {

std::vector<Range> cut(Range whole, unsigned parts, std::size_t grain) {
  const std::size_t grains = (whole.size() + grain - 1) / grain;
  std::vector<Range> ranges;
  for (std::size_t i = 0; i != parts; ++i)
    ranges.push_back({std::min(whole.begin + i * grains / parts * grain, whole.end),
                      std::min(whole.begin + (i + 1) * grains / parts * grain, whole.end)});
  return ranges;
}

Blocks blocksOf(const ConvParams &params, const poplar::Target &target, const Demands &demands,
                const Partition &partition) {
  Blocks blocks;
  blocks.groups = cut({0, params.numConvGroups}, partition.groups);
  blocks.batch = cut({0, params.batchSize}, partition.batch);
  blocks.inChannels = cut({0, params.inputChannelsPerConvGroup}, partition.inChannels,
                          inChannelGrain(target, params.inputType));
  const unsigned outGrain = outChannelGrain(target, params.inputType, demands.partialType);
  for (const Range &step : cut({0, params.outputChannelsPerConvGroup}, partition.serial, outGrain))
    blocks.outChannels.push_back(cut(step, partition.outChannels, outGrain));
  for (unsigned d = 0; d != params.getNumFieldDims(); ++d) {
    blocks.field.push_back(cut({0, params.getOutputSize(d)}, partition.field[d]));
    blocks.inputField.push_back(cut({0, params.inputFieldShape[d]}, partition.field[d]));
    blocks.kernel.push_back(cut({0, params.kernelShape[d]}, partition.kernel[d]));
  }
  return blocks;
}

std::size_t Cell::pixels() const {
  std::size_t n = batch.size();
  for (const Range &range : field)
    n *= range.size();
  return n;
}
std::size_t Cell::kernelElements() const {
  std::size_t n = 1;
  for (const Range &range : kernel)
    n *= range.size();
  return n;
}
std::size_t Cell::outElements() const { return group.size() * pixels() * outChannels.size(); }

std::vector<Cell> cellsOf(const Blocks &blocks, unsigned step) {
  std::vector<Cell> cells(1);
  // The innermost dimension last: tiles count up along it first.
  const auto along = [&cells](const std::vector<Range> &ranges,
                              const std::function<void(Cell &, const Range &)> &set) {
    std::vector<Cell> finer;
    finer.reserve(cells.size() * ranges.size());
    for (const Cell &cell : cells)
      for (const Range &range : ranges) {
        finer.push_back(cell);
        set(finer.back(), range);
      }
    cells = std::move(finer);
  };
  along(blocks.groups, [](Cell &cell, const Range &range) { cell.group = range; });
  along(blocks.batch, [](Cell &cell, const Range &range) { cell.batch = range; });
  for (const auto &ranges : blocks.field)
    along(ranges, [](Cell &cell, const Range &range) { cell.field.push_back(range); });
  along(blocks.outChannels[step], [](Cell &cell, const Range &range) { cell.outChannels = range; });
  for (const auto &ranges : blocks.kernel)
    along(ranges, [](Cell &cell, const Range &range) { cell.kernel.push_back(range); });
  along(blocks.inChannels, [](Cell &cell, const Range &range) { cell.inChannels = range; });
  for (std::size_t i = 0; i != cells.size(); ++i)
    cells[i].tile = static_cast<unsigned>(i);
  return cells;
}

} // namespace poplin::plan
