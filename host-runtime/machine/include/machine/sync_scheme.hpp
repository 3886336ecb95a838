#pragma once

#include "poplar/Target.hpp"
#include "sync/groups.hpp"
#include "types/engine_options.hpp"

namespace copse::machine {

/// Returns the target option syncConfiguration.
wire::SyncConfiguration syncConfigurationOf(const poplar::Target &target);

/// Returns the options that decide which steps use which group.
sync::Scheme syncSchemeOf(const poplar::Target &target, const types::EngineOptions &options);

} // namespace copse::machine
