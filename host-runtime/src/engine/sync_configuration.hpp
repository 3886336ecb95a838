#pragma once

#include "session/machine.hpp"

#include "poplar/Target.hpp"

namespace copse::engine {

/// The target option of that name, in the words of the session.
session::SyncConfiguration syncConfigurationOf(const poplar::Target &target);

} // namespace copse::engine
