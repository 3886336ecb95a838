#pragma once

#include <cstddef>
#include <popdist/backend.hpp>
#include <poplar/Type.hpp>
#include <string>

/// Collectives between the instances of a job, on memory of the host.
///
/// All instances of the communicator must call the same function with the same arguments. Calls of
/// one name follow each other in the same order on all instances; calls of different names may come
/// in any order, from any threads. Sums are formed in the order of the instances, so all instances
/// get the same bits in every run. An instance that does not call is waited for as long as
/// $POPDIST_TIMEOUT says, 300 s by default. With one instance nothing is done and no backend needed.
///
/// \throws popdist_error if the backend is not initialized, if the calls of the instances differ, or
///   if one does not come in time: the message names it
namespace popdist {
namespace collectives {

/// Replaces \p data by the sums over all instances.
void allReduceSum(void *data, std::size_t count, const poplar::Type &type,
                  const std::string &tensorName = "",
                  const std::string &communicatorId = defaultCommunicatorId());

/// Replaces \p data by that of instance \p rootRank.
void broadcast(void *data, std::size_t count, const poplar::Type &type, unsigned rootRank = 0,
               const std::string &tensorName = "",
               const std::string &communicatorId = defaultCommunicatorId());

/// Writes the \p count elements of each instance to \p output, in the order of the instances.
void allGather(const void *input, void *output, std::size_t count, const poplar::Type &type,
               const std::string &tensorName = "",
               const std::string &communicatorId = defaultCommunicatorId());

/// The same without names: calls come in the same order on all instances.
namespace sequential {
using collectives::allGather;
using collectives::allReduceSum;
using collectives::broadcast;
} // namespace sequential

/// The same with names.
namespace parallel {
using collectives::allGather;
using collectives::allReduceSum;
using collectives::broadcast;
} // namespace parallel

} // namespace collectives
} // namespace popdist
