#pragma once

#include "popops/Expr.hpp"

#include <poplar/Type.hpp>
#include <string>
#include <vector>

namespace copse::element_expr {

/// An expression in which every node has its type, and constants are already converted.
struct TypedNode {
  enum class Kind { Operand, Constant, Cast, Operation } kind;
  poplar::Type type;
  unsigned operand = 0;      ///< Kind::Operand: from 0
  std::string literal = {};  ///< Kind::Constant: as C++ writes it
  std::string function = {}; ///< Kind::Operation, in codelets/element_functions.hpp
  unsigned vector = 0;       ///< instructions for 64 bits of elements, or
  unsigned scalar = 0;       ///< for one element
  std::vector<TypedNode> arguments = {};

  bool operator==(const TypedNode &) const = default;
};

/// \param types  types of the tensors that placeholders stand for
/// \throws poputil::poplibs_error if types do not agree, an operation does not exist for them, or a
///   placeholder has no tensor
TypedNode withTypes(const popops::expr::Expr &expr, const std::vector<poplar::Type> &types);

} // namespace copse::element_expr
