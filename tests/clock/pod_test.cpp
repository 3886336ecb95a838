// Tests pods: their files, and how machines, hosts, domains and gateways change the modelled time.
#include "clock/host_clock.hpp"
#include "clock/pod.hpp"
#include "clock/timing_model.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace copse::clock {
namespace {

using ::testing::HasSubstr;
using wire::Cycles;
using wire::Direction;
using wire::Topology;

std::string textOfFile(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::map<std::string, std::string> &podFiles() {
  static const auto files = [] {
    std::map<std::string, std::string> read;
    for (const auto &file : std::filesystem::directory_iterator(std::string(CONFIGS) + "/pods"))
      read[file.path().stem()] = textOfFile(file.path());
    return read;
  }();
  return files;
}

const std::string *podFile(const std::string &name) {
  const auto found = podFiles().find(name);
  return found == podFiles().end() ? nullptr : &found->second;
}

/// Returns a GC200 machine in the pod that \p text describes.
MachineModel inPod(const std::string &text) {
  const auto complete = completePod(text, podFile);
  EXPECT_TRUE(complete.ok()) << complete.status().message;
  nlohmann::json model = nlohmann::json::parse(textOfFile(std::string(CONFIGS) + "/gc200.json"));
  model["pod"] = nlohmann::json::parse(*complete);
  auto parsed = parseMachineModel(model.dump());
  EXPECT_TRUE(parsed.ok()) << parsed.status().message;
  parsed->hopLatencyCycles = 0;
  return *parsed;
}

/// Returns a GC200 machine in a pod whose bytes take one nanosecond each everywhere, except where
/// one constant is changed.
MachineModel inEvenPod(const std::string &name, const std::string &slowest = "") {
  MachineModel model = inPod(*podFile(name));
  model.tileClockHz = 1e9;
  model.rungBytesPerSecond = model.crossingBytesPerSecond = model.ladderBytesPerSecond = 1e9;
  Pod &pod = *model.pod;
  for (double *const rate :
       {&model.hostToIpuBytesPerSecond, &model.ipuToHostBytesPerSecond,
        &model.hostSharedBytesPerSecond, &model.remoteBytesPerSecond, &pod.machineBytesPerSecond,
        &pod.memoryBytesPerSecond, &pod.ipuToGatewayBytesPerSecond, &pod.gatewayToIpuBytesPerSecond,
        &pod.gatewayLinkBytesPerSecond})
    *rate = 1e12;
  pod.gatewayHopSeconds = pod.gatewaySyncSeconds = 0;
  const std::map<std::string, double *> constants = {
      {"ipu", &model.hostToIpuBytesPerSecond},
      {"machine", &pod.machineBytesPerSecond},
      {"host", &model.hostSharedBytesPerSecond},
      {"memory", &pod.memoryBytesPerSecond},
      {"toGateway", &pod.ipuToGatewayBytesPerSecond},
      {"fromGateway", &pod.gatewayToIpuBytesPerSecond},
      {"gatewayLink", &pod.gatewayLinkBytesPerSecond}};
  if (!slowest.empty())
    *constants.at(slowest) = 1e9;
  return model;
}

class PodFiles : public ::testing::TestWithParam<std::string> {};

TEST_P(PodFiles, AreCompleteAndNamedAfterTheirPod) {
  const MachineModel model = inPod(*podFile(GetParam()));
  EXPECT_EQ(model.pod->name, GetParam());
  EXPECT_GE(model.pod->ipus, model.pod->ipusPerMachine);
}

INSTANTIATE_TEST_SUITE_P(Configs, PodFiles, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto &file : podFiles())
                             names.push_back(file.first);
                           return names;
                         }()),
                         [](const auto &pod) {
                           std::string name = pod.param;
                           std::erase(name, '-');
                           return name;
                         });

std::string ownPod(const std::string &entries) {
  return "{\n  \"name\": \"mine\",\n  \"like\": \"pod256\",\n" + entries + "\n}\n";
}

std::string constant(const std::string &name, const std::string &value) {
  return "  \"" + name + "\": {\"value\": " + value + ", \"unit\": \"\", \"source\": \"\"}";
}

const struct Mistake {
  const char *name;
  std::string text, message;
} kMistakes[] = {
    {"NoJson", "{\n  oops", "line 2"},
    {"UnknownBase", "{\n  \"name\": \"x\",\n  \"like\": \"pod17\"}",
     "line 3: 'like' is 'pod17', which is no pod of Copse's own"},
    {"UnknownEntry", ownPod(constant("ipu", "4")), "line 4: 'ipu' is no entry of a pod"},
    {"MissingEntry", "{\"name\": \"x\"}", "'system' is missing"},
    {"NoSource", ownPod("  \"hosts\": {\"value\": 4, \"unit\": \"\"}"),
     "line 4: 'hosts' has no source"},
    {"NegativeRate", ownPod(constant("ipus", "256") + ",\n" + constant("hostBytesPerSecond", "-1")),
     "line 5: 'hostBytesPerSecond' must be greater than 0"},
    {"LargeDomain", ownPod(constant("ipusPerDomain", "128")),
     "line 4: 'ipusPerDomain' must be 64 or less"},
    {"HalfAMachine", ownPod(constant("ipus", "254")), "line 4: 'ipus' must be a multiple of"},
    {"HalfADomain", ownPod(constant("ipus", "96") + ",\n" + constant("hosts", "1")),
     "line 4: 'ipus' must be a multiple of ipusPerDomain"},
    {"UnevenHosts", ownPod(constant("hosts", "5")),
     "line 4: 'hosts' must divide the number of machines, which is 64"},
    {"NoGateways", ownPod("  \"gatewayLinks\": \"none\""), "line 4: 'gatewayLinks' must be looped"},
    {"UnknownGateways", ownPod("  \"gatewayLinks\": \"ring\""),
     "line 4: 'gatewayLinks' must be none, looped or switched"},
};

class PodMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(PodMistakes, AreNamedWithTheirLine) {
  const auto complete = completePod(GetParam().text, podFile);
  ASSERT_FALSE(complete.ok());
  EXPECT_THAT(complete.status().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Files, PodMistakes, ::testing::ValuesIn(kMistakes),
                         [](const auto &mistake) { return mistake.param.name; });

TEST(PodFile, MayChangeOneEntryOfAnotherPod) {
  const MachineModel model = inPod(ownPod(constant("hosts", "2")));
  EXPECT_EQ(model.pod->name, "mine");
  EXPECT_EQ(model.pod->hosts, 2u);
  EXPECT_EQ(model.pod->ipusPerHost(), 128u);
  EXPECT_EQ(model.pod->ipusPerDomain, 64u);
}

/// Returns the cycles of a transfer to the device in which each of 64 IPUs gets 1000 bytes.
std::uint64_t hostCycles(const MachineModel &model, std::uint32_t replicas) {
  const TimingModel timing(model, Topology::Mesh, replicas);
  const HostLoad load = timing.hostLoad(1000, 1000, {0, 0, replicas, 1});
  return timing.hostTransfer(Direction::ToDevice, load, false).value;
}

TEST(PodHostTime, IsLimitedByTheSlowestOfIpuMachineAndHost) {
  EXPECT_EQ(hostCycles(inEvenPod("pod64", "ipu"), 64), 1000u);
  EXPECT_EQ(hostCycles(inEvenPod("pod64", "machine"), 64), 4000u);
  EXPECT_EQ(hostCycles(inEvenPod("pod64", "host"), 64), 64'000u);
  EXPECT_EQ(hostCycles(inEvenPod("pod64-4hosts", "host"), 64), 16'000u);
}

TEST(PodHostTime, CountsOnlyIpusOfThePartition) {
  EXPECT_EQ(hostCycles(inEvenPod("pod64", "machine"), 2), 2000u);
  EXPECT_EQ(hostCycles(inEvenPod("pod64-4hosts", "host"), 8), 8000u);
}

TEST(PodHostTime, CountsTheOtherIpusOfTheReplica) {
  const TimingModel timing(inEvenPod("pod64-4hosts"), Topology::Mesh, 24);
  const HostLoad halves = timing.hostLoad(10, 100, {0, 0, 12, 2});
  EXPECT_EQ(halves.own, 10u);
  EXPECT_EQ(halves.machine, 200u) << "of two replicas";
  EXPECT_EQ(halves.host, 800u);
  EXPECT_EQ(timing.hostLoad(10, 100, {1, 11, 12, 2}).host, 400u) << "the last host serves fewer";
  const HostLoad large = timing.hostLoad(10, 240, {0, 0, 1, 24});
  EXPECT_EQ(large.machine, 40u) << "the average of its IPUs";
  EXPECT_EQ(timing.hostLoad(240, 240, {0, 0, 1, 24}).machine, 240u) << "one IPU moves all";
}

TEST(PodRemoteTime, IpusOfAMachineShareItsMemory) {
  const TimingModel timing(inEvenPod("pod64", "memory"), Topology::Mesh, 64);
  const std::uint64_t fixed = timing.remoteCopy({}).value;
  const auto cycles = [&](std::uint32_t replicas) {
    return timing.remoteCopy(timing.hostLoad(1000, 1000, {0, 0, replicas, 1})).value - fixed;
  };
  EXPECT_EQ(cycles(64), 4000u);
  EXPECT_EQ(cycles(1), 1000u);
}

/// Returns the cycles of flows of 1000 bytes each among as many IPUs as the pod has, on the IPU of
/// the first flow.
std::uint64_t flowCycles(const MachineModel &model,
                         const std::vector<std::pair<std::uint32_t, std::uint32_t>> &ends,
                         Topology topology = Topology::Mesh) {
  wire::Exchange exchange;
  for (const auto &[from, to] : ends)
    exchange.flows.push_back({from, to, 1000});
  const std::uint32_t ipus = model.pod->ipus;
  return TimingModel(model, topology, ipus)
      .externalExchange(exchange, ends.front().first, 0, 1, ipus)
      .value;
}

TEST(PodExchangeTime, WithinADomainEqualsThatOfALadder) {
  const MachineModel model = inEvenPod("pod256");
  EXPECT_EQ(flowCycles(model, {{66, 70}, {64, 68}}), 2000u) << "one link carries both";
  EXPECT_EQ(flowCycles(model, {{66, 70}, {2, 6}}), 1000u) << "the same link of another domain";
  EXPECT_EQ(flowCycles(model, {{64, 126}, {66, 68}}, Topology::Torus), 1000u)
      << "the ends of each domain are joined";
}

TEST(PodExchangeTime, AcrossDomainsIsLimitedByIpuAndGateway) {
  const MachineModel to = inEvenPod("pod256", "toGateway"),
                     from = inEvenPod("pod256", "fromGateway");
  EXPECT_EQ(flowCycles(to, {{5, 69}, {5, 133}}), 2000u);
  EXPECT_EQ(flowCycles(to, {{5, 69}, {6, 70}}), 1000u);
  EXPECT_EQ(flowCycles(from, {{5, 69}, {133, 69}}), 2000u);
  EXPECT_EQ(flowCycles(from, {{5, 69}, {69, 5}}), 1000u) << "the other direction";
}

TEST(PodExchangeTime, MachinesShareTheirGatewayLinks) {
  const MachineModel loop = inEvenPod("pod256", "gatewayLink");
  EXPECT_EQ(flowCycles(loop, {{4, 68}, {5, 69}, {6, 70}, {7, 71}}), 4000u);
  EXPECT_EQ(flowCycles(loop, {{4, 68}, {8, 72}}), 1000u) << "another machine";
  EXPECT_EQ(flowCycles(loop, {{4, 68}, {5, 197}}), 1000u) << "the domain before";
  EXPECT_EQ(flowCycles(loop, {{4, 132}, {68, 132}}), 2000u) << "through the domain between";
  const MachineModel pair = inEvenPod("pod128", "gatewayLink");
  EXPECT_EQ(flowCycles(pair, {{4, 68}, {5, 69}, {6, 70}, {7, 71}}), 2000u)
      << "both links lead to the same domain";
  const MachineModel fan = inEvenPod("pod1024", "gatewayLink");
  EXPECT_EQ(flowCycles(fan, {{4, 68}, {5, 133}, {6, 198}, {7, 263}}), 2000u);
  EXPECT_EQ(flowCycles(fan, {{4, 68}, {133, 69}, {198, 70}, {263, 71}}), 2000u) << "into a machine";
}

TEST(PodExchangeTime, IncludesIpuLinksInTheOtherDomain) {
  const MachineModel model = inEvenPod("pod256");
  EXPECT_EQ(flowCycles(model, {{0, 66}, {64, 66}}), 2000u) << "the link that both end on";
  EXPECT_EQ(flowCycles(model, {{0, 66}, {0, 2}}), 1000u) << "not the link of its own domain";
}

TEST(PodExchangeTime, AddsTheLatencyOfEachGatewayAndHop) {
  MachineModel model = inEvenPod("pod256");
  model.hopLatencyCycles = 7;
  model.pod->gatewayHopSeconds = 100e-9;
  const auto beyond = [&](std::uint32_t to) { return flowCycles(model, {{0, to}}) % 1000; };
  EXPECT_EQ(beyond(4), 14u);
  EXPECT_EQ(flowCycles(model, {{0, 64}}), 101u) << "its 1000 bytes take a nanosecond";
  EXPECT_EQ(flowCycles(model, {{0, 128}}), 201u);
  EXPECT_EQ(flowCycles(model, {{0, 192}}), 101u) << "backwards";
  EXPECT_EQ(beyond(67), 114u) << "across the rung, and up";
}

TEST(PodExchangeTime, IsTheSameOnAllIpusAtOnceAsOnEachAlone) {
  for (const auto topology : {Topology::Mesh, Topology::Torus})
    for (const std::uint32_t replicas : {33u, 64u}) {
      wire::Exchange there;
      there.flows = {{0, 1, 70'000}, {1, 0, 3'000}, {0, 0, 9}};
      for (std::uint32_t r = 0; r < replicas; ++r)
        there.replicaMap.push_back((r * 5 + 1) % replicas);
      const TimingModel timing(inPod(*podFile("pod128")), topology, replicas * 2);
      const auto all = timing.externalExchanges({&there, 1}, replicas, 2);
      for (std::uint32_t ipu = 0; ipu < replicas * 2; ++ipu)
        EXPECT_EQ(all[ipu], timing.externalExchange(there, ipu % 2, ipu / 2, replicas, 2)) << ipu;
    }
}

std::uint64_t syncCycles(const MachineModel &model, const std::vector<std::uint32_t> &members) {
  std::vector<wire::IpuId> ids;
  for (const std::uint32_t member : members)
    ids.push_back({member});
  return TimingModel(model, Topology::Mesh, model.pod->ipus).syncLatency(ids).value;
}

TEST(PodSyncTime, AddsTheLongestRouteBetweenGateways) {
  MachineModel model = inEvenPod("pod256");
  model.pod->gatewaySyncSeconds = 1e-6;
  const std::uint64_t within = syncCycles(model, {0, 63});
  EXPECT_EQ(syncCycles(model, {64, 127}), within) << "another domain";
  EXPECT_EQ(syncCycles(model, {0, 127}), within + 2000);
  EXPECT_EQ(syncCycles(model, {0, 127, 191, 255}), within + 4000) << "two domains away";
  model.pod->gatewayLinks = GatewayLinks::Switched;
  EXPECT_EQ(syncCycles(model, {0, 127, 191, 255}), within + 2000);
}

/// Returns a host exchange whose transfers bring \p bytes each, one of each stream.
wire::HostExchange rowsOf(const std::vector<std::pair<std::uint32_t, std::uint64_t>> &rows) {
  wire::HostExchange exchange;
  std::uint64_t sum = 0;
  for (const auto &[stream, bytes] : rows) {
    exchange.transfers.push_back({stream, Direction::ToDevice, {}});
    exchange.transfers.back().view.bytes = exchange.transfers.back().view.rowBytes = bytes;
    sum += bytes;
  }
  exchange.replicaBytesToDevice = sum;
  return exchange;
}

/// Runs \p turns turns of a loop: transfers, and then work of \p work cycles.
std::uint64_t loopCycles(const MachineModel &model, const std::vector<wire::HostExchange> &parts,
                         const std::vector<bool> &isPrefetched, std::uint64_t work,
                         unsigned turns) {
  const TimingModel timing(model, Topology::Mesh, 1);
  HostClock host(timing, {0, 0, 1, 1});
  Cycles now;
  for (unsigned turn = 0; turn < turns; ++turn) {
    for (const wire::HostExchange &part : parts)
      for (const wire::StreamTransfer &transfer : part.transfers)
        now = host.end(part, transfer, isPrefetched[transfer.stream], now);
    now += Cycles{work};
  }
  return now.value;
}

TEST(PrefetchedRows, ShareTheirPathToTheIpuWithOtherStreams) {
  const MachineModel model = inEvenPod("pod4", "ipu");
  const auto both = rowsOf({{0, 3000}, {1, 1000}});
  const std::vector<wire::HostExchange> apart{rowsOf({{0, 3000}}), rowsOf({{1, 1000}})};
  for (const auto &parts : {std::vector<wire::HostExchange>{both}, apart}) {
    EXPECT_EQ(loopCycles(model, parts, {true, true}, 0, 10), 40'000u) << "no work hides them";
    EXPECT_EQ(loopCycles(model, parts, {true, true}, 3500, 10) -
                  loopCycles(model, parts, {true, true}, 3500, 9),
              4000u)
        << "work hides but a part";
    EXPECT_EQ(loopCycles(model, parts, {true, true}, 5000, 10) -
                  loopCycles(model, parts, {true, true}, 5000, 9),
              5000u)
        << "work hides both";
  }
}

TEST(PrefetchedRows, YieldToRowsThatTheIpuWaitsFor) {
  MachineModel model = inEvenPod("pod4", "ipu");
  model.hostCallbackSeconds = 0;
  const std::vector<wire::HostExchange> parts{rowsOf({{0, 3000}}), rowsOf({{1, 1000}})};
  const auto turn = [&](std::uint64_t work) {
    return loopCycles(model, parts, {true, false}, work, 10) -
           loopCycles(model, parts, {true, false}, work, 9);
  };
  EXPECT_EQ(turn(0), 4000u) << "the path has to carry both";
  EXPECT_EQ(turn(2500), 4000u);
  EXPECT_EQ(turn(8000), 9000u) << "the row that is waited for is not hidden";
}

} // namespace
} // namespace copse::clock
