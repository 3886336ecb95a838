#include "engine/device_impl.hpp"
#include "values/model_description.hpp"

#include "poplar/IPUModel.hpp"

namespace poplar {

Device IPUModel::createDevice(const OptionFlags &options, bool accurateHalf,
                              unsigned deviceManagerId) const {
  return Device(copse::engine::makeLocalDevice(
      deviceManagerId,
      copse::values::makeTarget(copse::values::describeModel(*this, options, accurateHalf))));
}

} // namespace poplar
