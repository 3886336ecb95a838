#pragma once

#include "wire/result.hpp"
#include "wire/session.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace copse::session {

/// Replicas that diverge would wait for each other until the sync timeout. DivergenceWatch detects,
/// during one run, that an IPU waits at a sync point for an IPU that has ended its run and will
/// never arrive.
class DivergenceWatch {
public:
  /// The sync groups of every IPU, by its number.
  using Groups = std::vector<std::vector<wire::session::GroupMembers>>;

  /// \param groups          must outlive this object
  /// \param ipusPerReplica  used to name replicas
  /// \param first           number of the first IPU of \p groups in the partition; all IPU numbers
  ///   count within the partition
  DivergenceWatch(const Groups &groups, std::uint32_t ipusPerReplica, std::uint32_t first = 0)
      : groups_(groups), ipusPerReplica_(ipusPerReplica), first_(first) {}

  void waits(std::uint32_t ipu, const wire::session::Waiting &notice) { waiting_[ipu] = notice; }
  void ended(std::uint32_t ipu, const wire::session::Done &report) { ended_[ipu] = report; }

  /// \returns VertexFault naming both replicas and the step, if an IPU waits in vain
  wire::Status verdict() const;

private:
  std::string nameOf(std::uint32_t ipu) const;
  wire::Status waitsInVain(std::uint32_t ipu, const wire::session::Waiting &notice) const;

  const Groups &groups_;
  std::uint32_t ipusPerReplica_, first_;
  std::map<std::uint32_t, wire::session::Waiting> waiting_; ///< latest notice of each IPU
  std::map<std::uint32_t, wire::session::Done> ended_;
};

} // namespace copse::session
