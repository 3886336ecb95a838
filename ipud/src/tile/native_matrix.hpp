#pragma once

#include "isa/instruction.hpp"
#include "processor/core.hpp"
#include "processor/weights.hpp"

#include "wire/image.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace copse::ipud {

/// What the matrix units of an IPU's tiles keep for native code.
///
/// Thread: each tile by one thread at a time.
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
  /// Made at first use.
  Unit &of(std::uint32_t tile);

private:
  Chip chip_ = chipOf(isa::Architecture::Ipu2);
  std::vector<std::unique_ptr<Unit>> units_; ///< shape [tiles]
};

/// Executes one AMP or SLIC instruction with the interpreter's own arithmetic.
/// \param core  has the registers that \p instruction names, the accumulators, $TAS, $FP_CTL,
///   $FP_NFMT, $FP_SCL and the random numbers; gets what the instruction writes
/// \returns whether it went well; if not, core.fault and core.fpStatus tell why
bool executeMatrix(Core &core, const isa::Instruction &instruction);
bool isMatrixInstruction(isa::Opcode opcode);

} // namespace copse::ipud
