#include "isa/control_flow.hpp"

namespace copse::isa {

bool isControl(Opcode opcode) {
  switch (opcode) {
  case Opcode::Brneg:
  case Opcode::Brnz:
  case Opcode::Brpos:
  case Opcode::Brz:
  case Opcode::Brnzdec:
  case Opcode::Call:
  case Opcode::Br:
  case Opcode::Bri:
  case Opcode::Rpt:
  case Opcode::RptZ:
  case Opcode::Exitneg:
  case Opcode::Exitnz:
  case Opcode::Exitpos:
  case Opcode::Exitz:
    return true;
  default:
    return false;
  }
}

bool isForbiddenInRepeat(Opcode opcode) {
  if (isControl(opcode))
    return true;
  switch (opcode) {
  case Opcode::Get:
  case Opcode::Put:
  case Opcode::Uget:
  case Opcode::Uput:
  case Opcode::Trap:
    return true;
  default:
    return false;
  }
}

} // namespace copse::isa
