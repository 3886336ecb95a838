#include "embedding.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

namespace transformer {

using poplar::FLOAT;
using poplar::Tensor;
using poplar::program::Sequence;

Embedding::Embedding(LayerContext &context)
    : context_(context),
      plan_(popops::embedding::plan(context.graph, FLOAT, context.shape.alphabet,
                                    context.shape.width, {context.shape.rows()}, {})) {
  poplar::Graph &graph = context.graph;
  const Shape &shape = context.shape;
  characters_ = context.parameters.addRandom(
      popops::createSliceableTensor(graph, FLOAT, {shape.alphabet, shape.width}, {0}, {1}, plan_,
                                    {}, "embedding/characters"),
      0.1, "embedding/characters");
  const Tensor positions =
      graph.addVariable(FLOAT, {shape.context, shape.width}, "embedding/positions");
  poputil::mapTensorLinearly(graph, positions);
  positions_ = context.parameters.addRandom(positions, 0.1, "embedding/positions");
  one_ = graph.addConstant(FLOAT, {}, 1.0f, "embedding/one");
  graph.setTileMapping(one_, 0);
}

Tensor Embedding::forward(const Tensor &characters, Sequence &prog) const {
  const Shape &shape = context_.shape;
  const Tensor x = popops::multiSlice(context_.graph, characters_.value, characters.expand({1}),
                                      {0}, {1}, prog, plan_, {}, "embedding")
                       .reshape({characters.dim(0), shape.width});
  popops::addInPlace(context_.graph,
                     x.reshape({x.dim(0) / shape.context, shape.context, shape.width}),
                     positions_.value.expand({0}), prog, "embedding/positions");
  return x;
}

void Embedding::backward(const Tensor &characters, const Tensor &gradient, Sequence &prog) const {
  poplar::Graph &graph = context_.graph;
  const Shape &shape = context_.shape;
  popops::multiUpdateAdd(graph, characters_.gradient, gradient.expand({1}), characters.expand({1}),
                         one_, {0}, {1}, prog, plan_, {}, "embedding/charactersGradient");
  popops::reduceWithOutput(graph, gradient.reshape({shape.batch, shape.context, shape.width}),
                           positions_.gradient, {0}, {popops::Operation::ADD, true}, prog,
                           "embedding/positionsGradient");
}

} // namespace transformer
