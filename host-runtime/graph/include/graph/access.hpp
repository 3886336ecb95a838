#pragma once

#include "graph/model.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <memory>

/// Gives the compiler and the engine access to a user's graph and programs.
namespace copse::graph {

/// Returns the model, which lives as long as it is referenced, whatever happens to the graph. The
/// model grows when the user adds to the graph, so finish reading before control returns to the
/// user.
/// \throws poplar::poplar_error for an empty Graph
std::shared_ptr<const Model> modelOf(const poplar::Graph &graph);

/// Returns the program's tree, never null: an empty program is an empty Sequence.
ProgramPtr nodeOf(const poplar::program::Program &program);

/// \throws poplar::poplar_error if \p tensor is not valid
TypedView typedView(const poplar::Tensor &tensor);

/// Returns the target of one replica.
const poplar::Target &targetOf(const poplar::Graph &graph);

} // namespace copse::graph
