// Models a step of data-parallel training: micro-batches with samples from the host, an all-reduce
// of the gradients, and an update.
#include "measured_program.hpp"
#include "programs.hpp"

#include <algorithm>
#include <gcl/Collectives.hpp>
#include <memory>

namespace copse::accuracy {

using namespace poplar;
using namespace poplar::program;

namespace {

/// Adds the gradients of each IPU of a replica, spread over all of its tiles.
std::vector<Tensor> addGradients(Graph &graph, std::size_t elementsOfAnIpu) {
  std::vector<Tensor> gradients;
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  for (unsigned ipu = 0; ipu < graph.getTarget().getNumIPUs(); ++ipu) {
    gradients.push_back(graph.addVariable(HALF, {elementsOfAnIpu}, "gradients"));
    spread(graph, gradients.back(), ipu * tiles, tiles, 4);
  }
  return gradients;
}

/// Copies the samples of a micro-batch from the host to all tiles of the first IPU.
Program readSamples(Graph &graph, std::size_t bytes) {
  const std::size_t words = (bytes + 3) / 4;
  const Tensor samples = graph.addVariable(UNSIGNED_INT, {words}, "samples");
  spread(graph, samples, 0, graph.getTarget().getTilesPerIPU());
  return Copy(graph.addHostToDeviceFIFO("samples", UNSIGNED_INT, words), samples);
}

/// Reads and writes the part of each IPU's optimiser state that is kept in streaming memory.
Program exchangeState(Graph &graph, std::size_t bytesOfAnIpu) {
  const unsigned ipus = graph.getTarget().getNumIPUs();
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  const std::size_t words = bytesOfAnIpu / 4 * ipus;
  const Tensor state = graph.addVariable(UNSIGNED_INT, {words}, "state");
  for (unsigned ipu = 0; ipu < ipus; ++ipu)
    spread(graph, state.slice(words / ipus * ipu, words / ipus * (ipu + 1)), ipu * tiles, tiles);
  const RemoteBuffer buffer = graph.addRemoteBuffer("state", UNSIGNED_INT, words);
  return Sequence({Copy(buffer, state), Copy(state, buffer)});
}

} // namespace

double trainingMilliseconds(const Parameters &parameters) {
  const auto replicas = parameters.get<unsigned>("replicas");
  const auto ipusPerReplica = parameters.get<unsigned>("ipusPerReplica", 1);
  const Machine machine(parameters, replicas * ipusPerReplica);
  Graph graph(machine.device(), replication_factor(replicas));
  const double cyclesPerMillisecond = machine.clockHz() * 1e-3;
  const auto millisecondsOf = [&](const char *name) {
    return parameters.get<double>(name) * cyclesPerMillisecond;
  };
  const std::vector<Tensor> gradients =
      addGradients(graph, parameters.get<std::size_t>("gradientsOfAnIpu"));
  Sequence microBatch;
  const auto sampleBytes = parameters.get<std::size_t>("sampleBytes", 0);
  if (sampleBytes > 0)
    microBatch.add(readSamples(graph, sampleBytes * parameters.get<std::size_t>("microBatch")));
  microBatch.add(work(graph, millisecondsOf("microBatchMs")));
  Sequence step({Repeat(parameters.get<unsigned>("microBatches"), microBatch)});
  gcl::allReduceInPlaceCrossReplica(graph, gradients, gcl::CollectiveOperator::ADD, step,
                                    "gradients");
  if (const auto state = parameters.get<std::size_t>("stateBytesOfAnIpu", 0); state > 0)
    step.add(exchangeState(graph, state));
  step.add(work(graph, millisecondsOf("updateMs")));
  const double cycles =
      cyclesOf(machine, graph, {step},
               [&](Engine &engine) {
                 if (sampleBytes > 0)
                   for (unsigned replica = 0; replica < replicas; ++replica)
                     engine.connectStreamToCallback("samples", replica,
                                                    std::make_unique<ReadyRows>());
               },
               {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", "none"}})
          .front();
  return cycles / cyclesPerMillisecond;
}

} // namespace copse::accuracy
