#include "engine/sync_scheme.hpp"

#include "values/target_description.hpp"

namespace copse::engine {

sync::Configuration syncConfigurationOf(const poplar::Target &target) {
  using From = values::SyncConfiguration;
  using To = sync::Configuration;
  switch (values::describe(target).links.syncConfiguration) {
  case From::IntraReplicaAndAll:
    break;
  case From::IpuAndAll:
    return To::IpuAndAll;
  case From::IntraReplicaAndLadder:
    return To::IntraReplicaAndLadder;
  }
  return To::IntraReplicaAndAll;
}

sync::Scheme syncSchemeOf(const poplar::Target &target, const values::EngineOptions &options) {
  return {syncConfigurationOf(target), options.syncReplicasIndependently, options.softwareSyncs};
}

} // namespace copse::engine
