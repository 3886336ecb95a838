// The largest of many numbers: a vertex on each tile, then pairs of tiles, level by level.
#include "check.hpp"

#include <algorithm>
#include <poplar/Engine.hpp>
#include <poplar/Program.hpp>
#include <vector>

using namespace poplar;
using namespace poplar::program;

const char *const kCodelets = R"(
#include <poplar/Vertex.hpp>
#include <algorithm>
#include <limits>

template <typename T> struct MaxOf : poplar::Vertex {
  poplar::Input<poplar::Vector<T>> values;
  poplar::Output<T> largest;
  bool compute() {
    T best = std::numeric_limits<T>::lowest();
    for (T x : values) best = std::max(best, x);
    *largest = best;
    return true;
  }
};
template class MaxOf<int>;
)";

int main(int argc, char **argv) {
  auto device = check::device(argc, argv);
  Graph graph(device);
  std::stringstream source(kCodelets);
  graph.addCodelets(source, "-O3");

  const unsigned tiles = std::min(graph.getTarget().getNumTiles(), 37u);
  Tensor values = graph.addVariable(INT, {tiles, 100}, "values");
  auto partials = graph.addVariable(INT, {tiles}, "partials");
  Sequence prog;
  auto local = graph.addComputeSet("local");
  for (unsigned t = 0; t < tiles; ++t) {
    graph.setTileMapping(values[t], t);
    graph.setTileMapping(partials[t], t);
    auto v =
        graph.addVertex(local, "MaxOf<int>", {{"values", values[t]}, {"largest", partials[t]}});
    graph.setTileMapping(v, t);
  }
  prog.add(Execute(local));

  std::vector<Tensor> level;
  for (unsigned t = 0; t < tiles; ++t)
    level.push_back(partials[t]);
  unsigned depth = 0;
  while (level.size() > 1) {
    auto cs = graph.addComputeSet("level" + std::to_string(++depth));
    std::vector<Tensor> next;
    for (std::size_t i = 0; i < level.size(); i += 2) {
      if (i + 1 == level.size()) {
        next.push_back(level[i]);
        continue;
      }
      auto result = graph.addVariable(INT, {}, "result");
      const unsigned tile = static_cast<unsigned>(i << (depth - 1)) % tiles;
      graph.setTileMapping(result, tile);
      auto pair = concat({level[i].expand({0}), level[i + 1].expand({0})});
      auto v = graph.addVertex(cs, "MaxOf<int>", {{"values", pair}, {"largest", result}});
      graph.setTileMapping(v, tile);
      next.push_back(result);
    }
    prog.add(Execute(cs));
    level.swap(next);
  }
  graph.createHostWrite("values", values);
  graph.createHostRead("largest", level.front());

  Engine engine(graph, prog);
  engine.load(device);
  std::vector<int> host(values.numElements());
  unsigned state = 12345;
  for (int &x : host)
    x = static_cast<int>(state = state * 1664525u + 1013904223u) / 2;
  engine.writeTensor("values", host.data(), host.data() + host.size());
  engine.run();
  int largest = 0;
  engine.readTensor("largest", &largest, &largest + 1);
  return check::differences("largest", std::vector<int>{largest},
                            {*std::max_element(host.begin(), host.end())});
}
