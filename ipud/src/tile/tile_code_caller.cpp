#include "tile/tile_code_caller.hpp"

#include "tile/native_code_on_tile.hpp"
#include "tile/registers_of_tile_code.hpp"

#include <algorithm>
#include <utility>

namespace copse::ipud {

bool TileCodeCaller::call(std::uint32_t number, std::uint32_t firstWorker, std::uint32_t workers) {
  bool all = true;
  {
    const CodeletSignals::Interpreting interpreting(context_.signals, &*context_.processor);
    all = interpret(number, firstWorker, workers);
  }
  // An interrupt may come after the last instruction.
  if (context_.processor->isInterrupted()) [[unlikely]]
    context_.exit.leaveFor(CodeletFault::Kind::Interrupted);
  return all;
}

bool TileCodeCaller::interpret(std::uint32_t number, std::uint32_t firstWorker,
                               std::uint32_t workers) {
  const RunningVertex &running = context_.running;
  const Vertices &vertices = *running.vertices;
  const wire::VertexRecord &vertex = vertices.set.vertices[number];
  VertexTrace *const trace =
      vertices.trace != nullptr && vertices.trace->wants(running.tile) ? vertices.trace : nullptr;
  context_.processor->setTrace(trace);
  if (trace != nullptr)
    trace->enter(running.tile, vertex);
  const ParityGuard::Lifted lifted(context_.guard);
  context_.processor->setErrors(lifted.errors());
  const bool traps = vertices.registers.mayStop();
  if (traps)
    trapOn(0); // the interpreter's arithmetic must not trap
  const TileProcessor::Result result = execute(vertex, firstWorker, workers);
  if (traps)
    trapOn(context_.registers.floatingPoint().stops);
  if (trace != nullptr)
    trace->leave(result.cycles);
  if (!vertices.cycles.empty())
    vertices.cycles[number] = std::max(vertices.cycles[number], result.cycles);
  return result.status;
}

TileProcessor::Result TileCodeCaller::execute(const wire::VertexRecord &vertex,
                                              std::uint32_t firstWorker, std::uint32_t workers) {
  const RunningVertex &running = context_.running;
  const Vertices &vertices = *running.vertices;
  const EntryPoint function = vertices.functions[vertex.function];
  TileProcessor &processor = *context_.processor;
  TileContexts &tile = *vertices.code->tiles[running.tile];
  std::byte *const memory = vertices.memory.at(running.tile, 0);
  const RegistersOfTileCode registers(vertices.registers, running.tile, tile);
  NativeCodeOnTile native(context_, vertex);
  processor.setNativeCode(&native);
  TileProcessor::Result all;
  const auto add = [&](TileProcessor::Result result) {
    if (result.fault) {
      context_.exit.record(std::move(result.fault), processor.isInterrupted());
      throw LeftCodelet{};
    }
    all.cycles = std::max(all.cycles, result.cycles);
    all.status = all.status && result.status;
  };
  if (function.kind == wire::CodeKind::Supervisor)
    add(processor.runSupervisor(tile, memory, running.tile, function.address, vertex.address,
                                vertices.code->supervisorStack));
  else
    for (TileProcessor::Result &result : processor.runWorkers(
             tile, memory, firstWorker, firstWorker + workers, {function.address, vertex.address}))
      add(std::move(result));
  return all;
}

} // namespace copse::ipud
