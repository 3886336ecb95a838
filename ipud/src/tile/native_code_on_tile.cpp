#include "tile/native_code_on_tile.hpp"

#include "isa/registers.hpp"
#include "processor/slots.hpp"
#include "tile/contained_call.hpp"
#include "tile/variables_on_tile.hpp"

#include "wire/vertex_cycles.hpp"

#include <iterator>
#include <optional>

namespace copse::ipud {

bool NativeCodeOnTile::run(Core &core, TileContexts &tile) {
  const Vertices &vertices = *context_.running.vertices;
  const auto number = vertices.code->natives.functionAt(core.pc);
  if (!number)
    return core.raise(isa::Exception::InvalidPc);
  if (vertices.functions[*number].kind == wire::CodeKind::NativeFunction) {
    runFunction(core, tile, *number);
    return true;
  }
  return runCodelet(core, tile, *number);
}

/// Runs a codelet, which costs its estimated or counted cycles.
bool NativeCodeOnTile::runCodelet(Core &core, TileContexts &tile, std::uint32_t number) {
  const RunningVertex &running = context_.running;
  const std::uint32_t base = core.registers.m(isa::kVertexBase);
  const TileAddresses addresses = running.addresses();
  const bool isVariable = addresses.hasVariables() && TileAddresses::isVariable(base);
  if (!isVariable && !running.vertices->memory.populated(running.tile, base, 1))
    return core.raiseAt(isa::Exception::InvalidAddress, base);
  std::optional<VariablesOnTile> variables;
  if (isVariable)
    variables.emplace(running.vertices->memory, running.tile, addresses, base);
  void *const state =
      variables ? variables->state() : reinterpret_cast<void *>(addresses.native(base));
  if (state == nullptr)
    return core.raiseAt(isa::Exception::InvalidAddress, base);
  const std::uint64_t before = context_.registers.cycles();
  core.status = call(core, tile, number, state);
  const std::uint64_t cycles =
      wire::isCounted(vertex_.cycles) ? context_.registers.cycles() - before : vertex_.cycles;
  core.cycles += static_cast<std::int64_t>((cycles + kSlots - 1) / kSlots);
  core.exited = true;
  return true;
}

void NativeCodeOnTile::runFunction(Core &core, TileContexts &tile, std::uint32_t number) {
  wire::FunctionRegisters registers;
  for (unsigned i = 0; i < std::size(registers.m); ++i)
    registers.m[i] = core.registers.m(i);
  for (unsigned i = 0; i < std::size(registers.a); ++i)
    registers.a[i] = core.registers.a(i);
  call(core, tile, number, &registers);
  for (unsigned i = 0; i < std::size(registers.m); ++i)
    core.registers.m(i) = registers.m[i];
  for (unsigned i = 0; i < std::size(registers.a); ++i)
    core.registers.a(i) = registers.a[i];
  core.pc = core.registers.m(isa::kLinkRegister);
}

bool NativeCodeOnTile::call(Core &core, TileContexts &tile, std::uint32_t number, void *state) {
  RunningVertex &running = context_.running;
  const EntryPoint &function = running.vertices->functions[number];
  running.started = {number, core.number, core.registers.m(isa::kVertexBase)};
  running.worker.store(core.number, std::memory_order_relaxed);
  const NativeRegisters::Caller caller = context_.registers.enter(core);
  if (running.vertices->memory.hasErrors()) [[unlikely]]
    context_.guard.guard(running.tile);
  const bool status =
      callContained(context_, function, state, function.multiVertex ? core.number : 0);
  context_.guard.open();
  context_.registers.leave(caller, core, tile);
  running.started.reset();
  return status;
}

} // namespace copse::ipud
