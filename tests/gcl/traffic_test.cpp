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
};

struct Message {
  unsigned from, to;
  std::uint64_t bytes;
};

/// The hops of a route, one after another: from, to, and whether it crosses the rung on the way to
/// another one.
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

TEST_P(TrafficOn, TakesWhatItsHopsTake) {
  FabricModel model;
  model.ipus = GetParam().ipus;
  model.torus = GetParam().torus;
  model.linkBytesPerSecond = 1.0e9; // unlike each other, so that a wrong one shows
  model.rungBytesPerSecond = 3.0e9;
  model.crossingBytesPerSecond = 0.7e9;
  std::mt19937 random(model.ipus);
  for (unsigned round = 0; round < 50; ++round) {
    std::vector<Message> messages;
    Traffic traffic(model);
    for (unsigned i = 0; i <= round; ++i) {
      messages.push_back({static_cast<unsigned>(random() % model.ipus),
                          static_cast<unsigned>(random() % model.ipus), random() % 100'000});
      traffic.add(messages.back().from, messages.back().to, messages.back().bytes);
    }
    EXPECT_EQ(traffic.cycles(), cyclesHopByHop(model, messages)) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, TrafficOn,
    ::testing::Values(FabricCase{"MeshOfTwo", 2, false}, FabricCase{"MeshOfThree", 3, false},
                      FabricCase{"MeshOfNine", 9, false}, FabricCase{"MeshOfSixteen", 16, false},
                      FabricCase{"TorusOfFour", 4, true}, FabricCase{"TorusOfSix", 6, true},
                      FabricCase{"TorusOfSixteen", 16, true}),
    [](const auto &p) { return p.param.name; });

} // namespace
} // namespace copse::test
