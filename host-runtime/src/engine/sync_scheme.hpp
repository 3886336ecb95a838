#pragma once

#include "values/engine_options.hpp"

#include "poplar/Target.hpp"
#include "sync/groups.hpp"

namespace copse::engine {

/// The target option syncConfiguration, in the words of sync.
sync::Configuration syncConfigurationOf(const poplar::Target &target);

/// All options that decide which steps use which group.
sync::Scheme syncSchemeOf(const poplar::Target &target, const values::EngineOptions &options);

} // namespace copse::engine
