#include "machine/sync_scheme.hpp"

#include "types/target_description.hpp"

namespace copse::machine {

wire::SyncConfiguration syncConfigurationOf(const poplar::Target &target) {
  return types::describe(target).links.syncConfiguration;
}

sync::Scheme syncSchemeOf(const poplar::Target &target, const types::EngineOptions &options) {
  return {syncConfigurationOf(target), options.syncReplicasIndependently, options.softwareSyncs};
}

} // namespace copse::machine
