// A model of a machine of one's own: fields set, targets asked, errors of memory caught.
#include "check.hpp"

#include <cstdlib>
#include <iostream>
#include <limits>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

Device getIpuModel(unsigned numIPUs, unsigned numTiles) {
  IPUModel ipuModel;
  ipuModel.numIPUs = numIPUs;
  ipuModel.tilesPerIPU = numTiles;
  ipuModel.compileIPUCode = false;
  ipuModel.minIPUSyncDelay = 0;
  ipuModel.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
  ipuModel.numWorkerContexts = 6;
  ipuModel.globalSyncCycles = 500;
  ipuModel.tileClockFrequency = 1.6e9;
  ipuModel.globalExchangeConstraints.push_back(
      GlobalExchangeConstraint(128e9, {GlobalExchangeFlow(0, 1)}));
  return ipuModel.createDevice();
}

int main() {
  auto device = getIpuModel(2, 1216);
  const Target &target = device.getTarget();
  int wrong = 0;
  if (target.getNumIPUs() != 2 || target.getTilesPerIPU() != 1216 || target.getNumTiles() != 2432 ||
      target.getNumWorkerContexts() != 6 || target.getTileClockFrequency() != 1.6e9 ||
      target.getTargetType() != TargetType::IPU_MODEL || target.getBytesPerTile() != 638976)
    wrong += check::failed("the target of the model");
  if (IPUModel("ipu1").tilesPerIPU != 1216 || IPUModel("ipu2").memoryBytesPerTile != 638976)
    wrong += check::failed("figures of the architectures");

  Graph graph(device);
  Tensor in = graph.addVariable(INT, {2432}, VariableMappingMethod::LINEAR);
  Tensor out = graph.addVariable(INT, {2432}, "reversed");
  for (unsigned i = 0; i < 2432; ++i)
    graph.setTileMapping(out[i], i);
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out.reverse(0));
  int done = -1;
  Engine engine(graph, Copy(in, out), {}, [&](int at, int total) { done = total - at; });
  engine.loadAndRun(device);
  if (done != 0)
    wrong += check::failed("the progress function");
  std::vector<int> values(2432), result(2432), expected(2432);
  for (int i = 0; i < 2432; ++i)
    values[i] = expected[2431 - i] = i;
  engine.writeTensor("in", values.data(), values.data() + values.size());
  engine.run();
  engine.readTensor("out", result.data(), result.data() + result.size());
  wrong += check::differences("out", result, expected);

  Tensor huge = graph.addVariable(FLOAT, {200000}, "huge");
  graph.setTileMapping(huge, 17);
  graph.createHostRead("huge", huge);
  try {
    Engine second(graph, Sequence());
    wrong += check::failed("a tile cannot hold so much");
  } catch (const graph_memory_allocation_error &e) {
    std::cout << "as expected: " << e.what() << std::endl;
  }
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
