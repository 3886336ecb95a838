#pragma once

#include "session/machine.hpp"

#include <memory>

namespace copse::engine {

/// Starts a machine that only advances the modelled clocks: any number of IPUs, without memory and
/// without ipuds. The clocks show the times that a machine with execution would show.
///
/// Callbacks of the host program are called as in an execution. The data that they and the host get
/// are zeros; a warning on stderr says so once. Vertices that count their own cycles are executed
/// on one replica (VertexProbe). Where data would decide the control flow, the assumptions in
/// $COPSE_ASSUME decide it (Assumptions); without a suitable assumption, run() fails.
///
/// \param options  options of the machine to model
/// \returns InvalidOption for an invalid machine model
/// \throws poplar::no_environment for an invalid $COPSE_ASSUME
wire::Result<std::unique_ptr<session::Machine>>
startModelledMachine(session::MachineOptions options);

} // namespace copse::engine
