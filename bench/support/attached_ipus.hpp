#pragma once

#include <poplar/DeviceManager.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace copse::bench {

/// The first device of \p ipus emulated IPUs that is free, attached.
inline poplar::Device attachedIpus(unsigned ipus) {
  for (poplar::Device &device : poplar::DeviceManager().getDevices(poplar::TargetType::IPU, ipus))
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("no device of " + std::to_string(ipus) + " IPUs is free");
}

} // namespace copse::bench
