#pragma once

#include "map_codelet.hpp"
#include "map_operands.hpp"
#include "typed_expression.hpp"

#include <optional>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace copse::element_expr {

/// An expression with its types and broadcast operands: everything that is needed to add vertices.
struct Mapping {
  /// \param shape  shape of the result, if the operands do not broadcast to it
  /// \throws poputil::poplibs_error if types or shapes do not fit
  Mapping(const popops::expr::Expr &expr, const std::vector<poplar::Tensor> &tensors,
          const std::optional<std::vector<std::size_t>> &shape = {});

  MapCodelet codelet(bool inPlace) const;

  TypedNode expression;
  MapOperands operands;
};

/// Adds the codelets that \p graph does not have yet; they are compiled together.
void addCodelets(poplar::Graph &graph, std::vector<MapCodelet> codelets);

/// Adds a vertex on each tile that has elements of \p out.
/// \param inPlace  the first operand is \p out
void addVertices(poplar::Graph &graph, const Mapping &mapping, const MapCodelet &codelet,
                 bool inPlace, const poplar::Tensor &out, poplar::ComputeSet cs);

} // namespace copse::element_expr
