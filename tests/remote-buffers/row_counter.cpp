// Adds one to a row of a remote buffer, on the device, and prints what the row then holds: as often
// as the argument says. Then it waits to be killed.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;

namespace {

Program counting(Graph &graph) {
  std::stringstream source("#include <poplar/Vertex.hpp>\n"
                           "struct Count : poplar::Vertex { poplar::InOut<int> x;\n"
                           "  bool compute() { ++*x; return true; } };");
  graph.addCodelets(source);
  const RemoteBuffer row = graph.addRemoteBuffer("count", INT, 1);
  const Tensor x = graph.addVariable(INT, {1}, "x");
  graph.setTileMapping(x, 0);
  const ComputeSet set = graph.addComputeSet("count");
  graph.setTileMapping(graph.addVertex(set, "Count", {{"x", x[0]}}), 0);
  return Sequence({Copy(row, x), Execute(set), Copy(x, row)});
}

void count(int runs) {
  auto devices = DeviceManager().getDevices(TargetType::IPU, 1);
  for (Device &device : devices)
    if (device.attach()) {
      Graph graph(device);
      Engine engine(graph, counting(graph));
      engine.load(device);
      for (int run = 0; run < runs; ++run) {
        engine.run();
        int value = 0;
        engine.copyFromRemoteBuffer("count", &value, 0);
        std::printf("%d\n", value);
        std::fflush(stdout);
      }
      ::pause();
    }
}

} // namespace

int main(int argc, char **argv) try {
  count(argc > 1 ? std::atoi(argv[1]) : 1);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
