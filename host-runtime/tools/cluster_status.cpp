#include "cluster_status.hpp"

#include "cluster/key_files.hpp"
#include "report.hpp"

#include "remote_buffers/client.hpp"
#include "session/node_query.hpp"

#include <future>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::tools {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr auto kTimeout = 1500ms;

Json describe(std::size_t number, const cluster::ClusterIpu &ipu,
              const wire::Result<wire::session::State> &state) {
  if (!state)
    return {{"ipu", number}, {"state", "silent"}, {"holder", ""},
            {"sessions", 0}, {"pid", 0},          {"control", ipu.control.address}};
  return {{"ipu", number},
          {"state", state->holder.empty() ? "free"
                    : state->running      ? "running"
                                          : "held"},
          {"holder", state->holder},
          {"sessions", state->sessions},
          {"pid", state->pid},
          {"control", ipu.control.address}};
}

Json activityOf(std::size_t number, const wire::session::State &state) {
  return {{"ipu", number},
          {"runs", state.runs},
          {"steps", state.steps},
          {"modelled_cycles", state.modelledCycles},
          {"bytes_from_host", state.bytesFromHost},
          {"bytes_to_host", state.bytesToHost}};
}

Json describe(std::size_t number, const wire::session::LinkTraffic &link) {
  return {{"ipu", number},
          {"neighbour", link.neighbour},
          {"bytes_sent", link.bytesSent},
          {"bytes_received", link.bytesReceived},
          {"packets_sent", link.packetsSent},
          {"packets_received", link.packetsReceived},
          {"resent", link.resent}};
}

} // namespace

Json statusOf(const cluster::Cluster &cluster) {
  const auto keys = cluster::keysOfHost(cluster);
  if (!keys)
    throw std::runtime_error(keys.status().message);
  zmq::context_t context(1);
  std::vector<std::future<wire::Result<wire::session::State>>> states;
  for (std::size_t ipu = 0; ipu < cluster.ipus.size(); ++ipu)
    states.push_back(std::async(
        std::launch::async, [&context, node = session::nodeAt(cluster, ipu, keys.value().get())] {
          return session::inspectNode(context, node, kTimeout);
        }));
  Json status{{"ipus", Json::array()}, {"activity", Json::array()}, {"links", Json::array()}};
  bool ready = true;
  for (std::size_t number = 0; number < states.size(); ++number) {
    const auto state = states[number].get();
    ready = ready && state.ok();
    status["ipus"].push_back(describe(number, cluster.ipus[number], state));
    status["activity"].push_back(activityOf(number, state ? *state : wire::session::State{}));
    if (state)
      for (const auto &link : state->links)
        status["links"].push_back(describe(number, link));
  }
  if (cluster.rbufd) {
    const std::string &endpoint = cluster.rbufd->endpoint.address;
    const bool up = remote_buffers::askCounters(endpoint, kTimeout, *keys).ok();
    ready = ready && up;
    status["rbufd"] = {{"state", up ? "up" : "silent"}, {"endpoint", endpoint}};
  }
  status["ready"] = ready;
  return status;
}

void printStatus(const Json &status, std::ostream &out) {
  print(out, status["ipus"].get<Rows>(), false);
  if (!status["links"].empty()) {
    out << '\n';
    print(out, status["links"].get<Rows>(), false);
  }
  if (status.contains("rbufd"))
    out << "\nrbufd at " << status["rbufd"]["endpoint"].get<std::string>() << ": "
        << status["rbufd"]["state"].get<std::string>() << '\n';
}

} // namespace copse::tools
