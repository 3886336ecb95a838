#include "isa/exception.hpp"

namespace copse::isa {

std::string_view nameOf(Exception exception) {
  switch (exception) {
  case Exception::None:
    return "TEXCPT_NONE";
  case Exception::RetirementBreak:
    return "TEXCPT_RBRK";
  case Exception::PatchedBreak0:
    return "TEXCPT_PBRK0";
  case Exception::PatchedBreak1:
    return "TEXCPT_PBRK1";
  case Exception::BreakOnSync:
    return "TEXCPT_BOS";
  case Exception::FloatingPoint:
    return "TEXCPT_FP";
  case Exception::Conflict:
    return "TEXCPT_CONFLICT";
  case Exception::ExchangeConflict:
    return "TEXCPT_EXCONF";
  case Exception::InvalidAddress:
    return "TEXCPT_INVALID_ADDR";
  case Exception::InvalidOperand:
    return "TEXCPT_INVALID_OP";
  case Exception::InvalidPc:
    return "TEXCPT_INVALID_PC";
  case Exception::DataBreak:
    return "TEXCPT_DBRK";
  case Exception::InvalidInstruction:
    return "TEXCPT_INVALID_INSTR";
  case Exception::ExchangeError:
    return "TEXCPT_EXERR";
  case Exception::MemoryError:
    return "TEXCPT_MEMERR";
  case Exception::InstructionBreak:
    return "TEXCPT_IBRK";
  }
  return "unknown exception";
}

bool isDebug(Exception exception) {
  return (exception >= Exception::RetirementBreak && exception <= Exception::BreakOnSync) ||
         exception == Exception::DataBreak || exception == Exception::InstructionBreak;
}

} // namespace copse::isa
