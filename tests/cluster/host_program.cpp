// A Poplar program in the usual style. The program takes the first free device of so many IPUs,
// lets its first IPU send a word to its last one, prints which device it has, and keeps the device
// until the process is ended. With "forever", the program sends words until that fails, and prints
// why. With a number, it loads and runs so often, reports the first tenth of these runs, and ends.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <unistd.h>

using namespace poplar;

int main(int argc, char **argv) {
  const auto ipus = static_cast<unsigned>(std::atoi(argv[1]));
  for (Device &device : DeviceManager().getDevices(TargetType::IPU, ipus)) {
    if (!device.attach())
      continue;
    Graph graph(device);
    const Tensor from = graph.addVariable(UNSIGNED_INT, {1}, "from");
    const Tensor to = graph.addVariable(UNSIGNED_INT, {1}, "to");
    graph.setTileMapping(from, 0);
    graph.setTileMapping(to, (ipus - 1) * graph.getTarget().getTilesPerIPU());
    graph.createHostWrite("from", from);
    graph.createHostRead("to", to);
    Engine engine(graph,
                  {program::Copy(from, to), program::Repeat(1U << 30, program::Copy(from, to))});
    engine.load(device);
    const unsigned word = 12345;
    unsigned got = 0;
    engine.writeTensor("from", &word, &word + 1);
    engine.run(0);
    engine.readTensor("to", &got, &got + 1);
    std::printf("device %u: %u\n", device.getId(), got);
    std::fflush(stdout);
    const int loads = argc > 2 ? std::atoi(argv[2]) : 0;
    for (int load = 1; load <= loads; ++load) {
      engine.load(device);
      engine.run(0);
      if (load == loads / 10)
        std::printf("loaded %d times\n", load), std::fflush(stdout);
    }
    if (loads > 0)
      return 0;
    try {
      while (argc > 2)
        engine.run(1);
    } catch (const std::exception &error) {
      std::puts(error.what());
      return 4;
    }
    for (;;)
      ::pause();
  }
  std::puts("no device is free");
  return 3;
}
