#pragma once

#include <poplar/Device.hpp>
#include <string>

namespace transformer {

/// Returns an attached device of \p ipus IPUs.
/// \param kind  ipu, ipumodel or cpu
/// \throws std::runtime_error if no such device is free
poplar::Device attachedDevice(const std::string &kind, unsigned ipus);

} // namespace transformer
