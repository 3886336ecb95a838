#include "tile/matrix_instructions.hpp"

#include "tile/native_matrix.hpp"

#include <algorithm>
#include <cstring>

namespace copse::ipud {

void giveAccumulators(const wire::MatrixWords &words, WorkerState &state) {
  std::copy_n(words.working, 16, state.accumulators.working.begin());
  std::copy_n(words.delayed, 16, state.accumulators.delayed.begin());
  state.tas = words.tas;
}

void takeAccumulators(const WorkerState &state, wire::MatrixWords &words) {
  std::copy_n(state.accumulators.working.begin(), 16, words.working);
  std::copy_n(state.accumulators.delayed.begin(), 16, words.delayed);
  words.tas = state.tas;
}

void MatrixInstructions::execute(unsigned word, wire::MatrixWords &words) {
  const Chip &chip = running_.vertices->matrixUnits->chip();
  const isa::Instruction instruction = isa::decode(word, chip.architecture);
  if (!isMatrixInstruction(instruction.opcode))
    exit_.leaveFor(CodeletFault::Kind::NoInstruction, 0, static_cast<int>(word));
  core_.chip = &chip;
  core_.weights = &registers_.matrix().weights;
  registers_.give(core_);
  giveAccumulators(words, core_);
  std::copy_n(words.x, 2, &core_.registers.a(2));
  std::copy_n(words.partials, 2, &core_.registers.a(4));
  bool good = false;
  {
    const NativeRegisters::Untrapped ours(registers_);
    good = executeMatrix(core_, instruction);
  }
  if (registers_.floatingPoint().stochastic)
    running_.vertices->registers.setGenerator(running_.tile, running_.currentWorker(), core_.prng);
  if (!good)
    leaveForEvents(exit_, core_.fpStatus & registers_.floatingPoint().stops);
  takeAccumulators(core_, words);
  std::copy_n(&core_.registers.a(0), 2, words.result);
}

void MatrixInstructions::loadWeights(unsigned index, unsigned groups) {
  const MatrixOfTile matrix = registers_.matrix();
  const TileMemory &memory = running_.vertices->memory;
  const Chip &chip = running_.vertices->matrixUnits->chip();
  const std::uint32_t bytes = 8 * groups, from = matrix.address;
  const bool isThere =
      index + groups <= 8 * chip.accumulatorSets * Weights::kGroups && index % groups == 0;
  const bool isAllowed = from % bytes == 0 && memory.populated(running_.tile, from, bytes) &&
                         (groups == 1 || from >= chip.interleaved);
  if (!isThere)
    exit_.leaveFor(CodeletFault::Kind::NoInstruction, 0, static_cast<int>(index));
  if (!isAllowed)
    exit_.leaveFor(CodeletFault::Kind::Signal, SIGBUS, 0, memory.at(running_.tile, from));
  for (unsigned i = 0; i < groups; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, memory.at(running_.tile, from + 8 * i), sizeof bits);
    matrix.weights.set(index + i, bits);
  }
  matrix.address = (from + bytes) & kWeightAddressMask;
}

} // namespace copse::ipud
