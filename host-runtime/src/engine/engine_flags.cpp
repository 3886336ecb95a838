#include "engine/engine_flags.hpp"

#include "values/log.hpp"
#include "values/simulator_options.hpp"

namespace copse::engine {

values::EngineOptions checkedOptions(const poplar::OptionFlags &flags,
                                     const poplar::Target &target) {
  values::EngineOptions options = values::parseEngineOptions(flags, values::warnOnce);
  options.workerSeed = values::simulatorOptions().workerSeed;
  values::checkSoftwareSyncs(options, values::describe(target).links.syncConfiguration);
  return options;
}

} // namespace copse::engine
