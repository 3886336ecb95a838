#pragma once

#include "session/machine.hpp"

#include <memory>

namespace copse::engine {

/// Starts a machine that only advances the modelled clocks: any number of IPUs, without memory and
/// without ipuds. Its clocks show the times that a machine with execution would show.
///
/// Callbacks of the host program are not called. The rows of a stream whose callback can prefetch
/// are assumed to be in time. Vertices that count their own cycles are executed on one replica
/// (VertexProbe). read() and readRow() fail, because there are no data.
///
/// \param options  of the machine to model
/// \returns InvalidOption for an invalid machine model
wire::Result<std::unique_ptr<session::Machine>>
startModelledMachine(session::MachineOptions options);

} // namespace copse::engine
