#pragma once

#include "devices.hpp"

#include <poplar/IPUModel.hpp>

namespace copse::test {

/// A device that executes tile code.
struct ChipCase {
  const char *name;
  poplar::TargetType type;
  const char *version; ///< version of a model
};
inline const ChipCase kChips[] = {{"Mk1Model", poplar::TargetType::IPU_MODEL, "ipu1"},
                                  {"Mk2Model", poplar::TargetType::IPU_MODEL, "ipu2"},
                                  {"Ipu", poplar::TargetType::IPU, ""}};

/// Returns a device of one IPU; a model has 4 tiles.
inline poplar::Device deviceOf(const ChipCase &chip) {
  if (chip.type == poplar::TargetType::IPU)
    return attach(poplar::TargetType::IPU, 1);
  poplar::IPUModel model(chip.version);
  model.tilesPerIPU = 4;
  return model.createDevice();
}

} // namespace copse::test
