#pragma once

#include "graph/model.hpp"

#include <cstdint>

/// Variables of graphs that were made by Graph::createReplicatedGraph.
///
/// Such a variable is two entries of the model: the variable that replicated tensors refer to, and
/// `Variable::instances`, which holds what all replicas have of it, one after another. Only the
/// second one has memory: before a model is compiled, everything that refers to the first is
/// repeated for each replica.
namespace copse::graph {

/// Adds \p variable and, if \p replication (an index into Model::replications) is not
/// kNotReplicated, the instances behind it;
/// \returns its number.
/// \param mappedAs  the replication whose tiles the instances are mapped on, if it has as many
///   replicas; else their own
VariableId addVariable(Model &model, Variable variable, std::uint32_t replication,
                       std::uint32_t mappedAs = kNotReplicated);

/// The first replication among the variables of \p view; kNotReplicated if there is none.
std::uint32_t replicationOf(const Model &model, const View &view);

/// Replicas that \p view exists on: 1 if it refers to no replicated variable.
/// \throws poplar::graph_replication_error if it refers to those of different numbers of replicas
std::uint32_t replicasOf(const Model &model, const View &view);

/// What replica \p replica has of \p run or \p view. Elements that are not replicated stay as they
/// are.
Run instanceOf(const Model &model, Run run, std::uint32_t replica);
View instanceOf(const Model &model, const View &view, std::uint32_t replica);

/// Shape {replicas, ...}: what each replica has of \p view.
View allInstances(const Model &model, const View &view, std::uint32_t replicas);

/// Maps elements [begin, end) of a variable and of its instances, these on the tiles of their
/// replicas.
void mapElements(Model &model, VariableId variable, std::uint64_t begin, std::uint64_t end,
                 std::uint32_t tile);

/// Gives a variable and all its instances this value.
void addInitialValue(Model &model, VariableId variable, InitialValue value);

} // namespace copse::graph
