#pragma once

#include "typed_expression.hpp"

#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Target.hpp>
#include <string>
#include <vector>

namespace copse::element_expr {

/// How a vertex gets the elements of an operand.
enum class Access {
  Unused,
  Elements, ///< one for each element of the result
  Single    ///< one for all
};

/// The generated vertex class of an expression: one loop over a tile's elements, divided among the
/// tile's workers.
///
/// Fields: `out`, and `in1`, `in2`, ... for the operands that are used. In place, `out` is also the
/// first operand.
struct MapCodelet {
  std::string name;               ///< depends on types, accesses and operations only
  std::string source;             ///< the class alone: sourceOf() makes codelets of it
  std::string group;              ///< the file of compiled codelets that may have it; empty: none
  std::vector<poplar::Type> read; ///< types of the operands that are read element by element
  poplar::Type written;
  unsigned vectorInstructions = 0; ///< for 64 bits of the result's elements
  unsigned scalarInstructions = 0; ///< for one element
  unsigned operations = 0;         ///< for one element

  poplar::VertexPerfEstimate estimate(const poplar::Target &target, std::uint64_t elements) const;
};

MapCodelet mapCodelet(const TypedNode &expression, const std::vector<poplar::Type> &types,
                      const std::vector<Access> &accesses, bool inPlace);

/// Returns the source that popc compiles for \p codelets.
std::string sourceOf(const std::vector<MapCodelet> &codelets);

} // namespace copse::element_expr
