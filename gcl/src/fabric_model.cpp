#include "fabric_model.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace gcl {
namespace {

// Mk1: 128 x 2^30 bit/s per link at an efficiency of 0.85; two links to the next rung and for
// crossing traffic, four inside a pair.  Source: PopLibs, lib/poplibs_test/Util.cpp.
constexpr double kMk1LinkBytesPerSecond = 2 * 0.85 * 128 * 1073741824.0 / 8;
constexpr double kMk1RungBytesPerSecond = 2 * kMk1LinkBytesPerSecond;
constexpr double kHopSeconds = 200e-9; // estimate of Copse

std::uint64_t cyclesOfBytes(std::uint64_t bytes, double bytesPerSecond, double clockHz) {
  return static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(bytes) * clockHz / bytesPerSecond));
}

} // namespace

FabricModel FabricModel::of(const poplar::Target &target, unsigned ipus) {
  FabricModel model;
  model.ipus = ipus;
  // Mk2: Graphcore's link traffic test on an M2000, 423.3 Gb/s summed over both directions.
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
  // Target's figure includes the wire between two IPUs: two hops of 15 ns.
  const auto wire = static_cast<unsigned>(std::ceil(2 * model.syncHopSeconds * model.clockHz));
  model.globalSyncCycles = std::max(target.getGlobalSyncCycles(), wire) - wire;
  return model;
}

std::uint64_t FabricModel::syncCycles() const {
  const unsigned rungs = (ipus + 1) / 2, hops = 1 + rungs / 2;
  return globalSyncCycles +
         static_cast<std::uint64_t>(std::ceil(2 * hops * syncHopSeconds * clockHz));
}

unsigned Traffic::next(unsigned self, unsigned to) const {
  if (self % 2 != to % 2) {
    const unsigned across = self ^ 1u;
    return across < model_.ipus ? across : self - 2;
  }
  const unsigned rungs = model_.ipus / 2;
  if (model_.torus && rungs > 2) {
    const unsigned up = (to / 2 + rungs - self / 2) % rungs;
    return (self + (2 * up <= rungs ? 2 : model_.ipus - 2)) % model_.ipus;
  }
  return to > self ? self + 2 : self - 2;
}

template <typename Visit>
void Traffic::forEachHop(unsigned from, unsigned to, const Visit &visit) const {
  const bool inPair = from / 2 == to / 2;
  for (unsigned at = from; at != to;) {
    const unsigned there = next(at, to);
    if (at / 2 == there / 2)
      visit(at, inPair ? Rung : Crossing);
    else
      visit(at, there == at + 2 || there + 2 < at ? Up : Down);
    at = there;
  }
}

double Traffic::bandwidth(Way way) const {
  switch (way) {
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
  messages_.emplace_back(from, to);
  forEachHop(from, to, [&](unsigned at, Way way) { bytes_[4 * at + way] += bytes; });
}

std::uint64_t Traffic::cycles() const {
  std::vector<std::uint64_t> cyclesOf(bytes_.size());
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    cyclesOf[i] = cyclesOfBytes(bytes_[i], bandwidth(static_cast<Way>(i % 4)), model_.clockHz);
  std::uint64_t last = 0;
  for (const auto &[from, to] : messages_) {
    std::uint64_t slowest = 0, hops = 0;
    forEachHop(from, to, [&](unsigned at, Way way) {
      slowest = std::max(slowest, cyclesOf[4 * at + way]);
      ++hops;
    });
    last = std::max(last, slowest + hops * model_.hopCycles);
  }
  return last;
}

std::uint64_t Traffic::busiestBytes() const {
  std::uint64_t most = 0;
  for (std::size_t ipu = 0; ipu < bytes_.size(); ipu += 4)
    most = std::max(
        {most, bytes_[ipu + Rung] + bytes_[ipu + Crossing], bytes_[ipu + Up], bytes_[ipu + Down]});
  return most;
}

} // namespace gcl
