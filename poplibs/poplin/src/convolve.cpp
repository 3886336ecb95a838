#include "convolve.hpp"

#include "block_tensor.hpp"
#include "blocks.hpp"
#include "work_list.hpp"

#include <algorithm>
#include <numeric>
#include <poputil/VertexTemplates.hpp>
#include <string>
#include <vector>

namespace poplin {
namespace {

using plan::Cell;
using plan::Range;
using poplar::Graph;
using poplar::Tensor;
namespace program = poplar::program;

/// How the elements of an operand's block lie on a tile, as numbers of elements between two.
struct Strides {
  int group, pixel, channel;                 // strides of the input
  int weightsGroup, kernelElement, from, to; // strides of the weights; channels of input and output
};

/// Returns true if elements that follow each other along \p dim do so in memory.
bool isContiguousAlong(const Tensor &t, unsigned dim) {
  if (t.dim(dim) < 2)
    return false;
  std::vector<std::size_t> begin(t.rank(), 0), end(t.rank(), 1);
  end[dim] = 2;
  return t.slice(begin, end).flatten().isContiguous();
}

std::vector<unsigned> range(unsigned begin, unsigned end) {
  std::vector<unsigned> numbers(end - begin);
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}
std::vector<unsigned> operator+(std::vector<unsigned> a, const std::vector<unsigned> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Adds a convolution's vertices. The inputs of each tile are ordered as most of them lie in
/// memory, so that few have to be gathered: vertices take any strides.
class Convolution {
public:
  Convolution(Graph &graph, const Tensor &in, const Tensor &weights, const ConvParams &params,
              const plan::Plan &plan, const plan::Demands &demands)
      : graph_(graph), params_(params), plan_(plan), demands_(demands),
        dims_(static_cast<unsigned>(params.getNumFieldDims())),
        blocks_(plan::blocksOf(params, graph.getTarget(), demands, plan.partition)) {
    // [groups][batch][field...][channels] and [groups][kernel...][input][output channels].
    in_ = in.reshapePartial(1, 2, {params.numConvGroups, params.inputChannelsPerConvGroup})
              .dimShuffle(std::vector<unsigned>{1, 0} + range(3, 3 + dims_) +
                          std::vector<unsigned>{2});
    weights_ = weights.dimShuffle(std::vector<unsigned>{0} + range(3, 3 + dims_) +
                                  std::vector<unsigned>{2, 1});
    channelsLast_ = isContiguousAlong(in_, dims_ + 2) || params.inputChannelsPerConvGroup < 2;
    outLast_ = isContiguousAlong(weights_, dims_ + 2);
    inLast_ = !outLast_ && isContiguousAlong(weights_, dims_ + 1);
  }

  /// Copies the input to the tiles once, and not again for each of several steps.
  void keepInputs(program::Sequence &prog, const poplar::DebugContext &debugContext) {
    const auto cells = plan::cellsOf(blocks_, 0);
    std::vector<Tensor> inputs;
    for (const Cell &cell : cells)
      inputs.push_back(inputOf(cell, workListOf(params_, cell)));
    const Tensor all = poplar::concat(inputs);
    const Tensor kept = graph_.addVariable(all.elementType(), all.shape(), {debugContext, "in"});
    std::size_t begin = 0;
    for (const Cell &cell : cells) {
      const std::size_t end = begin + inputs[cell.tile].numElements();
      kept_.push_back(kept.slice(begin, end));
      graph_.setTileMapping(kept_.back(), cell.tile);
      begin = end;
    }
    prog.add(program::Copy(all, kept, false, {debugContext, "keepInputs"}));
  }

  /// \returns the output channels of one step, [batch][groups][channels][field...]
  Tensor addStep(unsigned step, program::Sequence &prog, const poplar::DebugContext &debugContext) {
    const auto cells = plan::cellsOf(blocks_, step);
    const Tensor partials = addPartials(cells, debugContext);
    const poplar::ComputeSet multiply = graph_.addComputeSet({debugContext, "Multiply"});
    std::size_t begin = 0;
    for (const Cell &cell : cells) {
      if (cell.outElements() != 0)
        addInnerProducts(multiply, cell, partials.slice(begin, begin + cell.outElements()));
      begin += cell.outElements();
    }
    prog.add(program::Execute(multiply, {debugContext, "Multiply"}));
    const bool reduces =
        plan_.partition.partials() != 1 || demands_.partialType != params_.outputType;
    const Tensor sums = reduces ? addSums(cells, partials, prog, debugContext) : partials;
    return assembled(cells, sums, step);
  }
  unsigned steps() const { return static_cast<unsigned>(blocks_.outChannels.size()); }

private:
  Tensor addPartials(const std::vector<Cell> &cells, const poplar::DebugContext &debugContext) {
    std::size_t n = 0;
    Graph::TileToTensorMapping mapping(graph_.getTarget().getNumTiles());
    for (const Cell &cell : cells) {
      if (cell.outElements() != 0)
        mapping[cell.tile].emplace_back(n, n + cell.outElements());
      n += cell.outElements();
    }
    const Tensor partials =
        graph_.addVariable(demands_.partialType, {n}, {debugContext, "partials"});
    graph_.setTileMapping(partials, mapping);
    return partials;
  }

  /// Returns the part of the input that a cell meets, in the order in which its vertex reads it.
  Tensor inputOf(const Cell &cell, const WorkList &work) const {
    std::vector<std::size_t> begin{cell.group.begin, cell.batch.begin};
    std::vector<std::size_t> end{cell.group.end, cell.batch.end};
    for (const Range &box : work.inputField) {
      begin.push_back(box.begin);
      end.push_back(box.end);
    }
    begin.push_back(cell.inChannels.begin);
    end.push_back(cell.inChannels.end);
    const Tensor in = in_.slice(begin, end);
    return (channelsLast_ ? in : in.dimRoll(dims_ + 2, 1)).flatten();
  }

  void addInnerProducts(poplar::ComputeSet cs, const Cell &cell, const Tensor &out) {
    const WorkList work = workListOf(params_, cell);
    const Tensor in = kept_.empty() ? inputOf(cell, work) : kept_[cell.tile];
    std::vector<std::size_t> begin, end;
    begin.assign(1, cell.group.begin);
    end.assign(1, cell.group.end);
    for (const Range &taps : cell.kernel) {
      begin.push_back(taps.begin);
      end.push_back(taps.end);
    }
    for (const Range &channels : {cell.inChannels, cell.outChannels}) {
      begin.push_back(channels.begin);
      end.push_back(channels.end);
    }
    Tensor weights = weights_.slice(begin, end);

    const int depth = static_cast<int>(cell.inChannels.size());
    const int width = static_cast<int>(cell.outChannels.size());
    const int taps = static_cast<int>(cell.kernelElements());
    const int inPixels =
        depth == 0 ? 0 : static_cast<int>(in.numElements() / cell.group.size()) / depth;
    Strides strides{inPixels * depth, depth, 1, taps * depth * width, depth * width, width, 1};
    if (!channelsLast_) {
      strides.pixel = 1;
      strides.channel = inPixels;
    }
    if (inLast_) {
      weights = weights.dimRoll(dims_ + 2, dims_ + 1);
      strides.from = 1;
      strides.to = depth;
    } else if (!outLast_) {
      weights = weights.dimRoll(dims_ + 1, 1).dimRoll(dims_ + 2, 1);
      strides.kernelElement = 1;
      strides.from = taps;
      strides.to = taps * depth;
    }

    const auto v =
        graph_.addVertex(cs, poputil::templateVertex("poplin::InnerProducts", params_.inputType,
                                                     demands_.partialType));
    graph_.connect(v["in"], in);
    graph_.connect(v["weights"], weights.flatten());
    graph_.connect(v["out"], out);
    graph_.setInitialValue(v["classes"], poplar::ArrayRef<int>(work.classes));
    graph_.setInitialValue(
        v["strides"],
        poplar::ArrayRef<int>({strides.group, strides.pixel, strides.channel, strides.weightsGroup,
                               strides.kernelElement, strides.from, strides.to}));
    graph_.setInitialValue(v["groups"], static_cast<unsigned>(cell.group.size()));
    graph_.setInitialValue(v["pixels"], static_cast<unsigned>(cell.pixels()));
    graph_.setInitialValue(v["depth"], static_cast<unsigned>(depth));
    graph_.setInitialValue(v["width"], static_cast<unsigned>(width));
    graph_.setTileMapping(v, cell.tile);
    const std::uint64_t groups = cell.group.size();
    const std::uint64_t cycles = plan::innerProductCycles(
        graph_.getTarget(), params_.inputType, demands_.partialType, cell.pixels(),
        cell.inChannels.size(), cell.outChannels.size(), cell.kernelElements());
    graph_.setPerfEstimate(v, groups * cycles,
                           2 * groups * work.meetings * cell.inChannels.size() *
                               cell.outChannels.size());
  }

  /// Adds partial sums: each tile of a block of the output adds up a part of the block.
  Tensor addSums(const std::vector<Cell> &cells, const Tensor &partials, program::Sequence &prog,
                 const poplar::DebugContext &debugContext) {
    const unsigned count = plan_.partition.partials();
    const Tensor sums = graph_.addVariable(params_.outputType, {partials.numElements() / count},
                                           {debugContext, "out"});
    Graph::TileToTensorMapping mapping(graph_.getTarget().getNumTiles());
    const poplar::ComputeSet cs = graph_.addComputeSet({debugContext, "SumPartials"});
    const std::string vertex =
        poputil::templateVertex("poplin::SumPartials", demands_.partialType, params_.outputType);
    std::size_t begin = 0;
    for (std::size_t i = 0; i != cells.size(); i += count) {
      const std::size_t n = cells[i].outElements();
      const auto shares = plan::cut({0, n}, count, 16);
      for (unsigned t = 0; t != count; ++t) {
        const Range &share = shares[t];
        if (share.size() == 0)
          continue;
        std::vector<Tensor> terms;
        for (unsigned k = 0; k != count; ++k) {
          const std::size_t block = begin * count + k * n;
          terms.push_back(partials.slice(block + share.begin, block + share.end));
        }
        const Tensor out = sums.slice(begin + share.begin, begin + share.end);
        const unsigned tile = cells[i + t].tile;
        mapping[tile].emplace_back(begin + share.begin, begin + share.end);
        const auto v = graph_.addVertex(cs, vertex, {{"partials", terms}, {"out", out}});
        graph_.setTileMapping(v, tile);
        graph_.setPerfEstimate(
            v, plan::reduceCycles(graph_.getTarget(), demands_.partialType, share.size(), count),
            share.size() * (count - 1));
      }
      begin += n;
    }
    graph_.setTileMapping(sums, mapping);
    prog.add(program::Execute(cs, {debugContext, "SumPartials"}));
    return sums;
  }

  Tensor assembled(const std::vector<Cell> &cells, const Tensor &sums, unsigned step) const {
    std::vector<std::size_t> counts{blocks_.groups.size(), blocks_.batch.size()};
    for (const auto &ranges : blocks_.field)
      counts.push_back(ranges.size());
    counts.push_back(blocks_.outChannels[step].size());
    std::vector<Tensor> blocks;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < cells.size(); i += plan_.partition.partials()) {
      const Cell &cell = cells[i];
      std::vector<std::size_t> shape{cell.group.size(), cell.batch.size()};
      for (const Range &range : cell.field)
        shape.push_back(range.size());
      shape.push_back(cell.outChannels.size());
      blocks.push_back(sums.slice(begin, begin + cell.outElements()).reshape(shape));
      begin += cell.outElements();
    }
    return joined(std::move(blocks), counts)
        .dimShuffle(std::vector<unsigned>{1, 0, dims_ + 2} + range(2, 2 + dims_));
  }

  Graph &graph_;
  const ConvParams &params_;
  const plan::Plan &plan_;
  const plan::Demands &demands_;
  unsigned dims_;
  plan::Blocks blocks_;
  Tensor in_, weights_;
  std::vector<Tensor> kept_; ///< for each cell what it meets of the input, on its tile; or none
  bool channelsLast_, outLast_, inLast_;
};

/// Returns the result of a convolution without products.
Tensor addZeros(Graph &graph, const ConvParams &params, program::Sequence &prog,
                const poplar::DebugContext &debugContext) {
  const auto shape = outputShape(params);
  const Tensor out = graph.addVariable(params.outputType, shape,
                                       poplar::VariableMappingMethod::LINEAR, debugContext);
  if (out.numElements() != 0) {
    const Tensor zeros = graph.addConstant(params.outputType, shape, 0.0f, debugContext);
    graph.setTileMapping(zeros, graph.getTileMapping(out));
    prog.add(program::Copy(zeros, out, false, debugContext));
  }
  return out;
}

} // namespace

std::vector<std::size_t> outputShape(const ConvParams &params) {
  std::vector<std::size_t> shape{params.batchSize, params.getNumOutputChans()};
  for (const std::size_t n : params.getOutputFieldShape())
    shape.push_back(n);
  return shape;
}

Tensor convolve(Graph &graph, const Tensor &in, const Tensor &weights, const ConvParams &params,
                const plan::Plan &plan, const plan::Demands &demands, program::Sequence &prog,
                const poplar::DebugContext &debugContext) {
  const auto shape = outputShape(params);
  const bool nothingOut = std::find(shape.begin(), shape.end(), 0U) != shape.end();
  if (nothingOut || in.numElements() == 0 || weights.numElements() == 0)
    return addZeros(graph, params, prog, debugContext);
  Convolution convolution(graph, in, weights, params, plan, demands);
  std::vector<Tensor> steps;
  if (convolution.steps() > 1 && plan.partition.outChannels > 1)
    convolution.keepInputs(prog, debugContext);
  for (unsigned step = 0; step != convolution.steps(); ++step)
    steps.push_back(convolution.addStep(step, prog, debugContext));
  return poplar::concat(steps, 2).reshape(shape);
}

} // namespace poplin
