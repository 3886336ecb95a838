#pragma once

#include "parameters.hpp"
#include "shape.hpp"

#include <poplar/Graph.hpp>
#include <poplin/MatMul.hpp>

namespace transformer {

/// The things that every layer of a stage needs.
struct LayerContext {
  poplar::Graph &graph; ///< the graph of the stage's tiles
  Shape shape;
  Parameters &parameters;
  poplin::matmul::PlanningCache &plans;
};

} // namespace transformer
