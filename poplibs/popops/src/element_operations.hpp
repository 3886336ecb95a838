#pragma once

#include "popops/ExprOp.hpp"

#include <poplar/Type.hpp>

namespace copse::element_expr {

/// The properties of an operation on elements. The tables are in element_operations.cpp.
struct Operation {
  const char *function; ///< in codelets/element_functions.hpp
  const char *types;    ///< types of operands, a letter each: see isAmong()
  bool givesBool;       ///< else the operands' type
  unsigned vector;      ///< instructions for 64 bits of elements, if the tile has vectors for it
  unsigned scalar;      ///< else for one element
};

const Operation &operationOf(popops::expr::UnaryOpType op);
const Operation &operationOf(popops::expr::BinaryOpType op);
const Operation &operationOf(popops::expr::TernaryOpType op);

/// Returns true if \p letters has the type's: f float, h half, i int, u unsigned int, b bool, s
/// short, t unsigned short
bool isAmong(const poplar::Type &type, const char *letters);

} // namespace copse::element_expr
