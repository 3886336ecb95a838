#include "tile/assembly_runner.hpp"

#include "isa/registers.hpp"
#include "tile/matrix_instructions.hpp"
#include "tile/native_assembly.hpp"
#include "tile/registers_of_tile_code.hpp"

#include <utility>

namespace copse::ipud {

void AssemblyRunner::run(const wire::AssemblyBlock &block, std::byte *values,
                         wire::MatrixWords &accumulators) {
  const bool isOfSupervisor = supervisor_ != nullptr && !running_.started;
  if (block.isSupervisor != 0 && !isOfSupervisor)
    leaveFor(CodeletFault::Kind::SupervisorAssembly, block, nullptr);
  Outcome outcome;
  {
    const NativeRegisters::Untrapped ours(registers_);
    outcome = isOfSupervisor ? supervise(block, values) : execute(block, values, accumulators);
  }
  if (outcome.isLeaving)
    exit_.leave();
  if (outcome.foreign)
    leaveFor(CodeletFault::Kind::AssemblyPointer, block,
             reinterpret_cast<void *>(*outcome.foreign));
  leaveForTile(std::move(outcome));
}

void AssemblyRunner::call(const char *symbol, wire::TileCall &call) {
  Outcome outcome;
  {
    const NativeRegisters::Untrapped ours(registers_);
    outcome = execute(symbol, call);
  }
  if (outcome.foreign) {
    exit_
        .record(CodeletFault::Kind::AssemblyPointer, 0, 0,
                reinterpret_cast<void *>(*outcome.foreign))
        .tileFunction = symbol;
    exit_.leave();
  }
  leaveForTile(std::move(outcome));
}

void AssemblyRunner::leaveForTile(Outcome outcome) {
  if (!outcome.fault)
    return;
  exit_.record(std::move(outcome.fault), processor_->isInterrupted());
  exit_.leave();
}

TileProcessor::Result AssemblyRunner::interpret(const CodePage &page, std::uint32_t entry) {
  const CodeletSignals::Interpreting interpreting(signals_, &*processor_);
  const ParityGuard::Lifted lifted(guard_);
  processor_->setErrors(lifted.errors());
  auto result =
      processor_->runBlock(page, entry,
                           {running_.vertices->memory.at(running_.tile, 0),
                            &registers_.matrix().weights, nullptr, running_.currentWorker()},
                           registers_.now());
  return result;
}

AssemblyRunner::Outcome AssemblyRunner::execute(const wire::AssemblyBlock &block, std::byte *values,
                                                wire::MatrixWords &accumulators) {
  const NativeAssembly assembly(block);
  const TileAddresses addresses = running_.addresses();
  WorkerState &state = processor_->blockState();
  state.registers = {};
  registers_.give(state);
  giveAccumulators(accumulators, state);
  state.registers.m(isa::kVertexBase) = running_.vertexBase();
  if (const auto foreign = assembly.load(values, addresses, state.registers))
    return {foreign, nullptr};
  auto result =
      interpret(running_.vertices->modules->assembly().pageOf(&block), wire::kAssemblyAddress);
  if (block.isCounted == 0)
    registers_.addAssemblyCycles(result.cycles);
  if (result.fault)
    result.fault->place = assembly.place();
  if (!result.fault) {
    registers_.take(state);
    takeAccumulators(state, accumulators);
    assembly.store(state.registers, addresses, values);
  }
  return {std::nullopt, std::move(result.fault)};
}

AssemblyRunner::Outcome AssemblyRunner::execute(const char *symbol, wire::TileCall &call) {
  const DecodedAssembly::Function *const function =
      running_.vertices->modules->assembly().functionOf(symbol);
  if (function == nullptr) {
    auto fault = std::make_unique<TileFault>();
    fault->type = isa::Exception::InvalidPc;
    fault->place = symbol;
    return {std::nullopt, std::move(fault)};
  }
  const TileAddresses addresses = running_.addresses();
  WorkerState &state = processor_->blockState();
  wire::MatrixWords accumulators{};
  state.registers = {};
  registers_.give(state);
  giveAccumulators(accumulators, state);
  if (const auto foreign = loadArguments(call, addresses, state.registers))
    return {foreign, nullptr};
  state.registers.m(isa::kVertexBase) = running_.vertexBase();
  state.registers.m(isa::kLinkRegister) = function->page->end();
  auto result = interpret(*function->page, function->entry);
  registers_.addAssemblyCycles(result.cycles);
  if (result.fault) {
    result.fault->place = symbol;
  } else {
    registers_.take(state);
    storeResult(state.registers, call);
  }
  return {std::nullopt, std::move(result.fault)};
}

AssemblyRunner::OnSupervisor::OnSupervisor(AssemblyRunner &runner, Supervisor &supervisor,
                                           TileContexts &tile)
    : runner_(runner), supervisor_(supervisor), tile_(tile) {
  runner.supervisor_ = this;
  // All frames of the vertex are below this one.
  runner.running_.supervisorStack = reinterpret_cast<std::uintptr_t>(this);
}

AssemblyRunner::OnSupervisor::~OnSupervisor() {
  runner_.supervisor_ = nullptr;
  runner_.running_.supervisorStack = 0;
}

AssemblyRunner::Outcome AssemblyRunner::supervise(const wire::AssemblyBlock &block,
                                                  std::byte *values) {
  // Exceptions cannot pass the frames of the vertex.
  try {
    return executeOnSupervisor(block, values);
  } catch (const LeftCodelet &) {
    // CodeletExit::record() has recorded the reason.
  } catch (...) {
    exit_.recordException();
  }
  return {std::nullopt, nullptr, true};
}

AssemblyRunner::Outcome AssemblyRunner::executeOnSupervisor(const wire::AssemblyBlock &block,
                                                            std::byte *values) {
  const NativeAssembly assembly(block);
  const TileAddresses addresses = running_.addresses();
  Supervisor &supervisor = supervisor_->supervisor_;
  RegisterFiles &registers = supervisor.registers();
  registers = {};
  registers.m(isa::kStackPointer) = running_.vertices->code->supervisorStack;
  if (const auto foreign = assembly.load(values, addresses, registers))
    return {foreign, nullptr};
  TileProcessor::Result result;
  const NativeRegisters::Taken before = registers_.taken();
  {
    const CodeletSignals::Interpreting interpreting(signals_, &*processor_);
    const ParityGuard::Lifted lifted(guard_);
    processor_->setErrors(lifted.errors());
    const RegistersOfTileCode shared(running_.vertices->registers, running_.tile,
                                     supervisor_->tile_);
    result = supervisor.runBlock(running_.vertices->modules->assembly().pageOf(&block));
  }
  registers_.goBackTo(before); // the supervisor's clock advances only where it waits for workers
  registers_.addAssemblyCycles(result.cycles);
  supervisor_->status_ = result.status;
  if (result.fault)
    result.fault->place = assembly.place();
  else
    assembly.store(registers, addresses, values);
  return {std::nullopt, std::move(result.fault)};
}

void AssemblyRunner::leaveFor(CodeletFault::Kind kind, const wire::AssemblyBlock &block,
                              const void *address) {
  exit_.record(kind, 0, 0, address).assembly = &block;
  exit_.leave();
}

} // namespace copse::ipud
