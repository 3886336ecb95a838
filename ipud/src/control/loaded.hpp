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

/// What the vertices of a compute set took when it ran last, and what it took itself: many programs
/// repeat themselves, and need not lay the vertices out over the workers again.
struct LastRun {
  std::vector<std::uint64_t> cycles; ///< shape [ComputeSet::vertices]; empty: it has not run
  wire::Cycles cost;
  std::uint64_t work = 0; ///< cycles of all vertices together
};

/// An image and all that follows from it and from the IPU's place, once and for all runs.
struct Loaded {
  wire::Image image;
  PlaceInPartition placement;
  std::vector<EntryPoint> functions;   ///< shape [Image::functions]
  std::unique_ptr<TileCodeState> code; ///< null: the image has no tile instructions
  /// Whether a compute set has vertices of tile instructions. Shape: [Image::computeSets].
  std::vector<bool> interpreted;
  /// Of compute sets for which only a run shows what some vertices take, as their code counts or is
  /// tile code: what is known before, else 0. Shape likewise, and [ComputeSet::vertices]; empty for
  /// others.
  std::vector<std::vector<std::uint64_t>> knownCycles;
  /// Of these sets. Shape likewise.
  std::unique_ptr<std::vector<LastRun>> lastRuns;
  // Modelled costs that every run of a step has. Shape: that of the image's arrays.
  std::vector<wire::Cycles> computeSetCosts;
  std::vector<wire::Cycles> exchangeCosts; ///< of each step; 0 for those that exchange nothing
  /// Of exchanges that go by tile, with the compute set after the first of their steps. Shape [Image::exchanges]; empty
  /// for others.
  std::vector<MovesByTile> movesByTile;
  /// Modelled cycles of all vertices of a compute set together: what there is to share between
  /// threads.
  std::vector<std::uint64_t> computeSetWork;
};

/// Fills the state of tiles with code of \p loaded, whose functions are known.
/// \param translates  IpuOptions::translatesTileCode
void prepareTileCode(Loaded &loaded, bool translates);

/// Fills Loaded::movesByTile.
void sortMoves(Loaded &loaded);

/// Fills the costs of \p loaded.
void computeCosts(Loaded &loaded, const clock::TimingModel &timing);

} // namespace copse::ipud
