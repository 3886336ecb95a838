#include "divergence_watch.hpp"

namespace copse::session {
namespace {

std::uint64_t pointsLeft(const wire::session::Done &report, wire::SyncGroup group) {
  return group == wire::SyncGroup::GS1   ? report.gs1
         : group == wire::SyncGroup::GS2 ? report.gs2
                                         : report.all;
}

} // namespace

wire::Status DivergenceWatch::verdict() const {
  for (const auto &[ipu, notice] : waiting_)
    if (wire::Status status = waitsInVain(ipu, notice); !status.ok())
      return status;
  return wire::Status::success();
}

wire::Status DivergenceWatch::waitsInVain(std::uint32_t ipu,
                                          const wire::session::Waiting &notice) const {
  for (const auto &group : groups_[ipu - first_]) {
    if (group.group != notice.group)
      continue;
    for (const std::uint32_t other : group.members) {
      const auto end = ended_.find(other);
      if (end == ended_.end())
        continue;
      // A notice may be outdated: an IPU that left the sync point before its run ended was not
      // waited for.
      if (pointsLeft(end->second, notice.group) <= notice.point)
        return {wire::Code::VertexFault,
                nameOf(ipu) + " waits at " + notice.where + ", for " + nameOf(other) +
                    ", which has ended its program: replicas may go different ways only where "
                    "they do not communicate"};
    }
  }
  return wire::Status::success();
}

std::string DivergenceWatch::nameOf(std::uint32_t ipu) const {
  return "replica " + std::to_string(ipu / ipusPerReplica_) + " (ipu " + std::to_string(ipu) + ")";
}

} // namespace copse::session
