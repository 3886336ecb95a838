#include "control/access_checker.hpp"

#include "control/step_regions.hpp"
#include "exchange/regions.hpp"

#include "ipud/step_names.hpp"
#include "wire/step_bodies.hpp"

#include <algorithm>
#include <cstring>

namespace copse::ipud {
namespace {

/// Calls \p use(address) for each block of \p region.
template <class Use> void eachBlock(const wire::Region &region, Use use) {
  std::int64_t address = region.address;
  for (std::uint32_t i = 0; i < region.count; ++i, address += region.stride)
    use(static_cast<std::uint32_t>(address));
}

/// Returns the range of the stacks of tile code, which is between the code and the end of the last
/// stack.
std::pair<std::uint32_t, std::uint32_t> stacksOf(const wire::Image &image) {
  std::uint32_t begin = image.geometry.memoryBase;
  for (const wire::CodeSection &section : image.code)
    if (!section.isForNativeCode)
      begin = std::max(begin, section.address + section.bytes);
  return {begin, std::max(begin, image.stacks.empty() ? 0 : image.stacks.back())};
}

} // namespace

AccessChecker::AccessChecker(const std::filesystem::path &directory, const Loaded &loaded)
    : image_(loaded.image), findings_(directory, loaded) {
  const auto [begin, end] = stacksOf(image_);
  std::uint32_t first = 0;
  for (const wire::ComputeSet &set : image_.computeSets) {
    sets_.push_back({image_.checks, first, defined_, image_.registers, begin, end, findings_});
    first += static_cast<std::uint32_t>(set.vertices.size());
  }
}

wire::Status AccessChecker::map(std::vector<bool> usedTiles) {
  if (auto status = defined_.map(image_.geometry, std::move(usedTiles)); !status.ok())
    return status;
  defineInitialData();
  return wire::Status::success();
}

void AccessChecker::defineInitialData() {
  for (const wire::InitialData &data : image_.initial)
    define(data.to);
  for (const wire::TileAddress &word : image_.replicaIndices)
    define(word.tile, word.address, wire::kWordBytes);
  constexpr std::uint32_t kBehaviourWords = 5, kSeedWords = 4;
  const wire::TileRegisters &registers = image_.registers;
  for (std::uint32_t tile = 0; tile < image_.geometry.tiles; ++tile) {
    if (!defined_.populated(tile, image_.geometry.memoryBase, 1))
      continue;
    if (!registers.floatingPoint.empty())
      define(tile, registers.floatingPoint[tile], kBehaviourWords * wire::kWordBytes);
    if (!registers.seeds.empty())
      define(tile, registers.seeds[tile], kSeedWords * image_.geometry.workers * wire::kWordBytes);
  }
  const auto [begin, end] = stacksOf(image_);
  for (const wire::CodeSection &section : image_.code)
    for (const std::uint32_t tile : section.tiles) {
      define(tile, section.address, section.bytes);
      define(tile, begin, end - begin);
    }
}

void AccessChecker::fill(const wire::Region &region, int value) const {
  eachBlock(region, [&](std::uint32_t address) {
    std::memset(defined_.at(region.tile, address), value, region.bytes);
  });
}

std::optional<std::uint32_t> AccessChecker::undefinedIn(const wire::Region &region) const {
  std::optional<std::uint32_t> first;
  eachBlock(region, [&](std::uint32_t address) {
    const std::byte *const begin = defined_.at(region.tile, address);
    const void *const found = first ? nullptr : std::memchr(begin, 0, region.bytes);
    if (found != nullptr)
      first = address + static_cast<std::uint32_t>(static_cast<const std::byte *>(found) - begin);
  });
  return first;
}

bool AccessChecker::isUndefined(const wire::Region &region) const {
  bool all = region.bytes != 0 && region.count != 0;
  eachBlock(region, [&](std::uint32_t address) {
    all = all && std::memchr(defined_.at(region.tile, address), 1, region.bytes) == nullptr;
  });
  return all;
}

/// Reports undefined bytes in \p region as used by \p reader; each byte is reported once.
void AccessChecker::use(const wire::Region &region, const std::string &reader) {
  const auto address = undefinedIn(region);
  if (!address)
    return;
  findings_.addUndefined({region.tile, *address}, region.size(), reader);
  define(region);
}

void AccessChecker::useWhole(const wire::Region &region, std::uint32_t at) {
  if (isUndefined(region))
    use(region, describeStep(image_, at));
}

void AccessChecker::beginStep(std::uint32_t at) {
  undefine(at);
  const wire::Step &step = image_.steps[at];
  switch (step.op) {
  case wire::Op::Exchange:
    return beginExchange(at);
  case wire::Op::HostExchange:
    return beginHostExchange(at);
  case wire::Op::RemoteCopy:
    return beginRemoteCopy(at);
  // readPredicate() checks it.
  case wire::Op::While:
    return;
  case wire::Op::ReadClock:
    readPredicate(at);
    if (step.index == image_.ipu)
      define(step.predicate.tile, step.predicate.address, sizeof(std::uint64_t));
    return;
  default:
    return readPredicate(at);
  }
}

void AccessChecker::readPredicate(std::uint32_t at) {
  for (const wire::Region &region : regionsReadBy(image_, image_.steps[at]))
    use(region, describeStep(image_, at));
}

void AccessChecker::beginExchange(std::uint32_t at) {
  const wire::Step &step = image_.steps[at];
  // Exchanges for edges copy whole fields, and a vertex may leave parts of a field undefined.
  const bool isOfProgram = step.index >= image_.checks.edgeExchanges;
  const auto together = wire::exchangesOf(image_, step);
  for (const wire::Exchange &exchange : together) {
    if (!isOfProgram)
      break;
    for (const wire::Message &message : exchange.sends)
      for (const wire::Region &region : message.regions)
        useWhole(region, at);
    for (const wire::Move &move : exchange.moves)
      useWhole({move.from.tile, move.from.address, move.bytes, move.count, move.fromStride}, at);
  }
  for (const wire::Exchange &exchange : together)
    runMoves(defined_, exchange.moves, exchange.overlapping, staging_);
  for (const wire::Exchange &exchange : together)
    for (const wire::Message &message : exchange.receives)
      for (const wire::Region &region : message.regions)
        define(region);
}

void AccessChecker::beginHostExchange(std::uint32_t at) {
  for (const wire::StreamTransfer &transfer :
       image_.hostExchanges[image_.steps[at].index].transfers)
    for (const wire::Region &region : transfer.view.regions)
      if (transfer.direction == wire::Direction::ToDevice)
        define(region);
      else
        use(region, describeStep(image_, at));
}

void AccessChecker::beginRemoteCopy(std::uint32_t at) {
  const wire::RemoteCopy &copy = image_.remoteCopies[image_.steps[at].index];
  readPredicate(at);
  if (copy.direction == wire::Direction::ToDevice)
    for (const wire::Region &region : copy.view.regions)
      define(region);
}

void AccessChecker::undefine(std::uint32_t at) const {
  const auto [first, last] =
      std::ranges::equal_range(image_.checks.undefined, at, {}, &wire::UndefinedRange::step);
  for (auto range = first; range != last; ++range)
    fill({range->tile, range->address, range->bytes, range->count, range->stride}, 0);
}

void AccessChecker::beginComputeSet(std::uint32_t index, Vertices &vertices) {
  findings_.setComputeSet(image_.computeSets[index]);
  vertices.checks = &sets_[index];
}

void AccessChecker::endComputeSet(std::uint32_t index) {
  const wire::ComputeSet &set = image_.computeSets[index];
  if (set.hasResult)
    define(set.result.tile, set.result.address, 1);
}

void AccessChecker::hostReads(const wire::HostView &view) {
  for (const wire::Region &region : view.regions)
    use(region, "a read of the host");
  flush();
}

void AccessChecker::hostWrites(const wire::HostView &view) {
  for (const wire::Region &region : view.regions)
    define(region);
}

} // namespace copse::ipud
