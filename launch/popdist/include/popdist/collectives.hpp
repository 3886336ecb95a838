#pragma once

#include <cstddef>
#include <popdist/backend.hpp>
#include <poplar/Type.hpp>
#include <string>

/// Collectives between the instances of a job, on memory of the host.
///
/// All instances of the communicator must call the same function with the same arguments. Calls
/// with one name must have the same order on all instances; calls with different names may come in
/// any order, from any threads. Sums are formed in the order of the instances, so all instances get
/// the same bits in every run. A call waits for the other instances for at most $POPDIST_TIMEOUT
/// seconds, by default 300. With one instance nothing is done and no backend is needed.
///
/// Errors: popdist_error if the backend is not initialized, if the calls of the instances differ,
/// or if an instance does not call in time; the message names the instance.
namespace popdist {
/// Collectives between the instances of a job.
namespace collectives {

/// Replaces \p data by the sums over all instances.
/// \param count  number of elements of \p type
/// \throws popdist_error also if elements of \p type have no sums
void allReduceSum(void *data, std::size_t count, const poplar::Type &type,
                  const std::string &tensorName = "",
                  const std::string &communicatorId = defaultCommunicatorId());

/// Replaces \p data by the data of instance \p rootRank, by default 0.
/// \throws popdist_error also if there is no such instance
void broadcast(void *data, std::size_t count, const poplar::Type &type, unsigned rootRank = 0,
               const std::string &tensorName = "",
               const std::string &communicatorId = defaultCommunicatorId());

/// Writes the \p count elements of each instance to \p output, in the order of the instances.
void allGather(const void *input, void *output, std::size_t count, const poplar::Type &type,
               const std::string &tensorName = "",
               const std::string &communicatorId = defaultCommunicatorId());

/// The collectives without names: calls come in the same order on all instances.
namespace sequential {
using collectives::allGather;
using collectives::allReduceSum;
using collectives::broadcast;
} // namespace sequential

/// The collectives with names: calls of different names come in any order.
namespace parallel {
using collectives::allGather;
using collectives::allReduceSum;
using collectives::broadcast;
} // namespace parallel

} // namespace collectives
} // namespace popdist
