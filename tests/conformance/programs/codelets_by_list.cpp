// Several codelet files in one call, with flags for popc: an include folder and a macro.
#include "check.hpp"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace pp = poplar::program;

auto buildProgram(poplar::Graph &graph, poplar::Tensor data) -> pp::Program {
  graph.addCodelets({"scale_codelets.cpp", "offset_codelets.cpp"}, "-O3 -I lib -DSCALE=3.5f");
  const auto numTiles = graph.getTarget().getNumTiles();
  auto scale = graph.addComputeSet("scale");
  auto offset = graph.addComputeSet("offset");
  for (auto i = 0u; i < data.dim(0); ++i) {
    const auto tile = i % numTiles;
    graph.setTileMapping(data[i], tile);
    auto v = graph.addVertex(scale, "lib::Scale", {{"data", data[i]}});
    graph.setTileMapping(v, tile);
    auto w = graph.addVertex(offset, "lib::Offset", {{"data", data[i]}, {"by", i}});
    graph.setTileMapping(w, tile);
    graph.setPerfEstimate(v, 100);
    graph.setPerfEstimate(w, 100);
  }
  return pp::Sequence(pp::Execute(scale), pp::Execute(offset));
}

int main(int argc, char **argv) {
  const auto device = check::device(argc, argv);
  auto graph = poplar::Graph(device);
  auto data = graph.addVariable(poplar::FLOAT, {8, 4}, "data");
  auto program = buildProgram(graph, data);
  graph.createHostWrite("data-write", data);
  graph.createHostRead("data-read", data);

  auto engine = std::make_unique<poplar::Engine>(graph, program,
                                                 poplar::OptionFlags{{"debug.instrument", "true"}});
  engine->load(device);
  std::vector<float> host(32), expected(32);
  for (std::size_t i = 0; i < host.size(); i++) {
    host[i] = static_cast<float>(i);
    expected[i] = 3.5f * static_cast<float>(i) + static_cast<float>(i / 4);
  }
  engine->writeTensor("data-write", host.data(), host.data() + host.size());
  engine->run();
  engine->readTensor("data-read", host.data(), host.data() + host.size());
  return check::differences("data", host, expected) ? EXIT_FAILURE : EXIT_SUCCESS;
}
