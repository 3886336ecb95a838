#pragma once

#include <popdist/backend.hpp>
#include <popdist/collectives.hpp>
#include <popdist/context.hpp>
#include <poplar/Engine.hpp>
#include <poplar/OptionFlags.hpp>
#include <string>

/// PopDist for programs that use Poplar itself.
namespace popdist {

/// Returns the id of the device with the IPUs of this instance's replicas, which poprun has
/// reserved for it. If several devices have as many IPUs, as in a reconfigurable partition, the
/// instances get one device after the other, in their order.
/// \param ipusPerReplica  default 0: the number that poprun was given
/// \throws popdist_error if there is no device with that number of IPUs
unsigned getDeviceId(unsigned ipusPerReplica = 0);

/// Returns the engine options that make an engine run this instance's share of all replicas; none
/// if one instance runs all.
poplar::OptionFlags getEngineOptions();

/// Runs a program once all instances are ready to run it, so that no instance waits for another in
/// the middle of the program. Without poprun, or before initializeBackend(), the program runs at
/// once. Also throws as poplar::Engine::run() does.
void run(poplar::Engine &engine, unsigned program = 0, const std::string &debugName = "");

} // namespace popdist
