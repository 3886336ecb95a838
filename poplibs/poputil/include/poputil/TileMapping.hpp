#pragma once

#include <cstddef>
#include <memory>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <vector>

namespace poputil {

///@{

/// Returns the elements of a flattened tensor of \p shape that each tile would get if they were
/// distributed evenly and in order, from tile \p offset upwards. Nothing is mapped.
///
/// The n grains of \p grainSize elements are distributed over P tiles: tile v gets grains [floor(v
/// n / P), floor((v + 1) n / P)). P is the largest number for which every tile has \p
/// minElementsPerTile elements. Only the last grain may be smaller. For a tensor, grains are as
/// wide as the target's vectors, and a tile has at least 128 bytes.
/// - \p offset: default 0
/// - \p ascendingOrder: default true; false: tiles are counted downwards from the last one
///
/// The result has an entry for every tile.
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Graph &graph, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize, unsigned offset = 0,
                      bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Target &target, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize, unsigned offset = 0,
                      bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Graph &graph,
                                                                 const poplar::Tensor &t,
                                                                 unsigned offset = 0,
                                                                 bool ascendingOrder = true);
///@}

///@{

/// Maps \p t, which may be any view of variables, as calcLinearTileMapping() says.
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                       unsigned grainSize);
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t);
///@}

///@{

/// Maps \p t as calcLinearTileMapping() says, from tile \p offset upwards, continuing from tile 0
/// after the last tile.
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                 unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                                 bool ascendingOrder = true);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset,
                                 bool ascendingOrder = true);
///@}

/// Returns a tile to start a mapping at, less than \p numTiles: small tensors of different shapes
/// begin at different tiles. Equal arguments give equal results.
/// \throws poplibs_error if there are no tiles
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape,
                                std::size_t seed = 0);

///@{

/// Returns how many elements the fullest tile has beyond an even share, which is never less than \p
/// minElementsPerTile, default 0, or \p grainSize, default 1.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping &mapping,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);
///@}

/// Adds a clone whose elements lie on the tiles of IPU \p dstIPU that have the numbers, within
/// their IPU, of the tiles of the elements of \p t.
/// \throws poplibs_error if there is no such IPU
poplar::Tensor cloneToIpu(
    poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIPU,
    const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// Adds a clone in another graph, on the tiles with the same numbers. Its elements are always in
/// the order of its shape: \p method is accepted, without effect.
/// \throws poplibs_error if \p dstGraph has fewer tiles or another replication factor
poplar::Tensor cloneToGraph(
    poplar::Graph &srcGraph, poplar::Graph &dstGraph, const poplar::Tensor &t,
    const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// Adds a clone as cloneToIpu(), and a copy of the values at the end of \p prog.
/// \throws poplibs_error if there is no such IPU
poplar::Tensor copyToIpu(
    poplar::Graph &masterGraph, const poplar::Tensor &t, poplar::program::Sequence &prog,
    unsigned dstIPU, const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// Adds a clone as cloneToIpu(), and sets what to copy to fill it: \p copySrc to \p copyDst,
/// without aliases.
/// \throws poplibs_error if there is no such IPU
poplar::Tensor createIpuCopy(
    poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIpu, poplar::Tensor &copySrc,
    poplar::Tensor &copyDst, const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

/// Returns true if two elements that differ in dimension \p dimension only are on different tiles.
/// \throws poplibs_error if there is no such dimension
bool dimIsSplitOverTiles(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension);
/// Returns true if two elements that differ in dimension \p dimension only are on different IPUs.
/// \throws poplibs_error if there is no such dimension
bool dimIsSplitOverIPUs(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension);

/// Adds a tensor of shape [fullTensor.dim(dim)], each element on a tile that has elements of \p
/// fullTensor with the same index in \p dim.
/// \param ditherMapping  default false; true: start at a tile that depends on the shape
/// \throws poplibs_error if there is no such dimension
poplar::Tensor createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &fullTensor,
                                      const poplar::Type &type, unsigned dim,
                                      bool ditherMapping = false,
                                      const poplar::DebugContext &debugContext = {});

/// The state of a TensorUseTracker.
class TensorUseTrackerState;

/// Maps tensors by their use: records which tiles use which elements, then maps each element to one
/// of these tiles.
class TensorUseTracker {
public:
  /// The ways to distribute elements that several tiles use. All are accepted and have the same
  /// effect: elements that the same tiles use are divided evenly among these, in order.
  enum class MappingMethod { OptimizeHaloRegions, ConstrainMappingToUsedTiles, None };

  /// Makes a tracker for a graph of so many tiles.
  TensorUseTracker(unsigned numTiles);

  ///@{

  /// Copies or moves the records.
  TensorUseTracker(const TensorUseTracker &other);
  TensorUseTracker(TensorUseTracker &&other);
  TensorUseTracker &operator=(const TensorUseTracker &other);
  TensorUseTracker &operator=(TensorUseTracker &&other);
  ///@}

  /// Removes all records.
  ~TensorUseTracker();

  /// Records that \p tile uses all elements of \p t.
  void add(const poplar::Graph &graph, unsigned tile, const poplar::Tensor &t);
  /// Adds the records of another tracker.
  void add(TensorUseTracker other);
  /// Reduces the users of each element to one tile, as mapTensorsByUse() would choose; the
  /// arguments are the same, and only the first two have an effect.
  void resolve(const poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
               bool extendPartialUsage = false, MappingMethod mappingMethod = MappingMethod::None);
  /// Maps the variables of all elements that were added.
  /// \param grainSize           elements that stay together
  /// \param minElementsPerTile  a part of elements that the same tiles use has at least so many
  /// \param extendPartialUsage  default false; true: elements of these variables that have no user
  ///   are mapped, too: to the tile of the element before them
  /// \param mappingMethod       accepted, without effect
  void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                       bool extendPartialUsage = false,
                       MappingMethod mappingMethod = MappingMethod::None);
  /// Returns true if nothing was added.
  bool empty() const;

private:
  std::unique_ptr<TensorUseTrackerState> state_;
};

} // namespace poputil
