#include "tile/native_matrix.hpp"

#include "processor/aux_operations.hpp"
#include "processor/float_vectors.hpp"

namespace copse::ipud {
namespace {

operation::Function functionOf(isa::Opcode opcode) {
  using isa::Opcode;
  switch (opcode) {
  case Opcode::F16v4sisoamp:
    return operation::F16v4sisoamp;
  case Opcode::F16v4sihoamp:
    return operation::F16v4sihoamp;
  case Opcode::F16v4hihoamp:
    return operation::F16v4hihoamp;
  case Opcode::F16v4hihov4amp:
    return operation::F16v4hihov4amp;
  case Opcode::F8v8hihov4amp:
    return operation::F8v8hihov4amp;
  case Opcode::F32sisoamp:
    return operation::F32sisoamp;
  case Opcode::F32sisov2amp:
    return operation::F32sisov2amp;
  case Opcode::F16v4sisoslic:
    return operation::F16v4sisoslic;
  case Opcode::F16v4sihoslic:
    return operation::F16v4sihoslic;
  case Opcode::F16v4hihoslic:
    return operation::F16v4hihoslic;
  case Opcode::F16v4hihov4slic:
    return operation::F16v4hihov4slic;
  case Opcode::F8v8hihov4slic:
    return operation::F8v8hihov4slic;
  case Opcode::F32sisoslic:
    return operation::F32sisoslic;
  case Opcode::F32sisov2slic:
    return operation::F32sisov2slic;
  default:
    return nullptr;
  }
}

} // namespace

MatrixUnits::MatrixUnits(std::uint32_t tiles, wire::Architecture architecture)
    : chip_(chipOf(architecture)), units_(tiles) {}

MatrixUnits::Unit &MatrixUnits::of(std::uint32_t tile) {
  if (!units_[tile])
    units_[tile] = std::make_unique<Unit>();
  return *units_[tile];
}

bool isMatrixInstruction(isa::Opcode opcode) { return functionOf(opcode) != nullptr; }

bool executeMatrix(Core &core, const isa::Instruction &instruction) {
  MicroOp step;
  for (unsigned i = 0; i < 3; ++i)
    step.r[i] = static_cast<std::uint8_t>(instruction.operands[i]);
  step.immediate = static_cast<std::int32_t>(instruction.operands[3]);
  const fp::FlushesDenormals mode;
  return functionOf(instruction.opcode)(core, step);
}

} // namespace copse::ipud
