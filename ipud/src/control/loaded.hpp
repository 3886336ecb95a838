#pragma once

#include "clock/timing_model.hpp"
#include "exchange/arrivals.hpp"
#include "tile/tile_memory.hpp"
#include "tile/vertices.hpp"

#include "ipud/ipu.hpp"
#include "wire/image.hpp"

#include <memory>
#include <vector>

namespace copse::ipud {

/// The cost of the last run of a compute set. If the next run takes equal cycles, it has an equal
/// cost, which need not be computed again.
struct LastRun {
  std::vector<std::uint64_t> cycles; ///< shape [ComputeSet::vertices]; empty: not run yet
  wire::Cycles cost;
};

/// An image, and everything that is computed from it and the IPU's place once for all runs.
struct Loaded {
  wire::Image image;
  PlaceInPartition placement;
  std::vector<EntryPoint> functions;   ///< shape [Image::functions]
  std::unique_ptr<TileCodeState> code; ///< null: the image has no tile instructions
  /// True for each compute set with vertices of tile instructions. Shape: [Image::computeSets].
  std::vector<bool> interpreted;
  /// The cycles known in advance, else 0, for compute sets with vertices whose cycles only a run
  /// can tell: their code counts, or is tile code. Shape
  /// [Image::computeSets][ComputeSet::vertices]; other sets are empty.
  std::vector<std::vector<std::uint64_t>> knownCycles;
  /// The last runs of these compute sets. Shape [Image::computeSets].
  std::unique_ptr<std::vector<LastRun>> lastRuns;
  // The modelled costs that do not change between runs. Shapes as in the image.
  std::vector<wire::Cycles> computeSetCosts;
  std::vector<wire::Cycles> exchangeCosts; ///< by step; 0 for a step that exchanges nothing
  /// For each exchange that goes by tile, its moves by the tiles of the following compute set.
  /// Shape [Image::exchanges]; other exchanges are empty.
  std::vector<MovesByTile> movesByTile;
  /// The modelled cycles of each compute set, summed over its vertices: the work that threads can
  /// share.
  std::vector<std::uint64_t> computeSetWork;
};

/// Creates the state of tiles with tile code. The functions of \p loaded must be known.
/// \param translates  IpuOptions::translatesTileCode
void prepareTileCode(Loaded &loaded, bool translates);

/// Fills Loaded::movesByTile.
void sortMoves(Loaded &loaded);

/// Fills the costs of \p loaded.
void computeCosts(Loaded &loaded, const clock::TimingModel &timing);

} // namespace copse::ipud
