// Every way of writing compute(), and the three kinds of vertices.
#include "check.hpp"

#include <numeric>
#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  Device device = check::device(argc, argv);
  Graph graph(device);
  graph.addCodelets("compute_styles_codelets.cpp", CodeletFileType::Auto, "-g -Wall -Werror");

  const std::vector<std::string> kinds = {"ReturnsBool", "ReturnsVoid", "Trailing",
                                          "Multi",       "Supervised",  "MultiVoid"};
  Tensor in = graph.addVariable(UNSIGNED_INT, {kinds.size(), 50}, "in");
  Tensor out = graph.addVariable(UNSIGNED_INT, {kinds.size(), 50}, "out");
  ComputeSet cs = graph.addComputeSet("styles");
  for (unsigned k = 0; k < kinds.size(); k++) {
    const unsigned tile = k % graph.getTarget().getNumTiles();
    graph.setTileMapping(in[k], tile);
    graph.setTileMapping(out[k], tile);
    VertexRef vertex = graph.addVertex(cs, kinds[k]);
    graph.connect(vertex["in"], in[k]);
    graph.connect(vertex["out"], out[k]);
    graph.setInitialValue(vertex["add"], k);
    graph.setTileMapping(vertex, tile);
    graph.setPerfEstimate(vertex, 1000, 0);
  }
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);

  // All but one return true, so the logical and of what they return is false.
  Tensor all = graph.addVariable(BOOL, {}, "all");
  graph.setTileMapping(all, 0);
  graph.createHostRead("all", all);

  Engine engine(graph, Sequence(Execute(cs, all)));
  engine.load(device);
  std::vector<unsigned> host(in.numElements()), result(in.numElements());
  std::iota(host.begin(), host.end(), 7u);
  engine.writeTensor("in", host.data(), host.data() + host.size());
  engine.run(0);
  engine.readTensor("out", result.data(), result.data() + result.size());
  for (unsigned i = 0; i < host.size(); i++)
    host[i] = host[i] * 2 + i / 50;
  int wrong = check::differences("out", result, host);
  bool conjunction = true;
  engine.readTensor("all", &conjunction, &conjunction + 1);
  return wrong + (conjunction ? check::failed("the and of the return values") : 0);
}
