#pragma once

#include <cstdint>
#include <popdist/error.hpp>
#include <set>
#include <string>

/// The way in which instances exchange data: a shared object that is loaded when it is needed, so
/// that programs without collectives need no MPI.
///
/// Life: register, initialize, collectives, finalize. Threads: any, for collectives; one for the
/// others. Errors: popdist_error.
namespace popdist {

/// Registers libpopdist_mpi.so, which lies beside libpopdist.so and uses Open MPI.
/// \throws popdist_error if the file does not exist; it is only built if libopenmpi-dev is
///   installed
void registerDefaultBackend();

/// Registers the shared object \p file_path_backend (popdist/backend_interface.hpp) instead.
/// \throws popdist_error if it cannot be loaded, or is not a backend of this version
void registerBackend(const std::string &file_path_backend);

/// Connects this instance to the others. All of them must call it.
/// \throws popdist_error if no backend is registered, or if the backend connects another job
void initializeBackend();

/// Returns true between initializeBackend() and finalizeBackend().
bool isBackendInitialized();

/// Ends the connections once all instances have called this function. No collective may follow.
///
/// Does nothing while an exception unwinds the stack: a destructor of an instance that fails must
/// not wait for instances that wait for it. An instance that ends without this call ends the job.
/// \throws popdist_error if an instance does not call it within POPDIST_TIMEOUT
void finalizeBackend();

/// Returns the name of the communicator of all instances, unless execute_on_instances says
/// otherwise.
constexpr const char *defaultCommunicatorId() { return "default"; }

/// Names a group of instances, for collectives among them. All instances must call this function
/// with the same arguments.
/// \throws popdist_error if an instance does not exist, or if the name is already that of another
///   group
void registerCommunicator(const std::set<std::uint32_t> &participants,
                          const std::string &communicator_id = defaultCommunicatorId());

} // namespace popdist
