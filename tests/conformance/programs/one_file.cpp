// Host and codelet in one file: popc sees the part under __POPC__, the host compiler the other.
#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class DotProduct : public Vertex {
public:
  Input<Vector<float>> a, b;
  Output<float> dot;

  auto compute() -> bool {
    float sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    *dot = sum;
    return true;
  }
};

#else

#include "check.hpp"

#include <optional>
#include <poplar/Engine.hpp>

int main(int argc, char **argv) {
  auto device = check::device(argc, argv);
  poplar::Graph graph{device.getTarget()};
  graph.addCodelets(__FILE__);

  constexpr std::size_t size = 1000;
  auto a = graph.addConstant<float>(poplar::FLOAT, {size}, std::vector<float>(size, 0.5f), "a");
  auto b = graph.addConstant(poplar::FLOAT, {size}, 4, "b");
  auto dot = graph.addVariable(poplar::FLOAT, {}, poplar::VariableMappingMethod::LINEAR, "dot");
  graph.setTileMapping(a, 0);
  graph.setTileMapping(b, 0);
  auto cs = graph.addComputeSet("dot");
  graph.setTileMapping(graph.addVertex(cs, "DotProduct", {{"a", a}, {"b", b}, {"dot", dot}}), 0);
  graph.createHostRead("dot", dot);

  std::optional<poplar::Engine> engine;
  engine.emplace(graph, poplar::program::Execute(cs));
  engine->loadAndRun(device);
  float result = 0;
  engine->readTensor("dot", &result, &result + 1);
  if (result != 2000.0f)
    return check::failed("dot product");
  return 0;
}

#endif
