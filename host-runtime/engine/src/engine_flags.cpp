#include "engine_flags.hpp"

#include "types/log.hpp"
#include "types/simulator_options.hpp"

namespace copse::engine {

types::EngineOptions checkedOptions(const poplar::OptionFlags &flags,
                                    const poplar::Target &target) {
  types::EngineOptions options = types::parseEngineOptions(flags, types::warnOnce);
  options.workerSeed = types::simulatorOptions().workerSeed;
  types::checkSoftwareSyncs(options, types::describe(target).links.syncConfiguration);
  return options;
}

} // namespace copse::engine
