// Looks for a device as programs do: all that have the right size, the first that can be attached.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

// What a device says of itself.
void describe(const poplar::Device &device) {
  const auto &target = device.getTarget();
  std::cout << "device " << device.getId() << " of type "
            << poplar::toString(target.getTargetType()) << ", " << target.getNumIPUs()
            << " IPUs of " << target.getTilesPerIPU() << " tiles, " << target.getTargetArchString()
            << ", " << target.getTileClockFrequency() / 1e9 << " GHz, Poplar "
            << std::string(poplar::versionString()) << std::endl;
  for (unsigned id : device.getDriverIDs())
    std::cout << "  IPU " << id << std::endl;
}

int main() {
  auto manager = poplar::DeviceManager::createDeviceManager();
  auto devices = manager.getDevices(poplar::TargetType::IPU, 2);
  if (devices.empty()) {
    std::cerr << "no device with two IPUs" << std::endl;
    return EXIT_FAILURE;
  }
  auto it = std::find_if(devices.begin(), devices.end(),
                         [](poplar::Device &device) { return device.attach(); });
  if (it == devices.end())
    return EXIT_FAILURE;
  poplar::Device device = std::move(*it);
  describe(device);

  // The same again with a loop, while the first is still held.
  poplar::Device other;
  bool success = false;
  for (auto &hwDevice : manager.getDevices(poplar::TargetType::IPU, 1)) {
    other = std::move(hwDevice);
    if ((success = other.attach()))
      break;
  }
  const auto held = device.getDriverIDs();
  if (!success || std::count(held.begin(), held.end(), other.getDriverIDs().at(0)))
    return EXIT_FAILURE;
  other.detach();

  poplar::Graph graph(device);
  const auto t = graph.addVariable(poplar::LONGLONG, {2}, "t");
  graph.setTileMapping(t[0], 0);
  graph.setTileMapping(t[1], graph.getTarget().getNumTiles() - 1);
  graph.createHostWrite("t", t);
  graph.createHostRead("t", t);
  poplar::program::Sequence swap;
  swap.add(poplar::program::Copy(t, t.reverse(0)));
  poplar::Engine engine(graph, swap);
  engine.load(device);
  long long values[2] = {-1, 1LL << 40};
  engine.writeTensor("t", values, values + 2);
  engine.run(0);
  engine.readTensor("t", values, values + 2);
  device.detach();
  return values[0] == 1LL << 40 && values[1] == -1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
