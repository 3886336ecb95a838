#pragma once

#include "session/machine.hpp"

#include <memory>

namespace copse::engine {

/// A machine on which the modelled clock runs and nothing else: any number of IPUs, without memory
/// and without ipuds. Its clocks show what those of a machine that executes would show.
///
/// No callback of the host program is called. A stream whose callback can prefetch is taken to have its rows
/// in time. Vertices that count their own cycles are executed on one replica (VertexProbe). read()
/// and readRow() fail, as there are no data.
///
/// \param options  of the machine that it stands for
/// \returns InvalidOption for a machine model that is wrong
wire::Result<std::unique_ptr<session::Machine>>
startModelledMachine(session::MachineOptions options);

} // namespace copse::engine
