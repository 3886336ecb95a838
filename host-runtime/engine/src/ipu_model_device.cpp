#include "device_impl.hpp"

#include "machine/pods.hpp"
#include "poplar/IPUModel.hpp"
#include "types/model_description.hpp"

namespace poplar {

Device IPUModel::createDevice(const OptionFlags &options, bool accurateHalf,
                              unsigned deviceManagerId) const {
  return Device(copse::engine::makeLocalDevice(
      deviceManagerId,
      copse::types::makeTarget(
          copse::machine::inItsPod(copse::types::describeModel(*this, options, accurateHalf))),
      copse::types::executionOf(options)));
}

} // namespace poplar
