#include "compiler/exchange_builder.hpp"

#include "move_runs.hpp"
#include "region_set.hpp"

#include "compiler/placement.hpp"

#include <algorithm>
#include <cassert>

namespace copse::compiler {

using wire::Exchange;
using wire::Message;
using wire::Move;
using wire::Region;

namespace {

/// Iterates over a list of regions block by block, with a position within the current block.
class Cursor {
public:
  explicit Cursor(std::span<const Region> regions) : regions_(regions) { skipEmpty(); }
  bool done() const { return region_ == regions_.size(); }
  std::uint32_t tile() const { return current().tile; }
  std::uint32_t address() const {
    const auto block = static_cast<std::int64_t>(block_) * current().stride;
    return static_cast<std::uint32_t>(current().address + block + inBlock_);
  }
  std::uint32_t leftInBlock() const { return current().bytes - inBlock_; }
  bool atBlockStart() const { return inBlock_ == 0; }
  std::uint32_t blocksLeft() const { return current().count - block_; }
  std::int32_t stride() const { return current().stride; }

  void advanceBytes(std::uint32_t bytes) {
    inBlock_ += bytes;
    if (inBlock_ == current().bytes)
      advanceBlocks(1);
  }
  void advanceBlocks(std::uint32_t blocks) {
    inBlock_ = 0;
    block_ += blocks;
    if (block_ == current().count) {
      block_ = 0;
      ++region_;
      skipEmpty();
    }
  }

private:
  const Region &current() const { return regions_[region_]; }
  void skipEmpty() {
    while (region_ < regions_.size() && regions_[region_].size() == 0)
      ++region_;
  }
  std::span<const Region> regions_;
  std::size_t region_ = 0;
  std::uint32_t block_ = 0, inBlock_ = 0;
};

/// Returns the longest move that both cursors can make at once, and advances both.
Move nextMove(Cursor &from, Cursor &to) {
  Move move{{from.tile(), from.address()}, {to.tile(), to.address()}, 0, 1, 0, 0};
  const std::uint32_t fromLeft = from.leftInBlock(), toLeft = to.leftInBlock();
  move.bytes = std::min(fromLeft, toLeft);
  // Blocks of equal size on both sides are combined; a long block on one side matches many small
  // ones on the other.
  const std::uint32_t fromBlocks =
      fromLeft == move.bytes && from.atBlockStart() ? from.blocksLeft() : fromLeft / move.bytes;
  const std::uint32_t toBlocks =
      toLeft == move.bytes && to.atBlockStart() ? to.blocksLeft() : toLeft / move.bytes;
  const std::uint32_t blocks = std::max(1u, std::min(fromBlocks, toBlocks));
  const auto step = [&](Cursor &cursor, std::uint32_t left, std::int32_t &stride) {
    const bool whole = left == move.bytes && cursor.atBlockStart();
    stride = whole ? cursor.stride() : static_cast<std::int32_t>(move.bytes);
    if (whole)
      cursor.advanceBlocks(blocks);
    else
      cursor.advanceBytes(move.bytes * blocks);
  };
  std::int32_t fromStride = 0, toStride = 0;
  step(from, fromLeft, fromStride);
  step(to, toLeft, toStride);
  if (blocks > 1) {
    move.count = blocks;
    move.fromStride = fromStride;
    move.toStride = toStride;
  }
  return move;
}

Region fromRegion(const Move &move) {
  return {move.from.tile, move.from.address, move.bytes, move.count, move.fromStride};
}
Region toRegion(const Move &move) {
  return {move.to.tile, move.to.address, move.bytes, move.count, move.toStride};
}

/// Returns true if a move may write what another one reads. An exchange of overlapping moves is
/// staged, which is slower and always correct.
bool movesOverlap(const std::vector<Move> &moves) {
  RegionSet written;
  for (const Move &move : moves)
    written.add(toRegion(move));
  return std::ranges::any_of(
      moves, [&](const Move &move) { return written.mayContain(fromRegion(move)); });
}

} // namespace

ExchangeBuilder::ExchangeBuilder(std::uint32_t ipus, std::uint32_t tilesPerIpu,
                                 std::vector<std::uint32_t> replicaMap)
    : ipus_(ipus), tilesPerIpu_(tilesPerIpu), replicaMap_(std::move(replicaMap)), moves_(ipus),
      sends_(std::size_t{ipus} * ipus), receives_(std::size_t{ipus} * ipus) {}

void ExchangeBuilder::add(std::span<const Region> from, std::span<const Region> to) {
  Cursor source(from), sink(to);
  while (!source.done() && !sink.done())
    addBlocks(nextMove(source, sink));
  assert(source.done() && sink.done());
}

void ExchangeBuilder::addBlocks(Move move) {
  const std::uint32_t fromIpu = move.from.tile / tilesPerIpu_, toIpu = move.to.tile / tilesPerIpu_;
  move.from.tile %= tilesPerIpu_;
  move.to.tile %= tilesPerIpu_;
  if (fromIpu == toIpu && replicaMap_.empty()) {
    const bool itself = move.from == move.to && move.fromStride == move.toStride;
    if (!itself) {
      moves_[fromIpu].push_back(move);
      empty_ = false;
    }
    return;
  }
  empty_ = false;
  external_ = true;
  const std::size_t pair = std::size_t{fromIpu} * ipus_ + toIpu;
  appendMerged(sends_[pair].regions, fromRegion(move));
  appendMerged(receives_[pair].regions, toRegion(move));
  sends_[pair].bytes += std::uint64_t{move.bytes} * move.count;
}

std::vector<Exchange> ExchangeBuilder::finish(const std::string &name) && {
  std::vector<wire::Flow> flows;
  for (std::uint32_t from = 0; from < ipus_; ++from)
    for (std::uint32_t to = 0; to < ipus_; ++to)
      if (const std::uint64_t bytes = sends_[std::size_t{from} * ipus_ + to].bytes)
        flows.push_back({from, to, bytes});

  std::vector<Exchange> exchanges(ipus_);
  for (std::uint32_t ipu = 0; ipu < ipus_; ++ipu) {
    Exchange &exchange = exchanges[ipu];
    exchange.name = name;
    exchange.overlapping = movesOverlap(moves_[ipu]);
    exchange.moves = joinRuns(std::move(moves_[ipu]));
    exchange.flows = flows;
    exchange.replicaMap = replicaMap_;
  }
  for (const wire::Flow &flow : flows) {
    const std::size_t pair = std::size_t{flow.from} * ipus_ + flow.to;
    exchanges[flow.from].sends.push_back({flow.to, std::move(sends_[pair].regions), flow.bytes});
    exchanges[flow.to].receives.push_back(
        {flow.from, std::move(receives_[pair].regions), flow.bytes});
  }
  return exchanges;
}

} // namespace copse::compiler
