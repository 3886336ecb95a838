#pragma once

#include "operator_context.hpp"

#include <functional>
#include <map>

namespace copse::onnx {

/// Adds a node's work to the graph and sets its outputs.
using Lowering = std::function<void(OperatorContext &)>;
using OperatorTable = std::map<std::string, Lowering>;

/// Returns all operators of the domain ai.onnx that can be lowered, by name.
const OperatorTable &operatorTable();

// The families of operators, one per file.
void addElementwiseOperators(OperatorTable &table);
void addActivations(OperatorTable &table);
void addMatrixOperators(OperatorTable &table);
void addConvolutions(OperatorTable &table);
void addPooling(OperatorTable &table);
void addNorms(OperatorTable &table);
void addReductions(OperatorTable &table);
void addShapeOperators(OperatorTable &table);
void addConstants(OperatorTable &table);
void addGathers(OperatorTable &table);
void addLosses(OperatorTable &table);
void addResizing(OperatorTable &table);
void addRankings(OperatorTable &table);
void addScans(OperatorTable &table);
void addEinsum(OperatorTable &table);
void addRecurrentLayers(OperatorTable &table);
void addQuantization(OperatorTable &table);
void addQuantizedProducts(OperatorTable &table);
void addControlFlow(OperatorTable &table);
void addSelections(OperatorTable &table);

/// Checks that all operators of \p model can be lowered.
/// \throws ModelError  which names the nodes with missing operators
void checkOperators(const Model &model);

} // namespace copse::onnx
