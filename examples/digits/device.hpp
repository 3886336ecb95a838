#pragma once

#include <optional>
#include <poplar/Device.hpp>
#include <string>

namespace digits {

/// Opens a device of \p ipus IPUs.
/// \param kind      ipu, ipumodel or cpu
/// \param topology  mesh or torus
/// \param id        number of the device, if it is known; ipu only
/// \throws std::runtime_error if no such group of IPUs is free
poplar::Device openDevice(const std::string &kind, const std::string &topology, unsigned ipus,
                          std::optional<unsigned> id = {});

/// Returns the number of the device's ipud processes; 0 on other devices.
unsigned countProcesses(const poplar::Device &device);

} // namespace digits
