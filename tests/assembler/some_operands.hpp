#pragma once

#include "isa/instruction.hpp"

#include <cstdint>
#include <random>

namespace copse::assembler::test {

/// Returns the operand's least or greatest value, or some other. As its text must select this very
/// encoding, an immediate with high bits is not zero.
inline std::uint32_t someValue(const isa::OperandInfo &operand, int which, std::mt19937 &random) {
  if (operand.registers != 0) {
    const std::uint32_t step = operand.registers == 3 ? 4 : operand.registers;
    const std::uint32_t last = (16 - step) / step * step;
    return which == 0   ? 0
           : which == 1 ? last
                        : static_cast<std::uint32_t>(random()) % 16 / step * step;
  }
  const auto [least, greatest] = isa::rangeOf(operand);
  const std::uint32_t step = operand.kind == isa::OperandKind::High          ? 1U << 20
                             : operand.kind == isa::OperandKind::CodeAddress ? 4
                                                                             : 1;
  if (which == 0)
    return operand.kind == isa::OperandKind::High ? step : static_cast<std::uint32_t>(least);
  if (which == 1)
    return static_cast<std::uint32_t>(greatest);
  const auto steps = static_cast<std::uint64_t>(greatest - least) / step;
  return static_cast<std::uint32_t>(least) +
         static_cast<std::uint32_t>(1 + random() % steps) * step;
}

} // namespace copse::assembler::test
