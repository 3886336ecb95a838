// A codelet of the tuned kind: pairs of floats through pointers, device intrinsics, a plain branch
// beside the one for the IPU.
#include "check.hpp"

#include <cmath>
#include <poplar/Engine.hpp>

using namespace poplar;

int main(int argc, char **argv) {
  auto device = check::device(argc, argv);
  Graph graph(device.getTarget());
  graph.addCodelets("vector_math_codelets.cpp", CodeletFileType::CppSource, "-O3 -g");
  const std::size_t n = 96;
  Tensor a = graph.addVariable(FLOAT, {n}, "a"), b = graph.addVariable(FLOAT, {n}, "b");
  for (auto &t : {a, b})
    graph.setTileMapping(t, 0);
  int wrong = 0;
  for (const char *name : {"Pairs", "PairsByWorker"}) {
    ComputeSet cs = graph.addComputeSet(name);
    VertexRef v = graph.addVertex(cs, name, {{"a", a}, {"b", b}});
    graph.setInitialValue(v["n"], n);
    graph.setTileMapping(v, 0);
    graph.createHostWrite(std::string("a") + name, a);
    graph.createHostRead(std::string("b") + name, b);
    Engine engine(graph, program::Execute(cs));
    engine.load(device);
    std::vector<float> in(n), out(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = 0.1f * static_cast<float>(i) - 4;
      expected[i] = 1 / std::sqrt(std::fabs(in[i]) + 1) + std::exp(-in[i] * in[i]);
    }
    engine.writeTensor(std::string("a") + name, in.data(), in.data() + n);
    engine.run();
    engine.readTensor(std::string("b") + name, out.data(), out.data() + n);
    wrong += check::differences(name, out, expected, 1e-5);
  }
  return wrong;
}
