#include "figures.hpp"

#include "profile/execution_account.hpp"

#include <cstdint>
#include <map>

namespace copse::report {

using Json = nlohmann::json;
using profile::HostUse;
using profile::ReportData;

namespace {

/// Returns the share of the time of all runs in which the link sends. IPUs 2r and 2r+1 are a pair.
double busyShare(const ReportData &data, const profile::LinkReport &link) {
  const profile::TargetReport &target = data.target;
  const double rate =
      link.from / 2 == link.to / 2 ? target.rungBytesPerSecond : target.ladderBytesPerSecond;
  std::uint64_t cycles = 0;
  for (const profile::RunRecord &run : data.runs)
    cycles += run.to - run.from;
  return rate > 0 && cycles > 0
             ? static_cast<double>(link.bytes) / rate * target.clockHz / static_cast<double>(cycles)
             : 0;
}

Json linkFigures(const ReportData &data) {
  Json list = Json::array();
  for (const profile::LinkReport &link : profile::linkBytes(data))
    list.push_back({{"from", link.from},
                    {"to", link.to},
                    {"bytes", link.bytes},
                    {"busy", busyShare(data, link)}});
  return list;
}

/// Returns the data that runs moved, by stream or remote buffer.
std::map<std::uint32_t, HostUse> hostUses(const ReportData &data, bool ofRemoteBuffers) {
  std::map<std::uint32_t, HostUse> uses;
  for (const profile::RunRecord &run : data.runs)
    for (const HostUse &use : run.hostUses)
      if (use.isRemoteBuffer == ofRemoteBuffers) {
        HostUse &sum = uses[use.index];
        sum.copies += use.copies;
        sum.bytes += use.bytes;
        sum.cycles += use.cycles;
      }
  return uses;
}

Json hostFigure(const std::string &name, const char *direction, const HostUse &use) {
  return {{"name", name},
          {"direction", direction},
          {"copies", use.copies},
          {"bytes", use.bytes},
          {"stall", use.cycles}};
}

} // namespace

Json exchangeFigures(const ReportData &data) {
  Json streams = Json::array(), remoteBuffers = Json::array();
  for (const auto &[index, use] : hostUses(data, false)) {
    const profile::StreamReport &stream = data.streams[index];
    streams.push_back(
        hostFigure(stream.handle, stream.toHost ? "to the host" : "from the host", use));
  }
  for (const auto &[index, use] : hostUses(data, true))
    remoteBuffers.push_back(hostFigure(data.remoteBuffers[index].handle, "", use));
  return {{"links", linkFigures(data)},
          {"streams", std::move(streams)},
          {"remoteBuffers", std::move(remoteBuffers)}};
}

} // namespace copse::report
