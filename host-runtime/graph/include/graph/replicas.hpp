#pragma once

#include "graph/model.hpp"

#include <cstdint>

/// Variables of graphs that were made by Graph::createReplicatedGraph.
///
/// Such a variable has two entries in the model: the variable to which replicated tensors refer,
/// and `Variable::instances`, which contains the variables of all replicas, one after another. Only
/// the second one has memory: before a model is compiled, everything that refers to the first entry
/// is duplicated for each replica.
namespace copse::graph {

/// Adds \p variable and, if \p replication (an index into Model::replications) is not
/// kNotReplicated, its instances.
/// \param mappedAs  the replication on whose tiles the instances are mapped, if it has as many
///   replicas; else their own
/// \returns the number of the variable
VariableId addVariable(Model &model, Variable variable, std::uint32_t replication,
                       std::uint32_t mappedAs = kNotReplicated);

/// Returns the first replication among the variables of \p view; kNotReplicated if there is none.
std::uint32_t replicationOf(const Model &model, const View &view);

/// Returns the number of replicas on which \p view exists; 1 if it refers to no replicated
/// variable.
/// \throws poplar::graph_replication_error if its variables have different numbers of replicas
std::uint32_t replicasOf(const Model &model, const View &view);

/// Returns the elements of \p replica that correspond to \p run or \p view. Elements that are not
/// replicated are unchanged.
Run instanceOf(const Model &model, Run run, std::uint32_t replica);
View instanceOf(const Model &model, const View &view, std::uint32_t replica);

/// Returns the instances of \p view on all replicas, shape {replicas, ...}.
View allInstances(const Model &model, const View &view, std::uint32_t replicas);

/// Maps elements [begin, end) of a variable, and of its instances on the tiles of their replicas.
void mapElements(Model &model, VariableId variable, std::uint64_t begin, std::uint64_t end,
                 std::uint32_t tile);

/// Gives a variable and all its instances an initial value.
void addInitialValue(Model &model, VariableId variable, InitialValue value);

} // namespace copse::graph
