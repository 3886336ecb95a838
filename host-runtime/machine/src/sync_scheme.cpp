#include "machine/sync_scheme.hpp"

#include "types/target_description.hpp"

namespace copse::machine {

sync::Configuration syncConfigurationOf(const poplar::Target &target) {
  using From = types::SyncConfiguration;
  using To = sync::Configuration;
  switch (types::describe(target).links.syncConfiguration) {
  case From::IntraReplicaAndAll:
    break;
  case From::IpuAndAll:
    return To::IpuAndAll;
  case From::IntraReplicaAndLadder:
    return To::IntraReplicaAndLadder;
  }
  return To::IntraReplicaAndAll;
}

sync::Scheme syncSchemeOf(const poplar::Target &target, const types::EngineOptions &options) {
  return {syncConfigurationOf(target), options.syncReplicasIndependently, options.softwareSyncs};
}

} // namespace copse::machine
