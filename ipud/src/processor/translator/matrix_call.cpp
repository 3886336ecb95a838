#include "processor/translator/matrix_call.hpp"

#include "processor/matrix_unit.hpp"

namespace copse::ipud {
namespace {

using isa::Opcode;

constexpr std::uint32_t kEveryEngine = 3;

MatrixCall ampOf(std::uint32_t immediate) {
  const auto control = fp::MatrixControl::amp(immediate);
  MatrixCall call;
  call.group = control.group;
  call.row = control.phase;
  call.startsSums = control.phase == 0;
  return call;
}

MatrixCall slicOf(std::uint32_t immediate) {
  const auto control = fp::MatrixControl::slic(immediate);
  MatrixCall call;
  call.isSlic = true;
  call.group = control.group;
  call.row = 2 * control.group + control.phase;
  return call;
}

MatrixCall ofHalves(MatrixCall call, unsigned sets, bool halvesIn, bool halvesOut) {
  call.sets = sets;
  call.halvesIn = halvesIn;
  call.halvesOut = halvesOut;
  return call;
}

MatrixCall ofSingles(MatrixCall call) {
  call.isSingle = true;
  call.moves = call.row % 2 == 0;
  return call;
}

MatrixCall ofTwoSets(MatrixCall call) {
  call.sets = 2;
  call.isLate = true;
  return call;
}

} // namespace

MatrixCall MatrixCall::ofSet(unsigned set) const {
  MatrixCall call = *this;
  if (!isLate || set == 0)
    return call;
  call.row = isSlic ? row ^ 1 : (row + Weights::kPhases - 1) % Weights::kPhases;
  call.startsSums = !isSlic && call.row == 0;
  call.moves = call.row % 2 == 0;
  return call;
}

std::optional<MatrixCall> matrixCallOf(const isa::Instruction &i) {
  const std::uint32_t immediate = i.operands[3];
  if (i.opcode == Opcode::Invalid || immediate >> 4 != kEveryEngine)
    return std::nullopt;
  switch (i.opcode) {
  case Opcode::F16v4sisoamp:
    return ofHalves(ampOf(immediate), 1, false, false);
  case Opcode::F16v4sihoamp:
    return ofHalves(ampOf(immediate), 1, false, true);
  case Opcode::F16v4hihoamp:
    return ofHalves(ampOf(immediate), 1, true, true);
  case Opcode::F16v4hihov4amp:
    return ofHalves(ampOf(immediate), 2, true, true);
  case Opcode::F16v4sisoslic:
    return ofHalves(slicOf(immediate), 1, false, false);
  case Opcode::F16v4sihoslic:
    return ofHalves(slicOf(immediate), 1, false, true);
  case Opcode::F16v4hihoslic:
    return ofHalves(slicOf(immediate), 1, true, true);
  case Opcode::F16v4hihov4slic:
    return ofHalves(slicOf(immediate), 2, true, true);
  case Opcode::F32sisoamp:
    return ofSingles(ampOf(immediate));
  case Opcode::F32sisoslic:
    return ofSingles(slicOf(immediate));
  case Opcode::F32sisov2amp:
    return ofTwoSets(ofSingles(ampOf(immediate)));
  case Opcode::F32sisov2slic:
    return ofTwoSets(ofSingles(slicOf(immediate)));
  default:
    return std::nullopt;
  }
}

} // namespace copse::ipud
