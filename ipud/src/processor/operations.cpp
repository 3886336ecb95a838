#include "processor/operations.hpp"

#include "processor/aux_operations.hpp"
#include "processor/csr_operations.hpp"
#include "processor/float_operations.hpp"
#include "processor/main_operations.hpp"

#include <array>

namespace copse::ipud::operation {
namespace {

// The executor implements control flow, and Tile the supervisor's own instructions.
constexpr Function Brneg = nullptr, Brnz = nullptr, Brpos = nullptr, Brz = nullptr,
                   Brnzdec = nullptr, Call = nullptr, Br = nullptr, Bri = nullptr, Trap = nullptr,
                   Rpt = nullptr, RptZ = nullptr, Exitneg = nullptr, Exitnz = nullptr,
                   Exitpos = nullptr, Exitz = nullptr, Ld64putcs = nullptr, Ld128putcs = nullptr,
                   Run = nullptr, Runall = nullptr, Sync = nullptr, Delay = nullptr, Sans = nullptr,
                   Send = nullptr, Sendoff = nullptr, Sendpic = nullptr, Delaypic = nullptr,
                   Delayxpic = nullptr, Sendpicp = nullptr;

constexpr std::array<Function, isa::kOpcodes> kFunctions = {
#define INSTRUCTION(opcode, ...) opcode,
#include "isa/instructions.def"
#undef INSTRUCTION
};

} // namespace

Function functionOf(isa::Opcode opcode, std::int32_t immediate) {
  const Function special = matrixFunctionOf(opcode, static_cast<std::uint32_t>(immediate));
  return special != nullptr ? special : kFunctions[static_cast<std::size_t>(opcode)];
}

} // namespace copse::ipud::operation
