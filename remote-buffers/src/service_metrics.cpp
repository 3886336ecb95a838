#include "service_metrics.hpp"

#include <string>
#include <utility>

namespace copse::remote_buffers {
namespace {

using metrics::Metric;
using enum Metric::Kind;

struct Requests {
  const char *kind;
  const Service::Counts::Requests &counts;
};

} // namespace

std::vector<Metric> metricsOf(const Service &service, std::uint64_t refused) {
  const Service::Counts &counts = service.counts();
  const Requests requests[] = {
      {"open", counts.opens}, {"read", counts.reads}, {"write", counts.writes}};
  std::vector<Metric> all;
  for (const auto &[kind, of] : requests)
    all.push_back({"copse_rbufd_requests_total",
                   Counter,
                   "Requests of host programs, by kind",
                   static_cast<double>(of.count),
                   {{"request", kind}}});
  for (const auto &[kind, of] : requests)
    all.push_back({"copse_rbufd_request_seconds_total",
                   Counter,
                   "Time in which requests were done, by kind",
                   std::chrono::duration<double>(of.time).count(),
                   {{"request", kind}}});
  const auto add = [&all](const char *name, Metric::Kind kind, const char *help, auto value) {
    all.push_back({name, kind, help, static_cast<double>(value)});
  };
  add("copse_rbufd_read_bytes_total", Counter, "Bytes of rows that were read", counts.readBytes);
  add("copse_rbufd_written_bytes_total", Counter, "Bytes of rows that were written",
      counts.writtenBytes);
  add("copse_rbufd_faults_total", Counter, "Requests that were answered with an error",
      counts.faults);
  add("copse_rbufd_dropped_messages_total", Counter,
      "Messages that were not requests of this protocol, or whose sender did not take the answer",
      counts.dropped);
  add("copse_rbufd_refused_connections_total", Counter,
      "Connections that did not authenticate, or were too many", refused);
  add("copse_rbufd_stores", Gauge, "Stores that are open, one for each program", service.stores());
  add("copse_rbufd_buffers", Gauge, "Remote buffers that are open", service.buffers());
  return all;
}

} // namespace copse::remote_buffers
