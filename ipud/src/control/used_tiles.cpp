#include "control/used_tiles.hpp"

namespace copse::ipud {
namespace {

class Uses {
public:
  explicit Uses(std::uint32_t tiles) : used_(tiles, false) {}

  /// Ignores tiles that do not exist: unused parts of an image are not validated.
  void add(std::uint32_t tile) {
    if (tile < used_.size())
      used_[tile] = true;
  }
  void add(const std::vector<wire::Region> &regions) {
    for (const wire::Region &region : regions)
      add(region.tile);
  }
  void add(const wire::ComputeSet &set) {
    for (const wire::TileVertices &tile : set.tiles)
      add(tile.tile);
    if (set.hasResult)
      add(set.result.tile);
  }
  void add(const wire::Exchange &exchange) {
    for (const wire::Move &move : exchange.moves) {
      add(move.from.tile);
      add(move.to.tile);
    }
    for (const auto *messages : {&exchange.sends, &exchange.receives})
      for (const wire::Message &message : *messages)
        add(message.regions);
  }

  std::vector<bool> take() { return std::move(used_); }

private:
  std::vector<bool> used_;
};

} // namespace

std::vector<bool> usedTiles(const wire::Image &image) {
  Uses uses(image.geometry.tiles);
  // Predicates are on tile 0, even if the program has no step that reads one.
  uses.add(0);
  for (const wire::ComputeSet &set : image.computeSets)
    uses.add(set);
  for (const wire::Exchange &exchange : image.exchanges)
    uses.add(exchange);
  for (const wire::HostExchange &exchange : image.hostExchanges)
    for (const wire::StreamTransfer &transfer : exchange.transfers)
      uses.add(transfer.view.regions);
  for (const wire::RemoteCopy &copy : image.remoteCopies) {
    uses.add(copy.view.regions);
    uses.add(copy.offsets.tile);
  }
  for (const wire::Print &print : image.prints)
    uses.add(print.view.regions);
  for (const wire::HostView &view : image.hostViews)
    uses.add(view.regions);
  for (const wire::Step &step : image.steps)
    uses.add(step.predicate.tile);
  for (const wire::InitialData &data : image.initial)
    uses.add(data.to.tile);
  for (const wire::TileAddress &word : image.replicaIndices)
    uses.add(word.tile);
  for (const wire::CodeSection &section : image.code)
    for (const std::uint32_t tile : section.tiles)
      uses.add(tile);
  return uses.take();
}

} // namespace copse::ipud
