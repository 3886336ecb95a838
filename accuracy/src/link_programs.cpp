// Syncs and traffic between IPUs.
#include "measured_program.hpp"
#include "programs.hpp"

#include <map>

namespace copse::accuracy {

using namespace poplar;
using namespace poplar::program;

double syncCycles(const Parameters &parameters) {
  const auto ipus = parameters.get<unsigned>("ipus");
  const bool wireOnly = parameters.get<bool>("wireOnly", false);
  const Machine machine(parameters, ipus, [&](IPUModel &model) {
    model.tilesPerIPU = 2;
    if (wireOnly)
      model.globalSyncCycles = 0;
  });
  Graph graph(machine.device());
  constexpr unsigned kTimes = 100;
  return cyclesOf(machine, graph, {Repeat(kTimes, Sync(SyncType::GLOBAL))}).front() / kTimes;
}

double ipuTraffic(const Parameters &parameters) {
  const auto from = parameters.get<unsigned>("from"), to = parameters.get<unsigned>("to");
  const auto streams = parameters.get<unsigned>("streams", 1);
  const Machine machine(parameters, 4, [](IPUModel &model) { model.tilesPerIPU = 256; });
  Graph graph(machine.device());
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  constexpr std::size_t kElements = 1 << 22;
  std::vector<Tensor> sent, received;
  for (unsigned i = 0; i < streams; ++i)
    for (const auto &[source, target] :
         {std::pair{from + i, to + i}, std::pair{to + i, from + i}}) {
      sent.push_back(graph.addVariable(UNSIGNED_INT, {kElements}, "sent"));
      received.push_back(graph.addVariable(UNSIGNED_INT, {kElements}, "received"));
      spread(graph, sent.back(), source * tiles, tiles);
      spread(graph, received.back(), target * tiles, tiles);
    }
  const double cycles = cyclesOf(machine, graph, {Copy(concat(sent), concat(received))}).front();
  return 2e-9 * streams * 32 * kElements / (cycles / machine.clockHz());
}

double ringSeconds(const Parameters &parameters) {
  const auto replicas = parameters.get<unsigned>("replicas");
  const auto bytes = parameters.get<std::size_t>("bytes");
  const Machine machine(parameters, replicas, [](IPUModel &model) { model.tilesPerIPU = 64; });
  Graph graph(machine.device(), replication_factor(replicas));
  // The ring goes up one side of the ladder, and down the other.
  std::vector<unsigned> ring;
  for (unsigned ipu = 0; ipu < replicas; ipu += 2)
    ring.push_back(ipu);
  for (unsigned ipu = replicas - 1; ipu < replicas; ipu -= 2)
    ring.push_back(ipu);
  std::map<unsigned, unsigned> next;
  for (unsigned i = 0; i < replicas; ++i)
    next[ring[i]] = ring[(i + 1) % replicas];
  const Tensor part = graph.addVariable(UNSIGNED_INT, {bytes / 4 / replicas}, "part");
  const Tensor moving = graph.addVariable(UNSIGNED_INT, {bytes / 4 / replicas}, "moving");
  spread(graph, part, 0, 64);
  spread(graph, moving, 0, 64);
  const Program hops = Repeat(2 * (replicas - 1), CrossReplicaCopy(part, moving, next));
  return cyclesOf(machine, graph, {hops}).front() / machine.clockHz();
}

} // namespace copse::accuracy
