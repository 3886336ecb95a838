// One chip: its exchange, and its memory.
#include "measured_program.hpp"
#include "programs.hpp"

#include <sstream>

namespace copse::accuracy {

using namespace poplar;
using namespace poplar::program;

double smallExchangeCycles(const Parameters &parameters) {
  const Machine machine(parameters, 1, [](IPUModel &model) { model.tilesPerIPU = 2; });
  Graph graph(machine.device());
  const auto elements = parameters.get<std::size_t>("bytes") / 4;
  const Tensor here = graph.addVariable(UNSIGNED_INT, {elements}, "here");
  const Tensor there = graph.addVariable(UNSIGNED_INT, {elements}, "there");
  graph.setTileMapping(here, 0);
  graph.setTileMapping(there, 1);
  return cyclesOf(machine, graph, {Copy(here, there)}).front() -
         graph.getTarget().getMinIPUSyncDelay();
}

double triadBandwidth(const Parameters &parameters) {
  const Machine machine(parameters, 1);
  Graph graph(machine.device());
  std::stringstream codelet(R"(
#include <poplar/Vertex.hpp>
#include <ipudef.h>
using namespace poplar;
class Triad : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> b, c;
  Output<Vector<float, VectorLayout::SPAN, 8>> a;
  bool compute() {
    const float2 *x = reinterpret_cast<const float2 *>(&b[0]);
    const float2 *y = reinterpret_cast<const float2 *>(&c[0]);
    float2 *z = reinterpret_cast<float2 *>(&a[0]);
    const unsigned n = a.size() / 2;
    for (unsigned i = 0; i < n; ++i)
      z[i] = x[i] + 3.0f * y[i];
    return true;
  }
};
)");
  graph.addCodelets(codelet);
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  const unsigned workers = graph.getTarget().getNumWorkerContexts();
  const auto elements =
      parameters.get<std::size_t>("elementsOfATile") / (2 * workers) * 2 * workers;
  // All tiles do equal work, so that one stands for all.
  std::vector<Tensor> arrays;
  for (const char *name : {"a", "b", "c"}) {
    arrays.push_back(graph.addVariable(FLOAT, {elements}, name));
    graph.setTileMapping(arrays.back(), 0);
  }
  const ComputeSet set = graph.addComputeSet("triad");
  for (unsigned worker = 0; worker < workers; ++worker) {
    const std::size_t part = elements / workers;
    const auto of = [&](unsigned array) {
      return arrays[array].slice(worker * part, (worker + 1) * part);
    };
    graph.setTileMapping(graph.addVertex(set, "Triad", {{"a", of(0)}, {"b", of(1)}, {"c", of(2)}}),
                         0);
  }
  const double seconds = cyclesOf(machine, graph, {Execute(set)}).front() / machine.clockHz();
  return 1e-9 * 3 * 4 * static_cast<double>(elements) * tiles / seconds;
}

} // namespace copse::accuracy
