#include "tile/assembly_runner.hpp"

#include "isa/registers.hpp"
#include "tile/matrix_instructions.hpp"
#include "tile/native_assembly.hpp"

#include <utility>

namespace copse::ipud {

void AssemblyRunner::run(const wire::AssemblyBlock &block, std::byte *values,
                         wire::MatrixWords &accumulators) {
  if (block.isSupervisor != 0)
    leaveFor(CodeletFault::Kind::SupervisorAssembly, block, nullptr);
  Outcome outcome;
  {
    const NativeRegisters::Untrapped ours(registers_);
    outcome = execute(block, values, accumulators);
  }
  if (outcome.foreign)
    leaveFor(CodeletFault::Kind::AssemblyPointer, block,
             reinterpret_cast<void *>(*outcome.foreign));
  if (outcome.fault) {
    exit_.record(std::move(outcome.fault), processor_->isInterrupted());
    exit_.leave();
  }
}

AssemblyRunner::Outcome AssemblyRunner::execute(const wire::AssemblyBlock &block, std::byte *values,
                                                wire::MatrixWords &accumulators) {
  const NativeAssembly assembly(block);
  std::byte *const memory = running_.vertices->memory.at(running_.tile, 0);
  const auto slot = reinterpret_cast<std::uintptr_t>(memory);
  WorkerState &state = processor_->blockState();
  state.registers = {};
  registers_.give(state);
  giveAccumulators(accumulators, state);
  state.registers.m(isa::kVertexBase) = running_.vertex.load(std::memory_order_relaxed)->address;
  if (const auto foreign = assembly.load(values, slot, state.registers))
    return {foreign, nullptr};
  TileProcessor::Result result;
  {
    const CodeletSignals::Interpreting interpreting(signals_, &*processor_);
    const ParityGuard::Lifted lifted(guard_);
    processor_->setErrors(lifted.errors());
    result = processor_->runBlock(
        running_.vertices->modules->assembly().pageOf(&block),
        {memory, &registers_.matrix().weights, nullptr, running_.currentWorker()},
        registers_.now());
    if (result.fault)
      result.fault->place = assembly.place();
  }
  registers_.addAssemblyCycles(result.cycles);
  if (!result.fault) {
    registers_.take(state);
    takeAccumulators(state, accumulators);
    assembly.store(state.registers, slot, values);
  }
  return {std::nullopt, std::move(result.fault)};
}

void AssemblyRunner::leaveFor(CodeletFault::Kind kind, const wire::AssemblyBlock &block,
                              const void *address) {
  exit_.record(kind, 0, 0, address).assembly = &block;
  exit_.leave();
}

} // namespace copse::ipud
