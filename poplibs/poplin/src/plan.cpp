#include "plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <ostream>
#include <tuple>

namespace poplin::plan {
namespace {

using std::uint64_t;

uint64_t ceilOf(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Cost of an on-chip exchange: its sync and latency.  Source: planner constants in public sources.
constexpr uint64_t kExchangeCycles = 100 + 90;
// Cost of a vertex on all workers: it is started by the supervisor, reads its fields, and sets up
// its loops.
constexpr uint64_t kVertexCycles = 100;
// Cost of one pass of the multiply-accumulate units, besides loading weights: the supervisor starts
// the workers and waits for them.
constexpr uint64_t kPassCycles = 16;
// Cost of a worker in a pass: it determines its part of the rows, and sets up its loop.
constexpr uint64_t kPassInstructions = 16;
// Rows of a worker's pass in which the units' pipeline fills and drains.
constexpr uint64_t kPipelineRows = 2;

/// The dimensions of a partition in one list, so that the search treats them alike.
struct Axes {
  std::vector<uint64_t> size; ///< [parts at most]: elements, or grains of channels
  unsigned dims;              ///< dimensions of the field

  Axes(const ConvParams &p, const poplar::Target &target, const Demands &demands)
      : dims(static_cast<unsigned>(p.getNumFieldDims())) {
    const uint64_t in = inChannelGrain(target, p.inputType);
    const uint64_t out = outChannelGrain(target, p.inputType, demands.partialType);
    size = {p.numConvGroups, p.batchSize, ceilOf(p.inputChannelsPerConvGroup, in),
            ceilOf(p.outputChannelsPerConvGroup, out), ceilOf(p.outputChannelsPerConvGroup, out)};
    for (unsigned d = 0; d != dims; ++d)
      size.push_back(p.getOutputSize(d));
    for (unsigned d = 0; d != dims; ++d)
      size.push_back(p.kernelShape[d]);
    for (uint64_t &n : size)
      n = std::max<uint64_t>(n, 1);
  }

  std::vector<unsigned *> of(Partition &p) const {
    std::vector<unsigned *> parts{&p.groups, &p.batch, &p.inChannels, &p.outChannels, &p.serial};
    for (unsigned &n : p.field)
      parts.push_back(&n);
    for (unsigned &n : p.kernel)
      parts.push_back(&n);
    return parts;
  }
  Partition whole() const {
    Partition p;
    p.field.assign(dims, 1);
    p.kernel.assign(dims, 1);
    return p;
  }
};

/// Returns the next number of parts in a direction that changes the largest part; 0 if there is no
/// such number.
unsigned nextParts(uint64_t size, unsigned parts, bool up) {
  const uint64_t largest = ceilOf(size, parts);
  if (up)
    return largest <= 1 ? 0 : static_cast<unsigned>(ceilOf(size, largest - 1));
  if (parts <= 1)
    return 0;
  const uint64_t fewer = ceilOf(size, largest) - 1; // below all that have the same largest part
  return fewer == 0 ? 0 : static_cast<unsigned>(ceilOf(size, ceilOf(size, fewer)));
}

/// Elements of the input that a part of the output and of the kernel meets, in one dimension.
uint64_t inputSpan(const ConvParams &p, unsigned d, uint64_t out, uint64_t kernel) {
  if (out == 0 || kernel == 0)
    return 0;
  const uint64_t positions =
      (out - 1) * p.outputTransform.stride[d] + (kernel - 1) * p.kernelTransform.dilation[d] + 1;
  return std::min<uint64_t>(ceilOf(positions, p.inputTransform.dilation[d]), p.inputFieldShape[d]);
}

uint64_t exchangeCycles(const poplar::Target &target, uint64_t bytes) {
  return bytes == 0 ? 0 : kExchangeCycles + ceilOf(bytes, target.getExchangeBytesPerCycle());
}

/// Returns how many of \p bytes that \p tiles tiles share are not on one of them.
uint64_t notHere(uint64_t bytes, uint64_t tiles) { return bytes - bytes / tiles; }

} // namespace

bool operator<(const Demands &a, const Demands &b) {
  return std::tie(a.partialType, a.availableMemoryProportion) <
         std::tie(b.partialType, b.availableMemoryProportion);
}

unsigned Partition::tiles() const {
  unsigned n = groups * batch * outChannels * partials();
  for (const unsigned parts : field)
    n *= parts;
  return n;
}
unsigned Partition::partials() const {
  unsigned n = inChannels;
  for (const unsigned parts : kernel)
    n *= parts;
  return n;
}

bool operator==(const Partition &a, const Partition &b) {
  return std::tie(a.groups, a.batch, a.inChannels, a.outChannels, a.field, a.kernel, a.serial) ==
         std::tie(b.groups, b.batch, b.inChannels, b.outChannels, b.field, b.kernel, b.serial);
}

bool operator<(const Cost &a, const Cost &b) {
  return std::make_tuple(a.excess, a.cycles()) < std::make_tuple(b.excess, b.cycles());
}

unsigned inChannelGrain(const poplar::Target &target, const poplar::Type &inputType) {
  return std::max(target.getWeightsPerConvUnit(inputType), 1U);
}
unsigned outChannelGrain(const poplar::Target &target, const poplar::Type &inputType,
                         const poplar::Type &partialType) {
  return std::max(target.getNumConvUnits(inputType, partialType), 1U);
}

std::uint64_t innerProductCycles(const poplar::Target &target, const poplar::Type &inputType,
                                 const poplar::Type &partialType, std::uint64_t rows,
                                 std::uint64_t depth, std::uint64_t width,
                                 std::uint64_t kernelElements) {
  const uint64_t in = inChannelGrain(target, inputType);
  const uint64_t out = outChannelGrain(target, inputType, partialType);
  const uint64_t workers = target.getNumWorkerContexts();
  // Each unit holds the weights of one output channel. A worker passes the units a row, which is
  // the grain of input channels of one pixel, in as many issues as it takes to load the row. The
  // units take one float in each issue, even if a load brings several.
  const uint64_t loaded = inputType == poplar::FLOAT
                              ? 1U
                              : std::max(target.getConvUnitInputLoadElemsPerCycle(inputType), 1U);
  const uint64_t perRow = ceilOf(in, loaded);
  const uint64_t weights = in * out * target.getTypeSize(inputType) /
                           std::max(target.getConvUnitCoeffLoadBytesPerCycle(), 1U);
  const uint64_t passes = kernelElements * ceilOf(depth, in) * ceilOf(width, out);
  const uint64_t ofWorker = (ceilOf(rows, workers) + kPipelineRows) * perRow + kPassInstructions;
  return kVertexCycles + passes * (kPassCycles + weights + ofWorker * workers);
}

std::uint64_t reduceCycles(const poplar::Target &target, const poplar::Type &partialType,
                           std::uint64_t elements, std::uint64_t partials) {
  const uint64_t width = target.getVectorWidth(partialType);
  const uint64_t workers = target.getNumWorkerContexts();
  // Each worker loads and adds a vector of each partial, then stores the sum.
  return kVertexCycles + ceilOf(ceilOf(elements, width), workers) * workers * (partials + 2);
}

Cost costOf(const ConvParams &p, const poplar::Target &target, const Demands &demands,
            const Partition &partition) {
  const auto largest = [](uint64_t size, uint64_t parts) { return ceilOf(size, parts); };
  const uint64_t inGrain = inChannelGrain(target, p.inputType);
  const uint64_t outGrain = outChannelGrain(target, p.inputType, demands.partialType);
  const uint64_t groups = largest(p.numConvGroups, partition.groups);
  const uint64_t batch = largest(p.batchSize, partition.batch);
  const uint64_t depth = std::min<uint64_t>(
      largest(ceilOf(p.inputChannelsPerConvGroup, inGrain), partition.inChannels) * inGrain,
      p.inputChannelsPerConvGroup);
  const uint64_t serialGrains =
      largest(ceilOf(p.outputChannelsPerConvGroup, outGrain), partition.serial);
  const uint64_t width = std::min<uint64_t>(largest(serialGrains, partition.outChannels) * outGrain,
                                            p.outputChannelsPerConvGroup);
  uint64_t pixels = batch, inPixels = batch, kernel = 1, fieldTiles = partition.batch;
  for (unsigned d = 0; d != p.getNumFieldDims(); ++d) {
    const uint64_t out = largest(p.getOutputSize(d), partition.field[d]);
    const uint64_t taps = largest(p.kernelShape[d], partition.kernel[d]);
    pixels *= out;
    inPixels *= inputSpan(p, d, out, taps);
    kernel *= taps;
    fieldTiles *= partition.field[d];
  }
  const uint64_t inSize = target.getTypeSize(p.inputType);
  const uint64_t partialSize = target.getTypeSize(demands.partialType);
  const uint64_t outSize = target.getTypeSize(p.outputType);
  const uint64_t inBytes = groups * inPixels * depth * inSize;
  const uint64_t weightBytes = groups * kernel * depth * width * inSize;
  const uint64_t outElements = groups * pixels * width;
  const uint64_t partials = partition.partials();

  Cost cost;
  const uint64_t missingIn = notHere(inBytes, partition.outChannels);
  const uint64_t missingWeights = notHere(weightBytes, fieldTiles);
  // The input is kept for all steps.
  cost.exchange = partition.serial == 1
                      ? exchangeCycles(target, missingIn + missingWeights)
                      : exchangeCycles(target, missingIn) +
                            partition.serial * exchangeCycles(target, missingWeights);
  cost.compute =
      kVertexCycles + groups * innerProductCycles(target, p.inputType, demands.partialType, pixels,
                                                  depth, width, kernel);
  const bool reduces = partials > 1 || demands.partialType != p.outputType;
  const uint64_t mine = ceilOf(outElements, partials);
  const uint64_t received = notHere(mine * partials, partials) * partialSize;
  if (reduces)
    cost.reduce = exchangeCycles(target, received) +
                  reduceCycles(target, demands.partialType, mine, partials);
  cost.compute *= partition.serial;
  cost.reduce *= partition.serial;

  const uint64_t partialBytes = outElements * partialSize;
  const uint64_t whileMultiplying = inBytes + weightBytes + partialBytes;
  const uint64_t keptBytes = partition.serial == 1 ? 0 : inBytes;
  const uint64_t whileReducing = reduces ? keptBytes + partialBytes + received + mine * outSize : 0;
  cost.bytes = std::max(whileMultiplying, whileReducing);
  const auto allowed = static_cast<uint64_t>(demands.availableMemoryProportion *
                                             static_cast<double>(target.getBytesPerTile()));
  cost.excess = cost.bytes > allowed ? cost.bytes - allowed : 0;
  return cost;
}

std::vector<Partition> neighbours(const ConvParams &params, const poplar::Target &target,
                                  const Demands &demands, const Partition &partition) {
  const Axes axes(params, target, demands);
  std::vector<Partition> found;
  for (std::size_t axis = 0; axis != axes.size.size(); ++axis)
    for (const bool up : {false, true}) {
      Partition other = partition;
      unsigned &parts = *axes.of(other)[axis];
      parts = nextParts(axes.size[axis], parts, up);
      if (parts != 0 && other.tiles() <= target.getNumTiles())
        found.push_back(std::move(other));
    }
  return found;
}

namespace {

/// Partitions from which the search may go on: steps of one axis by a factor, and of two at once.
class Search {
public:
  Search(const ConvParams &params, const poplar::Target &target, const Demands &demands)
      : params_(params), target_(target), demands_(demands), axes_(params, target, demands) {}

  Plan from(Partition start) {
    best_ = {start, costOf(params_, target_, demands_, start)};
    for (bool better = true; better;) {
      better = false;
      const Partition here = best_.partition;
      for (std::size_t a = 0; a != axes_.size.size(); ++a)
        better |= along(here, a);
    }
    return best_;
  }
  Partition whole() const { return axes_.whole(); }
  /// Returns the partition with one axis cut as often as tiles allow.
  Partition cut(std::size_t axis) const {
    Partition p = axes_.whole();
    unsigned &parts = *axes_.of(p)[axis];
    const uint64_t most = std::min<uint64_t>(axes_.size[axis], target_.getNumTiles());
    parts = static_cast<unsigned>(ceilOf(axes_.size[axis], ceilOf(axes_.size[axis], most)));
    return p;
  }
  std::size_t numAxes() const { return axes_.size.size(); }

private:
  /// Returns the numbers of parts that the search tries instead of \p parts.
  std::array<unsigned, 4> alternatives(std::size_t axis, unsigned parts) const {
    const uint64_t size = axes_.size[axis];
    const auto useful = [size](uint64_t n) {
      return n == 0 || n > size ? 0U : static_cast<unsigned>(ceilOf(size, ceilOf(size, n)));
    };
    return {nextParts(size, parts, false), nextParts(size, parts, true), useful(parts / 2),
            useful(std::min<uint64_t>(2ULL * parts, size))};
  }

  bool along(const Partition &here, std::size_t a) {
    bool better = false;
    Partition first = here;
    unsigned &partsA = *axes_.of(first)[a];
    for (const unsigned na : alternatives(a, partsA)) {
      if (na == 0)
        continue;
      first = here;
      *axes_.of(first)[a] = na;
      better |= tryIt(first);
      for (std::size_t b = 0; b != axes_.size.size(); ++b) {
        if (b == a)
          continue;
        Partition second = first;
        unsigned &partsB = *axes_.of(second)[b];
        const unsigned before = partsB;
        for (const unsigned nb : alternatives(b, before))
          if (nb != 0) {
            partsB = nb;
            better |= tryIt(second);
          }
      }
    }
    return better;
  }

  bool tryIt(const Partition &p) {
    if (p.tiles() > target_.getNumTiles())
      return false;
    const Cost cost = costOf(params_, target_, demands_, p);
    if (!(cost < best_.cost))
      return false;
    best_ = {p, cost};
    return true;
  }

  const ConvParams &params_;
  const poplar::Target &target_;
  const Demands &demands_;
  Axes axes_;
  Plan best_;
};

} // namespace

Plan makePlan(const ConvParams &params, const poplar::Target &target, const Demands &demands) {
  Search search(params, target, demands);
  Plan best = search.from(search.whole());
  for (std::size_t axis = 0; axis != search.numAxes(); ++axis) {
    const Plan other = search.from(search.cut(axis));
    if (other.cost < best.cost)
      best = other;
  }
  return best;
}

std::ostream &operator<<(std::ostream &out, const Plan &plan) {
  const auto list = [&out](const std::vector<unsigned> &parts) {
    out << '{';
    for (std::size_t i = 0; i != parts.size(); ++i)
      out << (i == 0 ? "" : ",") << parts[i];
    out << '}';
  };
  const Partition &p = plan.partition;
  out << "parts: groups " << p.groups << ", batch " << p.batch << ", field ";
  list(p.field);
  out << ", kernel ";
  list(p.kernel);
  out << ", input channels " << p.inChannels << ", output channels " << p.outChannels
      << ", one after the other " << p.serial << "\ntiles: " << p.tiles()
      << ", partial sums for each output: " << p.partials() << "\ncycles: exchange "
      << plan.cost.exchange << ", compute " << plan.cost.compute << ", reduce " << plan.cost.reduce
      << ", in all " << plan.cost.cycles() << "\nbytes on the fullest tile: " << plan.cost.bytes;
  if (plan.cost.excess != 0)
    out << ", " << plan.cost.excess << " more than availableMemoryProportion allows";
  return out << '\n';
}

} // namespace poplin::plan
