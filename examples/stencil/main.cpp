// Heat that spreads over a plate: see README.md.
#include "heat.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <utility>

namespace stencil {
namespace {

poplar::Device openDevice(const Options &options) {
  if (options.device == "cpu")
    return poplar::Device::createCPUDevice(options.replicas);
  if (options.device == "ipumodel") {
    poplar::IPUModel model;
    model.numIPUs = options.replicas;
    return model.createDevice();
  }
  for (poplar::Device &device :
       poplar::DeviceManager().getDevices(poplar::TargetType::IPU, options.replicas))
    if (device.attach())
      return std::move(device);
  throw poplar::poplar_error("no device of " + std::to_string(options.replicas) + " IPUs is free");
}

/// Returns a cold plate with a hot square in the middle.
std::vector<float> hotSquare(const Options &options) {
  std::vector<float> plate(std::size_t{options.rows} * options.columns);
  for (unsigned r = options.rows / 3; r < options.rows - options.rows / 3; ++r)
    for (unsigned c = options.columns / 3; c < options.columns - options.columns / 3; ++c)
      plate[std::size_t{r} * options.columns + c] = 100.0f;
  return plate;
}

double largestDifference(const std::vector<float> &a, const std::vector<float> &b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, double{std::fabs(a[i] - b[i])});
  return largest;
}

int run(const Options &options) {
  const poplar::Device device = openDevice(options);
  poplar::Graph graph(device.getTarget(), poplar::replication_factor(options.replicas));
  const double clock = graph.getTarget().getTileClockFrequency();
  poplar::Engine engine(graph, buildHeat(graph, options));

  // Streams of replicas lie one after another: for the rows, that is the plate as it is.
  std::vector<float> plate = hotSquare(options), result(plate.size());
  std::vector<std::uint64_t> cycles(options.replicas);
  engine.connectStream("plate", plate.data(), plate.data() + plate.size());
  engine.connectStream("result", result.data(), result.data() + result.size());
  engine.connectStream("cycles", cycles.data(), cycles.data() + cycles.size());
  engine.load(device);
  engine.run();

  const double perStep =
      static_cast<double>(*std::max_element(cycles.begin(), cycles.end())) / options.steps;
  const double difference = largestDifference(result, diffuseOnHost(plate, options));
  std::printf("stencil: %u x %u, %u steps on %u replicas of %s\n", options.rows, options.columns,
              options.steps, options.replicas, options.device.c_str());
  std::printf("modelled           %.0f cycles per step, %.2f us\n", perStep, perStep / clock * 1e6);
  std::printf("mean temperature   %.4f\n", std::accumulate(result.begin(), result.end(), 0.0) /
                                               static_cast<double>(result.size()));
  std::printf("hottest            %.4f\n", double{*std::max_element(result.begin(), result.end())});
  std::printf("off the host's     %g at most\n", difference);
  return difference < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace
} // namespace stencil

int main(int argc, char **argv) {
  try {
    return stencil::run(stencil::readOptions(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "stencil: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
