#include "popnn/Pooling.hpp"

#include "checks.hpp"
#include "pool_windows.hpp"
#include "vertex_type.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <poputil/OptionParsing.hpp>

namespace popnn::pooling {
namespace {

using poplar::Graph;
using poplar::Tensor;
using Shape = std::vector<std::size_t>;

void checkOptions(const poplar::OptionFlags &options) {
  bool ignored = false;
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec(
      "pool", {{"poolUseIntrospectiveMapping", OptionHandler::createWithBool(ignored)},
               {"optimizeForSpeed", OptionHandler::createWithBool(ignored)},
               {"useFloatPartialsWhereBeneficial", OptionHandler::createWithBool(ignored)}});
  spec.parse(options);
}

void checkTensor(const char *function, const char *what, const PoolParams &params, const Tensor &t,
                 const Shape &field) {
  Shape shape{params.batchSize, params.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  std::string text = "{";
  for (std::size_t i = 0; i != shape.size(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  require(function, t.shape() == shape && t.elementType() == params.dType,
          std::string("the ") + what + " must be " + params.dType.toString() + " of shape " + text +
              "} by the parameters, not " + t.elementType().toString() + " of shape " +
              t.shapeToString());
}

std::size_t product(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// Returns [batch][channels][field...] as [batch][field...][channels].
Tensor channelsLast(const Tensor &t) { return t.dimRoll(1, t.rank() - 1); }

/// The part of the output that one tile writes: some items of the batch, rows of the first field
/// dimension, and channels.
struct Piece {
  unsigned tile;
  std::size_t item, row, rowEnd, channel, channelEnd;
};

/// Cuts the output into a piece for each tile: first the batch, then channels in groups of eight,
/// then rows.
std::vector<Piece> piecesOf(const Graph &graph, const PoolParams &params, std::size_t rows) {
  const std::size_t tiles = graph.getTarget().getNumTiles();
  const std::size_t items = params.batchSize;
  const std::size_t grains = (params.numChannels + 7) / 8;
  const std::size_t forItem = std::max<std::size_t>(tiles / std::max<std::size_t>(items, 1), 1);
  const std::size_t channelParts = std::min(grains, forItem);
  const std::size_t rowParts = std::min(rows, std::max<std::size_t>(forItem / channelParts, 1));
  const std::size_t all = items * channelParts * rowParts;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i != all; ++i) {
    const std::size_t row = i % rowParts, channel = i / rowParts % channelParts;
    pieces.push_back({static_cast<unsigned>(all <= tiles ? i : i * tiles / all),
                      i / rowParts / channelParts, row * rows / rowParts,
                      (row + 1) * rows / rowParts,
                      std::min(channel * grains / channelParts * 8, params.numChannels),
                      std::min((channel + 1) * grains / channelParts * 8, params.numChannels)});
  }
  return pieces;
}

/// The input of a piece, and the field in the form that its vertex gets.
struct Reading {
  unsigned begin = 0, end = 0; ///< range in the first field dimension
  std::vector<unsigned> field;
};

Reading readingOf(const Piece &piece, const std::vector<std::vector<Range>> &ranges,
                  const Shape &readShape) {
  Reading reading;
  bool any = false;
  for (std::size_t row = piece.row; row != piece.rowEnd; ++row) {
    const Range &range = ranges[0][row];
    if (range.first == range.second)
      continue;
    reading.begin = any ? std::min(reading.begin, range.first) : range.first;
    reading.end = any ? std::max(reading.end, range.second) : range.second;
    any = true;
  }
  if (!any)
    reading.end = 1; // something to connect
  for (std::size_t d = 0; d != ranges.size(); ++d) {
    const std::size_t from = d == 0 ? piece.row : 0, to = d == 0 ? piece.rowEnd : ranges[d].size();
    reading.field.push_back(static_cast<unsigned>(to - from));
    reading.field.push_back(d == 0 ? reading.end - reading.begin
                                   : static_cast<unsigned>(readShape[d]));
    for (std::size_t i = from; i != to; ++i) {
      const bool empty = ranges[d][i].first == ranges[d][i].second;
      const unsigned shift = d == 0 && !empty ? reading.begin : 0;
      reading.field.push_back(ranges[d][i].first - shift);
      reading.field.push_back(ranges[d][i].second - shift);
    }
  }
  return reading;
}

/// Rows and channels of one item of [batch][field...][channels].
Tensor part(const Tensor &t, const Piece &piece, std::size_t row, std::size_t rowEnd) {
  return t[piece.item].slice(row, rowEnd, 0).slice(piece.channel, piece.channelEnd, t.rank() - 2);
}

/// Adds a tensor [batch][field...][channels] in which each piece is contiguous.
Tensor addPieces(Graph &graph, const PoolParams &params, const std::vector<Piece> &pieces,
                 const Shape &field, std::vector<Tensor> &flat,
                 const poplar::DebugContext &debugContext) {
  const Tensor t = graph.addVariable(
      params.dType, {params.batchSize * params.numChannels * product(field)}, debugContext);
  const std::size_t pixelsOfRow = product(field) / std::max<std::size_t>(field[0], 1);
  std::size_t begin = 0;
  std::vector<Tensor> items;
  for (std::size_t i = 0; i != pieces.size();) {
    std::vector<Tensor> channels;
    const std::size_t item = pieces[i].item;
    while (i != pieces.size() && pieces[i].item == item) {
      std::vector<Tensor> rows;
      const std::size_t channel = pieces[i].channel;
      for (; i != pieces.size() && pieces[i].item == item && pieces[i].channel == channel; ++i) {
        const Piece &piece = pieces[i];
        const std::size_t width = piece.channelEnd - piece.channel;
        const std::size_t n = (piece.rowEnd - piece.row) * pixelsOfRow * width;
        const Tensor view = t.slice(begin, begin + n);
        graph.setTileMapping(view, piece.tile);
        flat.push_back(view);
        Shape shape = field;
        shape[0] = piece.rowEnd - piece.row;
        shape.push_back(width);
        rows.push_back(view.reshape(shape));
        begin += n;
      }
      channels.push_back(poplar::concat(rows, 0));
    }
    items.push_back(poplar::concat(channels, static_cast<unsigned>(field.size())).expand({0}));
  }
  return poplar::concat(items, 0);
}

void finish(Graph &graph, poplar::VertexRef v, const Piece &piece, const Reading &reading,
            std::size_t dims, std::size_t written, double metByEach) {
  graph.setInitialValue(v["field"], poplar::ArrayRef<unsigned>(reading.field));
  graph.setInitialValue(v["dims"], static_cast<unsigned>(dims));
  graph.setInitialValue(v["items"], 1U);
  graph.setInitialValue(v["channels"], static_cast<unsigned>(piece.channelEnd - piece.channel));
  graph.setTileMapping(v, piece.tile);
  // A worker processes one vector in each of its issue slots.
  const poplar::Target &target = graph.getTarget();
  const double vectors = static_cast<double>(written) / target.getFloatVectorWidth();
  graph.setPerfEstimate(v, 100 + static_cast<std::uint64_t>(vectors * (2 + metByEach)),
                        static_cast<std::uint64_t>(static_cast<double>(written) * metByEach));
}

double meanSize(const std::vector<std::vector<Range>> &ranges) {
  double size = 1;
  for (const auto &ofDim : ranges) {
    double sum = 0;
    for (const Range &range : ofDim)
      sum += range.second - range.first;
    size *= ofDim.empty() ? 0 : sum / static_cast<double>(ofDim.size());
  }
  return size;
}

std::vector<std::vector<Range>> forDims(const PoolParams &params,
                                        std::vector<Range> (*of)(const PoolParams &, unsigned)) {
  std::vector<std::vector<Range>> ranges;
  for (unsigned d = 0; d != params.getNumFieldDims(); ++d)
    ranges.push_back(of(params, d));
  return ranges;
}

/// Adds the result of a pooling without elements, with some mapping.
Tensor addEmpty(Graph &graph, const PoolParams &params, const Shape &field) {
  Shape shape{params.batchSize, params.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  return graph.addVariable(params.dType, shape, poplar::VariableMappingMethod::LINEAR);
}

/// Returns 1 / elements of a window, for the windows of rows [begin, end).
std::vector<float> inverseSizes(const std::vector<std::vector<Range>> &windows, unsigned begin,
                                unsigned end) {
  std::vector<float> sizes{1.0f};
  for (std::size_t d = 0; d != windows.size(); ++d) {
    std::vector<float> finer;
    for (const float size : sizes)
      for (std::size_t o = d == 0 ? begin : 0; o != (d == 0 ? end : windows[d].size()); ++o)
        finer.push_back(size * static_cast<float>(windows[d][o].second - windows[d][o].first));
    sizes = std::move(finer);
  }
  for (float &size : sizes)
    size = size == 0 ? 0 : 1 / size;
  return sizes;
}

/// Returns the gradients of windows of MAX, divided among the elements that equal the maximum.
Tensor sharedGradient(Graph &graph, const PoolParams &params, const Tensor &in,
                      const Tensor &pooled, const Tensor &gradient, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext) {
  const Shape field = params.getOutputFieldShape();
  const auto windows = forDims(params, inputsOfOutputs);
  const auto pieces = piecesOf(graph, params, field[0]);
  std::vector<Tensor> flat;
  const Tensor out = addPieces(graph, params, pieces, field, flat, {debugContext, "shared"});
  const std::string vertex = vertexType(graph, "pooling", "popnn::ShareMaxGradient", params.dType);
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "ShareMaxGradient"});
  for (std::size_t i = 0; i != pieces.size(); ++i) {
    const Piece &piece = pieces[i];
    const Reading reading = readingOf(piece, windows, params.inputFieldShape);
    const auto v =
        graph.addVertex(cs, vertex,
                        {{"in", part(in, piece, reading.begin, reading.end).flatten()},
                         {"pooled", part(pooled, piece, piece.row, piece.rowEnd).flatten()},
                         {"gradient", part(gradient, piece, piece.row, piece.rowEnd).flatten()},
                         {"out", flat[i]}});
    finish(graph, v, piece, reading, field.size(), flat[i].numElements(), meanSize(windows));
  }
  prog.add(poplar::program::Execute(cs, {debugContext, "ShareMaxGradient"}));
  return out;
}

/// \param in, pooled  for MAX only
Tensor inputGradient(Graph &graph, const PoolParams &params, const Tensor *in, const Tensor *pooled,
                     const Tensor &pooledGradient, bool scaled, poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext) {
  const Shape &field = params.inputFieldShape;
  const Shape outField = params.getOutputFieldShape();
  if (params.batchSize * params.numChannels * product(field) == 0)
    return addEmpty(graph, params, field);
  const bool max = params.poolingType == PoolingType::MAX;
  Tensor gradient = channelsLast(pooledGradient);
  Tensor inLast, pooledLast;
  if (max) {
    inLast = channelsLast(*in);
    pooledLast = channelsLast(*pooled);
    if (scaled)
      gradient = sharedGradient(graph, params, inLast, pooledLast, gradient, prog, debugContext);
  }
  const auto met = forDims(params, outputsOfInputs), windows = forDims(params, inputsOfOutputs);
  const auto pieces = piecesOf(graph, params, field[0]);
  std::vector<Tensor> flat;
  const Tensor out = addPieces(graph, params, pieces, field, flat, {debugContext, "inGradient"});
  const std::string vertex = vertexType(graph, "pooling", "popnn::PoolGradient", params.dType);
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "PoolGradient"});
  for (std::size_t i = 0; i != pieces.size(); ++i) {
    const Piece &piece = pieces[i];
    const Reading reading = readingOf(piece, met, outField);
    const Tensor gradients = part(gradient, piece, reading.begin, reading.end).flatten();
    const Tensor ins = max ? part(inLast, piece, piece.row, piece.rowEnd).flatten() : gradients;
    const Tensor results =
        max ? part(pooledLast, piece, reading.begin, reading.end).flatten() : gradients;
    const auto v = graph.addVertex(
        cs, vertex,
        {{"in", ins}, {"pooled", results}, {"gradient", gradients}, {"inGradient", flat[i]}});
    const bool weighted = params.poolingType == PoolingType::AVG;
    const auto weights =
        weighted ? inverseSizes(windows, reading.begin, reading.end) : std::vector<float>{1};
    graph.setInitialValue(v["weighted"], weighted);
    graph.setInitialValue(v["weights"], poplar::ArrayRef<float>(weights));
    graph.setInitialValue(v["max"], max);
    finish(graph, v, piece, reading, field.size(), flat[i].numElements(), meanSize(met));
  }
  prog.add(poplar::program::Execute(cs, {debugContext, "PoolGradient"}));
  return out.dimRoll(out.rank() - 1, 1);
}

} // namespace

Tensor pool(Graph &graph, const PoolParams &params, const Tensor &in,
            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
            const poplar::OptionFlags &options) {
  validate(params);
  checkOptions(options);
  checkTensor("pool", "input", params, in, params.inputFieldShape);
  const Shape field = params.getOutputFieldShape();
  if (params.batchSize * params.numChannels * product(field) == 0)
    return addEmpty(graph, params, field);
  const auto windows = forDims(params, inputsOfOutputs);
  const auto pieces = piecesOf(graph, params, field[0]);
  std::vector<Tensor> flat;
  const Tensor out = addPieces(graph, params, pieces, field, flat, {debugContext, "pooled"});
  // Read in the order in which most of it lies in memory.
  const bool channelsTogether =
      params.numChannels > 1 &&
      in[0].slice(0, 2, 0).dimRoll(0, in.rank() - 2).flatten().slice(0, 2).isContiguous();
  const Tensor last = channelsLast(in);
  const std::string vertex = vertexType(graph, "pooling", "popnn::Pool", params.dType);
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "Pool"});
  for (std::size_t i = 0; i != pieces.size(); ++i) {
    const Piece &piece = pieces[i];
    const Reading reading = readingOf(piece, windows, params.inputFieldShape);
    Tensor read = part(last, piece, reading.begin, reading.end);
    const auto channels = static_cast<unsigned>(piece.channelEnd - piece.channel);
    const auto pixels = static_cast<unsigned>(read.numElements() / channels);
    if (!channelsTogether)
      read = read.dimRoll(read.rank() - 1, 0);
    const auto v = graph.addVertex(cs, vertex, {{"in", read.flatten()}, {"out", flat[i]}});
    graph.setInitialValue(v["kind"], static_cast<unsigned>(params.poolingType));
    graph.setInitialValue(v["itemStride"], pixels * channels);
    graph.setInitialValue(v["pixelStride"], channelsTogether ? channels : 1U);
    graph.setInitialValue(v["channelStride"], channelsTogether ? 1U : pixels);
    finish(graph, v, piece, reading, field.size(), flat[i].numElements(), meanSize(windows));
  }
  prog.add(poplar::program::Execute(cs, {debugContext, "Pool"}));
  return out.dimRoll(out.rank() - 1, 1);
}

Tensor poolInputGradient(Graph &graph, const PoolParams &params, const Tensor &in,
                         const Tensor &pooled, const Tensor &pooledGradient, bool useScaledGradient,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options) {
  const char *const function = "poolInputGradient";
  validate(params);
  checkOptions(options);
  checkTensor(function, "input", params, in, params.inputFieldShape);
  checkTensor(function, "pooled output", params, pooled, params.getOutputFieldShape());
  checkTensor(function, "gradient", params, pooledGradient, params.getOutputFieldShape());
  return inputGradient(graph, params, &in, &pooled, pooledGradient, useScaledGradient, prog,
                       debugContext);
}

Tensor poolInputGradient(Graph &graph, const PoolParams &params, const unsigned,
                         const Tensor &pooledGradient, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options) {
  const char *const function = "poolInputGradient";
  validate(params);
  checkOptions(options);
  require(function, params.poolingType != PoolingType::MAX,
          "the gradient of MAX needs the forward input and output");
  checkTensor(function, "gradient", params, pooledGradient, params.getOutputFieldShape());
  return inputGradient(graph, params, nullptr, nullptr, pooledGradient, false, prog, debugContext);
}

} // namespace popnn::pooling
