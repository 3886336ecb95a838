#include "tile/native_supervisor.hpp"

#include "isa/registers.hpp"
#include "processor/supervisor.hpp"
#include "tile/contained_call.hpp"
#include "tile/native_code_on_tile.hpp"

namespace copse::ipud {

bool runNativeSupervisor(CodeletContext &context) {
  RunningVertex &running = context.running;
  const Vertices &vertices = *running.vertices;
  const wire::VertexRecord &vertex = *running.vertex.load(std::memory_order_relaxed);
  TileProcessor &processor = *context.processor;
  NativeCodeOnTile workers(context, vertex);
  processor.setNativeCode(&workers);
  processor.setTrace(nullptr);
  TileContexts &tile = *vertices.code->tiles[running.tile];
  Supervisor supervisor(processor, tile, vertices.memory.at(running.tile, 0), running.tile);
  const AssemblyRunner::OnSupervisor asSupervisor(context.assembly, supervisor, tile);
  const bool result = callContained(context, vertices.functions[vertex.function],
                                    vertices.memory.at(running.tile, vertex.address), 0);
  return result && asSupervisor.status();
}

} // namespace copse::ipud
