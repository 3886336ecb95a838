#include "engine/sync_configuration.hpp"

#include "values/target_description.hpp"

namespace copse::engine {

session::SyncConfiguration syncConfigurationOf(const poplar::Target &target) {
  using From = values::SyncConfiguration;
  using To = session::SyncConfiguration;
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

} // namespace copse::engine
