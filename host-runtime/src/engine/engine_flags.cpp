#include "engine/engine_flags.hpp"

#include "values/environment_options.hpp"
#include "values/log.hpp"

namespace copse::engine {

values::EngineOptions checkedOptions(const poplar::OptionFlags &flags,
                                     const poplar::Target &target) {
  // Options of a simulator that this is not: they have to be well-formed, no more.
  (void)values::withEnvironment({}, "POPLAR_SIMULATOR_OPTIONS");
  values::EngineOptions options = values::parseEngineOptions(flags, values::warnOnce);
  values::checkSoftwareSyncs(options, values::describe(target).links.syncConfiguration);
  return options;
}

} // namespace copse::engine
