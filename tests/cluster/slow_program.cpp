// A host program whose run takes some seconds: each of the four trips of its loop waits for a
// callback. It prints a tensor at the end.
#include <chrono>
#include <cstring>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <thread>

using namespace poplar;

int main() {
  for (Device &device : DeviceManager().getDevices(TargetType::IPU, 1)) {
    if (!device.attach())
      continue;
    Graph graph(device);
    const Tensor word = graph.addVariable(UNSIGNED_INT, {1}, "word");
    graph.setTileMapping(word, 0);
    const auto words = graph.addHostToDeviceFIFO("words", UNSIGNED_INT, 1);
    Engine engine(graph, program::Sequence({program::Repeat(4, program::Copy(words, word)),
                                            program::PrintTensor("word", word)}));
    engine.connectStreamToCallback("words", [](void *to) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      const unsigned value = 7;
      std::memcpy(to, &value, sizeof value);
    });
    engine.load(device);
    engine.run(0, "slow");
    return 0;
  }
  return 3;
}
