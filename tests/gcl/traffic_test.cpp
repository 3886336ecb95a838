#include "fabric_model.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace copse::test {
namespace {

using gcl::FabricModel;
using gcl::Traffic;

struct FabricCase {
  const char *name;
  unsigned ipus;
  bool torus;
  unsigned domain = 0; ///< 0: one
};

struct Message {
  unsigned from, to;
  std::uint64_t bytes;
};

/// Returns the hops of a route within a domain, one after another: from, to, and whether it crosses
/// the rung on its way.
std::vector<std::tuple<unsigned, unsigned, bool>> hopsOf(const FabricModel &model, unsigned from,
                                                         unsigned to) {
  std::vector<std::tuple<unsigned, unsigned, bool>> hops;
  const bool inPair = from / 2 == to / 2;
  const unsigned rungs = model.ipus / 2;
  while (from != to) {
    unsigned next = 0;
    if (from % 2 != to % 2) {
      next = (from ^ 1u) < model.ipus ? from ^ 1u : from - 2;
    } else if (model.torus && rungs > 2) {
      const unsigned up = (to / 2 + rungs - from / 2) % rungs;
      next = (from + (2 * up <= rungs ? 2 : model.ipus - 2)) % model.ipus;
    } else {
      next = to > from ? from + 2 : from - 2;
    }
    hops.emplace_back(from, next, from / 2 == next / 2 && !inPair);
    from = next;
  }
  return hops;
}

/// A connection between domains: its kind, and the IPU or machine.
using GatewayHop = std::pair<char, unsigned>;

std::vector<GatewayHop> gatewayHopsOf(const FabricModel &model, unsigned from, unsigned entry) {
  if (from == entry)
    return {};
  const unsigned domains = model.ipus / model.domain, to = entry / model.domain;
  std::vector<GatewayHop> hops{{'>', from}, {'<', entry}};
  if (domains > 4) {
    hops.insert(hops.end(), {{'u', from / 4}, {'d', entry / 4}});
    return hops;
  }
  const unsigned up = (to + domains - from / model.domain) % domains;
  for (unsigned at = from; at != entry;) {
    hops.emplace_back(2 * up <= domains ? 'u' : 'd', at / 4);
    at = (at + (2 * up <= domains ? model.domain : model.ipus - model.domain)) % model.ipus;
  }
  return hops;
}

double bandwidthOf(const FabricModel &model, char way) {
  if (way == '>')
    return model.ipuToGatewayBytesPerSecond;
  if (way == '<')
    return model.gatewayToIpuBytesPerSecond;
  const unsigned domains = model.ipus / model.domain;
  return model.gatewayBytesPerSecond / (domains == 3 || domains == 4 ? 2 : 1);
}

std::uint64_t cyclesOf(const FabricModel &model, std::uint64_t bytes, double bandwidth) {
  return static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(bytes) * model.clockHz / bandwidth));
}

/// Like cyclesOf(), for several domains.
std::uint64_t cyclesByDomain(const FabricModel &model, const std::vector<Message> &messages) {
  FabricModel ladder = model;
  ladder.ipus = model.domain;
  std::map<std::pair<unsigned, std::tuple<unsigned, unsigned, bool>>, std::uint64_t> bytes;
  std::map<GatewayHop, std::uint64_t> gatewayBytes;
  const auto visit = [&](const Message &m, const auto &onLink, const auto &onGateway) {
    const unsigned domain = m.to / model.domain;
    const unsigned entry = domain * model.domain + m.from % model.domain;
    for (const GatewayHop &hop : gatewayHopsOf(model, m.from, entry))
      onGateway(hop);
    for (const auto &hop : hopsOf(ladder, entry % model.domain, m.to % model.domain))
      onLink(std::pair{domain, hop});
  };
  for (const Message &m : messages)
    visit(
        m, [&](const auto &hop) { bytes[hop] += m.bytes; },
        [&](const GatewayHop &hop) { gatewayBytes[hop] += m.bytes; });
  std::uint64_t last = 0;
  for (const Message &m : messages) {
    std::uint64_t most = 0, latency = 0;
    visit(
        m,
        [&](const auto &link) {
          const auto &[from, to, crosses] = link.second;
          const double bandwidth = from / 2 != to / 2 ? model.linkBytesPerSecond
                                   : crosses          ? model.crossingBytesPerSecond
                                                      : model.rungBytesPerSecond;
          most = std::max(most, cyclesOf(model, bytes.at(link), bandwidth));
          latency += model.hopCycles;
        },
        [&](const GatewayHop &hop) {
          most =
              std::max(most, cyclesOf(model, gatewayBytes.at(hop), bandwidthOf(model, hop.first)));
          latency += hop.first == 'u' || hop.first == 'd' ? model.gatewayHopCycles : 0;
        });
    last = std::max(last, most + latency);
  }
  return last;
}

std::uint64_t cyclesHopByHop(const FabricModel &model, const std::vector<Message> &messages) {
  std::map<std::tuple<unsigned, unsigned, bool>, std::uint64_t> bytes;
  for (const Message &m : messages)
    for (const auto &hop : hopsOf(model, m.from, m.to))
      bytes[hop] += m.bytes;
  std::uint64_t last = 0;
  for (const Message &m : messages) {
    std::uint64_t most = 0;
    const auto hops = hopsOf(model, m.from, m.to);
    for (const auto &hop : hops) {
      const auto &[from, to, crosses] = hop;
      const double bandwidth = from / 2 != to / 2 ? model.linkBytesPerSecond
                               : crosses          ? model.crossingBytesPerSecond
                                                  : model.rungBytesPerSecond;
      most = std::max(most, static_cast<std::uint64_t>(std::ceil(
                                static_cast<double>(bytes.at(hop)) * model.clockHz / bandwidth)));
    }
    last = std::max(last, most + hops.size() * model.hopCycles);
  }
  return last;
}

class TrafficOn : public ::testing::TestWithParam<FabricCase> {};

TEST_P(TrafficOn, TakesTheCyclesOfItsHops) {
  FabricModel model;
  model.ipus = GetParam().ipus;
  model.torus = GetParam().torus;
  model.linkBytesPerSecond = 1.0e9; // unlike each other, so that a wrong one shows
  model.rungBytesPerSecond = 3.0e9;
  model.crossingBytesPerSecond = 0.7e9;
  model.domain = GetParam().domain;
  model.ipuToGatewayBytesPerSecond = 0.5e9;
  model.gatewayToIpuBytesPerSecond = 0.6e9;
  model.gatewayBytesPerSecond = 0.9e9;
  model.gatewayHopCycles = 1234;
  std::mt19937 random(model.ipus);
  for (unsigned round = 0; round < 50; ++round) {
    std::vector<Message> messages;
    Traffic traffic(model);
    for (unsigned i = 0; i <= round; ++i) {
      messages.push_back({static_cast<unsigned>(random() % model.ipus),
                          static_cast<unsigned>(random() % model.ipus), random() % 100'000});
      traffic.add(messages.back().from, messages.back().to, messages.back().bytes);
    }
    EXPECT_EQ(traffic.cycles(),
              model.domain == 0 ? cyclesHopByHop(model, messages) : cyclesByDomain(model, messages))
        << round;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, TrafficOn,
    ::testing::Values(FabricCase{"MeshOfTwo", 2, false}, FabricCase{"MeshOfThree", 3, false},
                      FabricCase{"MeshOfNine", 9, false}, FabricCase{"MeshOfSixteen", 16, false},
                      FabricCase{"TorusOfFour", 4, true}, FabricCase{"TorusOfSix", 6, true},
                      FabricCase{"TorusOfSixteen", 16, true},
                      FabricCase{"TwoDomains", 16, false, 8},
                      FabricCase{"ThreeDomains", 24, true, 8},
                      FabricCase{"FourDomains", 32, true, 8},
                      FabricCase{"SixDomains", 48, false, 8}),
    [](const auto &p) { return p.param.name; });

} // namespace
} // namespace copse::test
