#include "ipud_metrics.hpp"

#include <string>
#include <utility>

namespace copse::ipud {
namespace {

using fabric::LinkCounters;
using metrics::Metric;
using Kind = Metric::Kind;

struct OfLink {
  const char *name;
  Kind kind;
  const char *help;
  std::uint64_t LinkCounters::*value;
};

constexpr OfLink kOfLinks[] = {
    {"copse_ipud_link_sent_bytes_total", Kind::Counter,
     "Bytes sent over the IPU-Link, resends not counted", &LinkCounters::bytesSent},
    {"copse_ipud_link_received_bytes_total", Kind::Counter,
     "Bytes that came over the IPU-Link in order", &LinkCounters::bytesReceived},
    {"copse_ipud_link_resent_packets_total", Kind::Counter,
     "Packets that were sent again after a loss", &LinkCounters::resent},
    {"copse_ipud_link_forwarded_packets_total", Kind::Counter,
     "Packets that came over the IPU-Link for other IPUs", &LinkCounters::forwarded},
    {"copse_ipud_link_refused_packets_total", Kind::Counter,
     "Messages of another epoch, or that a neighbour must not send", &LinkCounters::refused},
    {"copse_ipud_link_queued_packets", Kind::Gauge,
     "Packets that the neighbour has not consumed yet", &LinkCounters::queued},
};

} // namespace

std::vector<Metric> metricsOf(const Figures &figures) {
  std::vector<Metric> all;
  const auto add = [&](const char *name, Kind kind, const char *help, double value,
                       std::map<std::string, std::string> labels = {}) {
    all.push_back({std::string("copse_ipud_") + name, kind, help, value, std::move(labels)});
  };
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  add("held", Kind::Gauge, "1 while a host program holds the IPU", figures.held ? 1 : 0);
  if (figures.held)
    add("holder", Kind::Gauge, "1, with the name of the host program that holds the IPU", 1,
        {{"program", figures.holder}});
  add("running", Kind::Gauge, "1 while a request of the host is being done",
      figures.running ? 1 : 0);
  add("sessions_total", Kind::Counter, "Host programs that have held the IPU",
      number(figures.sessions));
  add("loads_total", Kind::Counter, "Images that were loaded", number(figures.loads));
  add("runs_total", Kind::Counter, "Runs of control programs", number(figures.runs));
  add("faults_total", Kind::Counter, "Requests of hosts that failed", number(figures.faults));
  add("supersteps_total", Kind::Counter, "Sync points that the IPU has left",
      number(figures.supersteps));
  add("sync_wait_seconds_total", Kind::Counter, "Wall-clock time spent waiting at sync points",
      figures.syncWaitSeconds);
  add("modelled_cycles_total", Kind::Counter, "Cycles of the modelled clock that runs took",
      number(figures.modelledCycles));
  add("stream_rows_total", Kind::Counter, "Rows of streams", number(figures.rowsFromHost),
      {{"direction", "from_host"}});
  add("stream_rows_total", Kind::Counter, "Rows of streams", number(figures.rowsToHost),
      {{"direction", "to_host"}});
  add("stream_bytes_total", Kind::Counter, "Bytes of streams", number(figures.bytesFromHost),
      {{"direction", "from_host"}});
  add("stream_bytes_total", Kind::Counter, "Bytes of streams", number(figures.bytesToHost),
      {{"direction", "to_host"}});
  add("dropped_messages_total", Kind::Counter, "Messages that were not of the protocol",
      number(figures.dropped));
  add("refused_connections_total", Kind::Counter, "Connections of peers without a known key",
      number(figures.refused));
  add("resident_bytes", Kind::Gauge, "Memory of the process", number(figures.residentBytes));
  for (const OfLink &metric : kOfLinks)
    for (const LinkCounters &link : figures.links)
      all.push_back({metric.name,
                     metric.kind,
                     metric.help,
                     number(link.*metric.value),
                     {{"neighbour", std::to_string(link.neighbour.value)}}});
  return all;
}

} // namespace copse::ipud
