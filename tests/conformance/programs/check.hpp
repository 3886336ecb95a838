#pragma once

// What the conformance programs share: picking a device by the first argument, and saying what is
// wrong.
#include <cmath>
#include <cstddef>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <string>
#include <utility>
#include <vector>

namespace check {

/// \returns an attached device: argv[1] is cpu, model or ipu
inline poplar::Device device(int argc, char **argv, unsigned numIpus = 1) {
  const std::string kind = argc > 1 ? argv[1] : "model";
  if (kind == "cpu")
    return poplar::Device::createCPUDevice();
  if (kind == "model") {
    poplar::IPUModel model;
    model.numIPUs = numIpus;
    return model.createDevice();
  }
  for (auto &found :
       poplar::DeviceManager::createDeviceManager().getDevices(poplar::TargetType::IPU, numIpus))
    if (found.attach())
      return std::move(found);
  throw poplar::poplar_error("no device is free");
}

inline bool close(double got, double expected, double tolerance) {
  return std::abs(got - expected) <= tolerance * (1 + std::abs(expected));
}

/// \returns the number of differences, the first of which is told
template <typename T>
int differences(const char *what, const std::vector<T> &got, const std::vector<T> &expected,
                double tolerance = 0) {
  int wrong = got.size() != expected.size();
  for (std::size_t i = 0; i < got.size() && i < expected.size(); ++i) {
    if (close(static_cast<double>(got[i]), static_cast<double>(expected[i]), tolerance))
      continue;
    if (wrong++ == 0)
      std::cerr << what << "[" << i << "]: " << +got[i] << " instead of " << +expected[i] << "\n";
  }
  return wrong;
}

inline int failed(const char *what) {
  std::cerr << "wrong: " << what << "\n";
  return 1;
}

} // namespace check
