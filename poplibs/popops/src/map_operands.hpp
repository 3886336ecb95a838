#pragma once

#include "map_codelet.hpp"

#include <optional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace copse::element_expr {

/// The operands of an expression, as views of the result's shape.
struct MapOperands {
  std::vector<poplar::Type> types;
  std::vector<Access> accesses;
  std::vector<poplar::Tensor> views; ///< views of one element, or in the result's shape
  std::vector<std::size_t> shape;    ///< shape of the result
};

/// Broadcasts the operands that \p expression uses. Operands that are the same tensor are merged
/// into one, and \p expression is renumbered accordingly.
/// \param shape  shape of the result; by default the one to which the operands broadcast
/// \throws poputil::poplibs_error if there is no common shape, or it is not \p shape
MapOperands mapOperands(TypedNode &expression, const std::vector<poplar::Tensor> &tensors,
                        const std::optional<std::vector<std::size_t>> &shape = {});

} // namespace copse::element_expr
