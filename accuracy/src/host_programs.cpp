// Traffic and syncs with the host.
#include "measured_program.hpp"
#include "programs.hpp"

#include <memory>

namespace copse::accuracy {

using namespace poplar;
using namespace poplar::program;

double hostTraffic(const Parameters &parameters) {
  const bool toDevice = parameters.get<bool>("toDevice");
  const Machine machine(parameters, 1, [](IPUModel &model) { model.tilesPerIPU = 32; });
  Graph graph(machine.device());
  constexpr std::size_t kElements = 1 << 20;
  const Tensor row = graph.addVariable(UNSIGNED_INT, {kElements}, "row");
  spread(graph, row, 0, 32);
  const Program copy = toDevice
                           ? Copy(graph.addHostToDeviceFIFO("row", UNSIGNED_INT, kElements), row)
                           : Copy(row, graph.addDeviceToHostFIFO("row", UNSIGNED_INT, kElements));
  constexpr unsigned kTimes = 10;
  const double cycles =
      cyclesOf(machine, graph, {Repeat(kTimes, copy)},
               [](Engine &engine) {
                 engine.connectStreamToCallback("row", std::make_unique<ReadyRows>());
               },
               {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", "none"}})
          .front();
  return 1e-9 * 32 * kElements * kTimes / (cycles / machine.clockHz());
}

double hostSyncSeconds(const Parameters &parameters) {
  const auto count = parameters.get<unsigned>("count");
  const Machine machine(parameters, 1, [](IPUModel &model) { model.tilesPerIPU = 4; });
  Graph graph(machine.device());
  const Tensor nothing = graph.addVariable(UNSIGNED_INT, {0}, "nothing");
  const Program copy = Copy(nothing, graph.addDeviceToHostFIFO("nothing", UNSIGNED_INT, 0));
  // The delay includes the compute set's own cycles.
  const double fixed = cyclesOf(machine, graph, {work(graph, 1000)}).front() - 1000;
  const Program delay = work(graph, parameters.get<double>("delay") - fixed);
  const double cycles =
      cyclesOf(machine, graph, {Repeat(count, Sequence({copy, delay}))}, [](Engine &engine) {
        engine.connectStreamToCallback("nothing", [](void *) {});
      }).front();
  return 1e6 * cycles / machine.clockHz();
}

} // namespace copse::accuracy
