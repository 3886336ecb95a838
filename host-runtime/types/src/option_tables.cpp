#include "types/option_tables.hpp"

#include "types/engine_options.hpp"

namespace copse::types {

std::vector<OptionTable> optionTables() {
  return {
      {"engine option", "the OptionFlags of `Engine` and `compileGraph`, `POPLAR_ENGINE_OPTIONS`",
       engineOptionTable()},
      {"target option",
       "the OptionFlags of `DeviceManager::getDevices` and `IPUModel::createDevice`, "
       "`POPLAR_TARGET_OPTIONS`",
       targetOptionTable()},
      {"device option", "the OptionFlags of `IPUModel::createDevice`", deviceOptionTable()},
      {"stream option", "the OptionFlags of `Graph::addHostToDeviceFIFO` and `addDeviceToHostFIFO`",
       streamOptionTable()},
      {"simulator option", "`POPLAR_SIMULATOR_OPTIONS`", simulatorOptionTable()},
  };
}

} // namespace copse::types
