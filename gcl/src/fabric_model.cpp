#include "fabric_model.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace gcl {
namespace {

// Mk1: a link has 128 x 2^30 bit/s at an efficiency of 0.85. Two links go to the next rung and
// carry crossing traffic; four are inside a pair. Source: PopLibs, lib/poplibs_test/Util.cpp.
constexpr double kMk1LinkBytesPerSecond = 2 * 0.85 * 128 * 1073741824.0 / 8;
constexpr double kMk1RungBytesPerSecond = 2 * kMk1LinkBytesPerSecond;
constexpr double kHopSeconds = 200e-9; // estimate of Copse
// Gateways of Mk2 machines have the values of Copse's pods (configs/pods/pod128.json).
constexpr double kIpuToGatewayBytesPerSecond = 3756250000, kGatewayToIpuBytesPerSecond = 3301250000;
constexpr double kGatewayBytesPerSecond = 2 * 11250000000.0;
constexpr double kGatewaySeconds = 1e-6;

std::uint64_t cyclesOfBytes(std::uint64_t bytes, double bytesPerSecond, double clockHz) {
  return static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(bytes) * clockHz / bytesPerSecond));
}

/// Finds the greatest of consecutive numbers in constant time, as the greater of two runs whose
/// lengths are powers of two.
class RangeMaximum {
public:
  explicit RangeMaximum(std::vector<std::uint64_t> values) : ofRuns_{std::move(values)} {
    const std::size_t all = ofRuns_.front().size();
    for (std::size_t run = 1; 2 * run <= all; run *= 2) {
      const std::vector<std::uint64_t> &half = ofRuns_.back();
      std::vector<std::uint64_t> next;
      for (std::size_t i = 0; i + 2 * run <= all; ++i)
        next.push_back(std::max(half[i], half[i + run]));
      ofRuns_.push_back(std::move(next));
    }
  }
  /// \p first < \p end
  std::uint64_t of(unsigned first, unsigned end) const {
    unsigned level = 0;
    while (2u << level <= end - first)
      ++level;
    return std::max(ofRuns_[level][first], ofRuns_[level][end - (1u << level)]);
  }

private:
  std::vector<std::vector<std::uint64_t>> ofRuns_; ///< [log2 of the length][begin]
};

} // namespace

FabricModel FabricModel::of(const poplar::Target &target, unsigned ipus) {
  FabricModel model;
  model.ipus = ipus;
  // Mk2: the result of Graphcore's link traffic test on an M2000, 423.3 Gb/s summed over both
  // directions.
  model.linkBytesPerSecond = model.rungBytesPerSecond = model.crossingBytesPerSecond =
      26456250000.0;
  if (target.getTargetType() == poplar::TargetType::CPU)
    return model;
  model.clockHz = target.getTileClockFrequency();
  model.hopCycles = static_cast<unsigned>(std::lround(kHopSeconds * model.clockHz));
  model.workers = target.getNumWorkerContexts();
  model.memcpyBytesPerCycle = target.getMemcpyBytesPerCycle();
  model.torus = target.getIpuLinkTopology() == poplar::IpuLinkTopology::Torus;
  if (target.getTargetArchString() == "ipu1") {
    model.rungBytesPerSecond = kMk1RungBytesPerSecond;
    model.linkBytesPerSecond = model.crossingBytesPerSecond = kMk1LinkBytesPerSecond;
  }
  if (target.getGatewayMode() && target.getIpuLinkDomainSize() < ipus) {
    model.domain = target.getIpuLinkDomainSize();
    model.ipuToGatewayBytesPerSecond = kIpuToGatewayBytesPerSecond;
    model.gatewayToIpuBytesPerSecond = kGatewayToIpuBytesPerSecond;
    model.gatewayBytesPerSecond = kGatewayBytesPerSecond;
    model.gatewayHopCycles = static_cast<unsigned>(std::lround(kGatewaySeconds * model.clockHz));
    model.gatewaySyncSeconds = kGatewaySeconds;
  }
  // Target's value includes the wire between two IPUs: two hops of 15 ns.
  const auto wire = static_cast<unsigned>(std::ceil(2 * model.syncHopSeconds * model.clockHz));
  model.globalSyncCycles = std::max(target.getGlobalSyncCycles(), wire) - wire;
  return model;
}

std::uint64_t FabricModel::syncCycles() const {
  const unsigned rungs = (domainSize() + 1) / 2, hops = 1 + rungs / 2;
  const unsigned gateways = domains() == 1 ? 0 : looped() ? domains() / 2 : 1;
  const double wire = 2 * hops * syncHopSeconds + 2 * gateways * gatewaySyncSeconds;
  return globalSyncCycles + static_cast<std::uint64_t>(std::ceil(wire * clockHz));
}

Traffic::Traffic(const FabricModel &model)
    : model_(model), rungs_((model.ipus + 1) / 2), changes_(kLanes * (rungs_ + 1)),
      gatewayBytes_(model.domains() > 1 ? kGatewayLanes * model.ipus : 0) {}

std::int64_t &Traffic::changeAt(unsigned side, Direction direction, unsigned rung) {
  return changes_[(side * kDirections + direction) * (rungs_ + 1) + rung];
}

/// Calls \p visit for the hops along a side from rung to rung: one stretch, or two over the joined
/// ends of a torus.
template <typename Visit>
void Traffic::forEachRun(unsigned side, unsigned rung, unsigned to, const Visit &visit) const {
  const unsigned first = 2 * rung / model_.domainSize() * model_.domainSize() / 2;
  // The rungs of a torus exclude an odd IPU, which a torus does not have.
  const unsigned closed = std::min(model_.domainSize(), model_.ipus - 2 * first) / 2;
  const bool torus = model_.torus && closed > 2;
  const unsigned up = (to + closed - rung) % closed;
  const bool goesUp = torus ? 2 * up <= closed : to > rung;
  if (goesUp && to > rung)
    visit(side, Up, rung, to);
  else if (goesUp) { // over the torus's joined ends
    visit(side, Up, rung, first + closed);
    if (to > first)
      visit(side, Up, first, to);
  } else if (to < rung)
    visit(side, Down, to + 1, rung + 1);
  else {
    visit(side, Down, first, rung + 1);
    if (to + 1 < first + closed)
      visit(side, Down, to + 1, first + closed);
  }
}

template <typename Visit>
void Traffic::forEachStretch(unsigned from, unsigned to, const Visit &visit) const {
  const bool inPair = from / 2 == to / 2;
  unsigned side = from % 2, rung = from / 2;
  if (from == to)
    return;
  if (side != to % 2) {
    if ((from ^ 1u) >= model_.ipus) { // the last IPU of an odd number is alone on its rung
      visit(side, Down, rung, rung + 1);
      --rung;
    }
    visit(side, inPair ? Rung : Crossing, rung, rung + 1);
    side = to % 2;
  }
  if (rung != to / 2)
    forEachRun(side, rung, to / 2, visit);
}

unsigned Traffic::counterpartOf(unsigned ipu, unsigned domain) const {
  const unsigned first = domain * model_.domainSize();
  const unsigned size = std::min(model_.domainSize(), model_.ipus - first);
  return first + ipu % model_.domainSize() % size;
}

unsigned Traffic::entryOf(unsigned from, unsigned to) const {
  const unsigned domain = to / model_.domainSize();
  return from / model_.domainSize() == domain ? from : counterpartOf(from, domain);
}

template <typename Visit>
void Traffic::forEachGatewayHop(unsigned from, unsigned entry, const Visit &visit) const {
  const unsigned domains = model_.domains(), to = entry / model_.domainSize();
  const auto machineOf = [&](unsigned ipu) { return ipu / model_.ipusPerMachine; };
  unsigned domain = from / model_.domainSize();
  visit(ToGateway, from);
  if (!model_.looped()) {
    visit(GatewayUp, machineOf(from));
    visit(GatewayDown, machineOf(entry));
  } else {
    const bool up = 2 * ((to + domains - domain) % domains) <= domains;
    for (; domain != to; domain = (domain + (up ? 1 : domains - 1)) % domains)
      visit(up ? GatewayUp : GatewayDown, machineOf(counterpartOf(from, domain)));
  }
  visit(FromGateway, entry);
}

double Traffic::gatewayBandwidth(unsigned lane) const {
  if (lane == ToGateway)
    return model_.ipuToGatewayBytesPerSecond;
  if (lane == FromGateway)
    return model_.gatewayToIpuBytesPerSecond;
  const bool half = model_.looped() && model_.domains() > 2;
  return half ? model_.gatewayBytesPerSecond / 2 : model_.gatewayBytesPerSecond;
}

double Traffic::bandwidth(Direction direction) const {
  switch (direction) {
  case Rung:
    return model_.rungBytesPerSecond;
  case Crossing:
    return model_.crossingBytesPerSecond;
  case Up:
  case Down:
    break;
  }
  return model_.linkBytesPerSecond;
}

void Traffic::add(unsigned from, unsigned to, std::uint64_t bytes) {
  if (from == to)
    return;
  messages_.emplace_back(from, to);
  const unsigned entry = entryOf(from, to);
  if (entry != from)
    forEachGatewayHop(from, entry, [&](unsigned lane, unsigned number) {
      gatewayBytes_[lane * model_.ipus + number] += bytes;
    });
  forEachStretch(entry, to, [&](unsigned side, Direction direction, unsigned first, unsigned end) {
    changeAt(side, direction, first) += static_cast<std::int64_t>(bytes);
    changeAt(side, direction, end) -= static_cast<std::int64_t>(bytes);
  });
}

/// Returns the bytes that leave the IPUs of \p side in \p direction, by rung.
std::vector<std::uint64_t> Traffic::bytesOf(unsigned side, Direction direction) const {
  std::vector<std::uint64_t> bytes(rungs_);
  std::int64_t sum = 0;
  for (unsigned rung = 0; rung < rungs_; ++rung)
    bytes[rung] = static_cast<std::uint64_t>(
        sum += changes_[(side * kDirections + direction) * (rungs_ + 1) + rung]);
  return bytes;
}

std::uint64_t Traffic::cycles() const {
  std::vector<RangeMaximum> slowest;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Direction direction = static_cast<Direction>(lane % kDirections);
    std::vector<std::uint64_t> cycles = bytesOf(lane / kDirections, direction);
    for (std::uint64_t &each : cycles)
      each = cyclesOfBytes(each, bandwidth(direction), model_.clockHz);
    slowest.emplace_back(std::move(cycles));
  }
  std::uint64_t last = 0;
  for (const auto &[from, to] : messages_) {
    std::uint64_t most = 0, latency = 0;
    const unsigned entry = entryOf(from, to);
    if (entry != from)
      forEachGatewayHop(from, entry, [&](unsigned lane, unsigned number) {
        most = std::max(most, cyclesOfBytes(gatewayBytes_[lane * model_.ipus + number],
                                            gatewayBandwidth(lane), model_.clockHz));
        latency += lane == GatewayUp || lane == GatewayDown ? model_.gatewayHopCycles : 0;
      });
    forEachStretch(entry, to,
                   [&](unsigned side, Direction direction, unsigned first, unsigned end) {
                     most = std::max(most, slowest[side * kDirections + direction].of(first, end));
                     latency += std::uint64_t{end - first} * model_.hopCycles;
                   });
    last = std::max(last, most + latency);
  }
  return last;
}

std::uint64_t Traffic::busiestBytes() const {
  std::uint64_t most = 0;
  for (unsigned side = 0; side < 2; ++side) {
    const auto rung = bytesOf(side, Rung), crossing = bytesOf(side, Crossing);
    const auto up = bytesOf(side, Up), down = bytesOf(side, Down);
    for (unsigned r = 0; r < rungs_; ++r)
      most = std::max({most, rung[r] + crossing[r], up[r], down[r]});
  }
  return most;
}

} // namespace gcl
