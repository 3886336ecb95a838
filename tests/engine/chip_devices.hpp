#pragma once

#include <poplar/Device.hpp>
#include <poplar/IPUModel.hpp>

namespace copse::test {

/// Returns a model of a small IPU of \p version ("ipu1", "ipu2"), of 4 tiles; for "" a CPU device.
inline poplar::Device deviceOfChip(const char *version) {
  if (*version == 0)
    return poplar::Device::createCPUDevice();
  poplar::IPUModel model(version);
  model.tilesPerIPU = 4;
  return model.createDevice();
}

} // namespace copse::test
