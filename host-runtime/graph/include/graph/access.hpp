#pragma once

#include "graph/model.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <memory>

/// What the compiler and the engine take out of a user's graph and programs.
namespace copse::graph {

/// The model lives as long as anybody holds it, whatever becomes of the graph. It grows when more
/// is added to the graph, so finish reading before the user gets control back.
/// \throws poplar::poplar_error for an empty Graph
std::shared_ptr<const Model> modelOf(const poplar::Graph &graph);

/// The program's tree, never null: an empty program is an empty Sequence.
ProgramPtr nodeOf(const poplar::program::Program &program);

/// \throws poplar::poplar_error if \p tensor is not valid
TypedView typedView(const poplar::Tensor &tensor);

/// The target of one replica.
const poplar::Target &targetOf(const poplar::Graph &graph);

} // namespace copse::graph
