// How fast data go between a host program and its IPUs: see README.md.
#include "chart.hpp"
#include "experiment.hpp"
#include "table.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>
#include <stdexcept>
#include <utility>

namespace host_io {
namespace {

poplar::Device openDevice(const std::string &kind, unsigned replicas) {
  if (kind == "cpu")
    return poplar::Device::createCPUDevice(replicas);
  if (kind == "ipumodel") {
    poplar::IPUModel model;
    model.numIPUs = replicas;
    return model.createDevice();
  }
  for (poplar::Device &device :
       poplar::DeviceManager().getDevices(poplar::TargetType::IPU, replicas))
    if (device.attach())
      return std::move(device);
  throw poplar::poplar_error("no device of " + std::to_string(replicas) + " IPUs is free");
}

/// Opens a file before the experiment, which takes long, so that errors show at once.
/// \throws std::runtime_error naming the file
std::ofstream openFile(const std::string &name) {
  std::ofstream file(name);
  if (!name.empty() && !file)
    throw std::runtime_error(name + ": cannot be written");
  return file;
}

void run(const Options &options) {
  std::ofstream csv = openFile(options.csv), svg = openFile(options.svg);
  std::vector<Point> points = pointsOf(options);
  printHeading();
  poplar::Device device;
  unsigned replicas = 0;
  for (Point &point : points) {
    if (point.replicas != replicas) {
      replicas = point.replicas;
      device = openDevice(options.device, replicas);
    }
    measure(point, options, device);
    printRow(point);
  }
  if (csv.is_open())
    writeCsv(csv, points);
  if (svg.is_open())
    drawChart(svg, points);
  for (const auto &[file, name] : {std::pair(&csv, &options.csv), {&svg, &options.svg}})
    if (file->is_open() && !file->flush())
      throw std::runtime_error(*name + ": cannot be written to its end");
}

} // namespace
} // namespace host_io

int main(int argc, char **argv) {
  try {
    host_io::run(host_io::readOptions(argc, argv));
    return EXIT_SUCCESS;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "host_io: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
