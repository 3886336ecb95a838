// One virtual graph for each IPU, work in both at once, and copies between them.
#include "check.hpp"

#include <cassert>
#include <poplar/Engine.hpp>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  constexpr unsigned kIpus = 2;
  Device device = check::device(argc, argv, kIpus);
  Graph graph(device.getTarget());
  graph.addCodelets("adder_codelets.cpp");
  const unsigned tilesPerIPU = graph.getTarget().getTilesPerIPU();

  std::vector<Graph> ipus;
  for (unsigned i = 0; i < kIpus; ++i)
    ipus.emplace_back(graph.createVirtualGraph(i * tilesPerIPU, (i + 1) * tilesPerIPU));
  Graph few = ipus[1].createVirtualGraph({7u, 3u});
  if (ipus[1].getTarget().getNumTiles() != tilesPerIPU || ipus[1].getTarget().getNumIPUs() != 1 ||
      few.getTarget().getNumTiles() != 2 || graph.convertVirtualTileToPhysicalTile(5) != 5 ||
      few.convertVirtualTileToPhysicalTile(1) != tilesPerIPU + 3)
    return check::failed("tiles of virtual graphs");

  ComputeSet cs = graph.addComputeSet("both");
  std::vector<Tensor> inputs, sums;
  for (Graph &g : ipus) {
    Tensor x = g.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "x");
    Tensor sum = g.addVariable(FLOAT, {}, "sum");
    g.setTileMapping(sum, tilesPerIPU - 1);
    VertexRef v = g.addVertex(cs, "AdderVertex", {{"x", x[0]}, {"y", x[1]}, {"sum", sum}});
    g.setTileMapping(v, tilesPerIPU - 1);
    inputs.push_back(x);
    sums.push_back(sum.expand({0}));
  }
  Tensor all = concat(sums);
  Tensor local = few.addVariable(FLOAT, {2}, "local");
  few.setTileMapping(local[0], 0);
  few.setTileMapping(local[1], 1);
  const auto mapping = graph.getTileMapping(local);
  if (mapping.size() != kIpus * tilesPerIPU || mapping[tilesPerIPU + 7].size() != 1 ||
      mapping[tilesPerIPU + 3].front() != Interval(1, 2))
    return check::failed("the mapping in the parent's tiles");

  graph.createHostWrite("in", concat(inputs));
  graph.createHostRead("local", local);
  Engine engine(graph, Sequence{Execute(cs), Copy(all, local)});
  engine.load(device);
  std::vector<float> in = {1, 2, 30, 40}, result(2);
  engine.writeTensor("in", in.data(), in.data() + in.size());
  engine.run(0);
  engine.readTensor("local", result.data(), result.data() + result.size());
  return check::differences("sums", result, {3, 70});
}
