#pragma once

#include "isa/instruction.hpp"
#include "processor/core.hpp"
#include "processor/weights.hpp"

#include "wire/image.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace copse::ipud {

/// The state of the matrix units of an IPU's tiles that native code uses.
///
/// Thread: one thread at a time per tile.
class MatrixUnits {
public:
  struct Unit {
    Weights weights;                                   ///< $CWEI
    std::uint32_t weightAddress = 0;                   ///< $CCCSLOAD
    std::uint32_t initialFormat = 0, initialScale = 0; ///< $FP_INFMT, $FP_ISCL
  };

  MatrixUnits() = default;
  MatrixUnits(std::uint32_t tiles, wire::Architecture architecture);

  const Chip &chip() const { return chip_; }
  /// Returns the unit of \p tile, which is created at first use.
  Unit &of(std::uint32_t tile);

private:
  Chip chip_ = chipOf(isa::Architecture::Ipu2);
  std::vector<std::unique_ptr<Unit>> units_; ///< shape [tiles]
};

/// Executes one AMP or SLIC instruction with the interpreter's arithmetic.
/// \param core  contains the registers that \p instruction names, the accumulators, $TAS, $FP_CTL,
///   $FP_NFMT, $FP_SCL and the random numbers; receives the results
/// \returns true if the instruction succeeded; otherwise core.fault and core.fpStatus have the
///   reason
bool executeMatrix(Core &core, const isa::Instruction &instruction);
bool isMatrixInstruction(isa::Opcode opcode);

} // namespace copse::ipud
