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

/// Which elements of a flattened tensor of \p shape each tile of \p graph would get, if they were
/// dealt out evenly, in order, from tile \p offset up.
///
/// The n grains of \p grainSize elements are dealt to P tiles, tile v gets grains
/// [floor(v n / P), floor((v + 1) n / P)). P is the largest number for which every tile has
/// \p minElementsPerTile elements. Only the last grain may be smaller.
/// \param ascendingOrder  false: tiles are counted downwards from the last one
/// \returns an entry for every tile
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Graph &graph, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize, unsigned offset = 0,
                      bool ascendingOrder = true);
/// The same for a graph's \p target.
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Target &target, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize, unsigned offset = 0,
                      bool ascendingOrder = true);
/// Grains are as wide as the target's vectors, and a tile has at least 128 bytes.
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Graph &graph,
                                                                 const poplar::Tensor &t,
                                                                 unsigned offset = 0,
                                                                 bool ascendingOrder = true);

/// Maps \p t, which may be any view of variables, as calcLinearTileMapping() says.
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                       unsigned grainSize);
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t);
/// The same from tile \p offset up, past the last tile on from tile 0.
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                 unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                                 bool ascendingOrder = true);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset,
                                 bool ascendingOrder = true);

/// A tile to start a mapping at, less than \p numTiles: small tensors of different shapes begin at
/// different tiles. The same for the same arguments.
/// \throws poplibs_error if there are no tiles
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape,
                                std::size_t seed = 0);

/// How many elements the fullest tile has beyond an even share, which is never less than
/// \p minElementsPerTile or \p grainSize.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping &mapping,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);

/// A clone whose elements lie on the tiles of IPU \p dstIPU that have the numbers, within their
/// IPU, of the tiles of the elements of \p t.
poplar::Tensor cloneToIpu(
    poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIPU,
    const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// A clone in another graph, on the tiles with the same numbers.
/// \throws poplibs_error if \p dstGraph has fewer tiles or another replication factor
poplar::Tensor cloneToGraph(
    poplar::Graph &srcGraph, poplar::Graph &dstGraph, const poplar::Tensor &t,
    const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// cloneToIpu(), and a copy of the values at the end of \p prog.
poplar::Tensor copyToIpu(
    poplar::Graph &masterGraph, const poplar::Tensor &t, poplar::program::Sequence &prog,
    unsigned dstIPU, const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// cloneToIpu(), and what to copy to fill it: \p copySrc to \p copyDst, without aliases.
poplar::Tensor createIpuCopy(
    poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIpu, poplar::Tensor &copySrc,
    poplar::Tensor &copyDst, const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

/// Whether two elements that differ in dimension \p dimension only are on different tiles.
bool dimIsSplitOverTiles(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension);
/// Whether two elements that differ in dimension \p dimension only are on different IPUs.
bool dimIsSplitOverIPUs(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension);

/// A tensor of shape {fullTensor.dim(dim)}, each element on a tile that has elements of
/// \p fullTensor with the same index in \p dim.
/// \param ditherMapping  start at a tile that depends on the shape
poplar::Tensor createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &fullTensor,
                                      const poplar::Type &type, unsigned dim,
                                      bool ditherMapping = false,
                                      const poplar::DebugContext &debugContext = {});

class TensorUseTrackerState;

/// Notes which tiles use which elements, then maps each element to one of its users.
class TensorUseTracker {
public:
  /// What a tile gets besides the elements that only it uses.
  enum class MappingMethod {
    OptimizeHaloRegions,         ///< shared elements go next to exclusive ones
    ConstrainMappingToUsedTiles, ///< shared elements stay on tiles that use them
    None
  };

  TensorUseTracker(unsigned numTiles);
  TensorUseTracker(const TensorUseTracker &other);
  TensorUseTracker(TensorUseTracker &&other);
  TensorUseTracker &operator=(const TensorUseTracker &other);
  TensorUseTracker &operator=(TensorUseTracker &&other);
  ~TensorUseTracker();

  void add(const poplar::Graph &graph, unsigned tile, const poplar::Tensor &t);
  void add(TensorUseTracker other);
  /// Leaves one user to each element.
  void resolve(const poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
               bool extendPartialUsage = false, MappingMethod mappingMethod = MappingMethod::None);
  /// Maps the variables of all elements that were added.
  /// \param extendPartialUsage  elements of these variables that nobody uses are mapped, too
  void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                       bool extendPartialUsage = false,
                       MappingMethod mappingMethod = MappingMethod::None);
  bool empty() const;

private:
  std::unique_ptr<TensorUseTrackerState> state_;
};

} // namespace poputil
