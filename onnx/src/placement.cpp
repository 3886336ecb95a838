#include "placement.hpp"

#include <algorithm>

namespace copse::onnx {
namespace {

/// The usable fraction of a tile's memory. The rest is for vertices, code and exchange (a rule of
/// thumb).
constexpr double kUsable = 0.7;
constexpr unsigned kMostIpus = 64;

/// Accumulates the needs of contiguous nodes.
class Part {
public:
  void add(const NodeCost &cost) {
    weights_ += cost.weightBytes;
    working_ = std::max(working_, cost.workingBytes);
    cycles_ += cost.cycles;
  }
  std::uint64_t memory() const { return weights_ + working_; }
  double cycles() const { return cycles_; }

private:
  std::uint64_t weights_ = 0, working_ = 0;
  double cycles_ = 0;
};

Part whole(const std::vector<NodeCost> &costs) {
  Part part;
  for (const NodeCost &cost : costs)
    part.add(cost);
  return part;
}

/// Fills one IPU after another, each until its share would exceed \p bound.
/// \returns nothing if there are more parts than IPUs
template <class Share>
std::optional<Placement> filled(const std::vector<NodeCost> &costs, unsigned ipus, double bound,
                                const Share &share) {
  Placement placement;
  unsigned ipu = 0;
  Part part;
  for (const NodeCost &cost : costs) {
    Part more = part;
    more.add(cost);
    if (share(more) > bound && !placement.empty() && placement.back() == ipu) {
      ++ipu;
      more = Part();
      more.add(cost);
    }
    if (ipu == ipus || share(more) > bound)
      return std::nullopt;
    part = more;
    placement.push_back(ipu);
  }
  return placement;
}

/// Returns the cut whose largest share is smallest, to a thousandth of the whole.
template <class Share>
Placement evenCut(const std::vector<NodeCost> &costs, unsigned ipus, const Share &share) {
  Placement best(costs.size(), 0);
  double low = 0, high = 1;
  while (high - low > 1e-3) {
    const double bound = (low + high) / 2;
    if (auto placement = filled(costs, ipus, bound, share)) {
      best = std::move(*placement);
      high = bound;
    } else {
      low = bound;
    }
  }
  return best;
}

} // namespace

Placement placeNodes(const std::vector<NodeCost> &costs, unsigned ipus, std::uint64_t memory) {
  const Part all = whole(costs);
  const double bytes = static_cast<double>(std::max<std::uint64_t>(1, all.memory())),
               cycles = std::max(1.0, all.cycles());
  const auto ofMemory = [&](const Part &p) { return static_cast<double>(p.memory()) / bytes; };
  const auto ofBoth = [&](const Part &p) { return std::max(ofMemory(p), p.cycles() / cycles); };
  Placement both = evenCut(costs, ipus, ofBoth);
  if (static_cast<double>(fullest(costs, both)) <= kUsable * static_cast<double>(memory))
    return both;
  return evenCut(costs, ipus, ofMemory);
}

std::uint64_t fullest(const std::vector<NodeCost> &costs, const Placement &placement) {
  std::vector<Part> parts(placement.empty() ? 1 : placement.back() + 1);
  for (std::size_t i = 0; i < costs.size(); ++i)
    parts[placement[i]].add(costs[i]);
  std::uint64_t most = 0;
  for (const Part &part : parts)
    most = std::max(most, part.memory());
  return most;
}

std::optional<unsigned> ipusNeeded(const std::vector<NodeCost> &costs, std::uint64_t memory,
                                   unsigned least) {
  for (unsigned ipus = least; ipus <= kMostIpus; ++ipus)
    if (static_cast<double>(fullest(costs, placeNodes(costs, ipus, memory))) <=
        kUsable * static_cast<double>(memory))
      return ipus;
  return std::nullopt;
}

} // namespace copse::onnx
