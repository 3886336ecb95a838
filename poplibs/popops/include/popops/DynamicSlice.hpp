#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

/// \file
/// Slices at offsets that are known only at run time.
///
/// \p dims are the sliced dimensions and \p sizes the slice's sizes in them; all other dimensions
/// are taken whole. Offsets are UNSIGNED_INT. The operations work with any tile mapping; with
/// tensors of the create...() functions, only indices and slices are exchanged between tiles, not
/// the table. Options are as for embedding::plan(); dynamicSlice(), dynamicSliceWithOutput() and
/// dynamicUpdate() ignore them.

namespace popops {

/// The implementation of a SlicePlan.
class SlicePlanInternal;

/// Describes the layout that embedding::plan() chose for tables of one size. A default plan fits
/// any table.
class SlicePlan {
public:
  /// Makes a plan that fits any table.
  SlicePlan();
  /// Releases the plan.
  ~SlicePlan();

  ///@{

  /// Copies or moves the plan.
  SlicePlan(const SlicePlan &other);
  SlicePlan(SlicePlan &&other);
  SlicePlan &operator=(const SlicePlan &other);
  SlicePlan &operator=(SlicePlan &&other);
  ///@}

  /// Makes a plan of an implementation; for the library's use.
  explicit SlicePlan(std::unique_ptr<SlicePlanInternal> internal);

  ///@{

  /// Compares or writes plans.
  friend bool operator==(const SlicePlan &a, const SlicePlan &b);
  friend bool operator!=(const SlicePlan &a, const SlicePlan &b) { return !(a == b); }
  friend bool operator<(const SlicePlan &a, const SlicePlan &b);
  friend std::ostream &operator<<(std::ostream &out, const SlicePlan &plan);
  ///@}

  /// Returns the implementation; for the library's use.
  const SlicePlanInternal &getImpl() const { return *internal_; }

private:
  std::unique_ptr<SlicePlanInternal> internal_;
};

///@{

/// Compares or writes plans.
bool operator==(const SlicePlan &a, const SlicePlan &b);
bool operator<(const SlicePlan &a, const SlicePlan &b);
std::ostream &operator<<(std::ostream &out, const SlicePlan &plan);
///@}

///@{

/// Adds a variable of \p shape that is to be sliced in \p dims; if \p dims is empty, the variable
/// is mapped linearly.
/// - \p minGrainSize: accepted, without effect; default 0
/// - \p plan: the layout, if multiSlice() is to use the table
/// \throws poputil::poplibs_error if \p dims, \p sizes or \p plan do not fit the shape
poplar::Tensor createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                     const std::vector<std::size_t> &shape,
                                     const std::vector<std::size_t> &dims,
                                     const std::vector<std::size_t> &sizes,
                                     std::size_t minGrainSize = 0,
                                     const poplar::DebugContext &debugContext = {});
poplar::Tensor createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                     const std::vector<std::size_t> &shape,
                                     const std::vector<std::size_t> &dims,
                                     const std::vector<std::size_t> &sizes, const SlicePlan &plan,
                                     const poplar::OptionFlags &options,
                                     const poplar::DebugContext &debugContext = {});
///@}

/// Adds a tensor for slices of the table \p t.
/// \returns shape [numIndices, slice...]
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Tensor &t,
                                 const std::vector<std::size_t> &dims,
                                 const std::vector<std::size_t> &sizes, std::size_t numIndices,
                                 const poplar::DebugContext &debugContext = {});
/// Adds a tensor for slices of a table of \p shape.
/// \returns shape [numIndices, slice...]
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &shape,
                                 const std::vector<std::size_t> &dims,
                                 const std::vector<std::size_t> &sizes, std::size_t numIndices,
                                 const SlicePlan &plan, const poplar::OptionFlags &options,
                                 const poplar::DebugContext &debugContext = {});
/// Adds a tensor for offsets.
/// \returns UNSIGNED_INT, shape [numIndices, dims.size()]
poplar::Tensor createIndicesTensor(poplar::Graph &graph, const std::vector<std::size_t> &dims,
                                   std::size_t numIndices, const SlicePlan &plan,
                                   const poplar::OptionFlags &options,
                                   const poplar::DebugContext &debugContext = {});
/// Adds a table laid out like \p s, with dimension dims[i] numSlices[i] times as large.
/// \throws poputil::poplibs_error if \p dims and \p numSlices do not fit
poplar::Tensor createSliceableTensorFromSlice(poplar::Graph &graph, const poplar::Tensor &s,
                                              const std::vector<std::size_t> &dims,
                                              const std::vector<std::size_t> &numSlices,
                                              const poplar::DebugContext &debugContext = {});

///@{

/// Copies one slice, which wraps round at the end of a dimension. An offset out of range counts as
/// 0.
///
/// \code
/// Tensor row = dynamicSlice(graph, t, offset, {0}, {1}, prog);  // t[offset], shape [1, in]
/// \endcode
/// - \p offset: shape [dims.size()]
///
/// The result has the rank of \p t, and \p sizes in \p dims.
/// \throws poplar::graph_connection_error if arguments do not fit together
poplar::Tensor dynamicSlice(poplar::Graph &graph, const poplar::Tensor &t,
                            const poplar::Tensor &offset, const std::vector<std::size_t> &dims,
                            const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});
void dynamicSliceWithOutput(poplar::Graph &graph, const poplar::Tensor &output,
                            const poplar::Tensor &t, const poplar::Tensor &offset,
                            const std::vector<std::size_t> &dims,
                            const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});
///@}

/// Writes \p s to the place that dynamicSlice() would read.
/// \throws poplar::graph_connection_error if arguments do not fit together
void dynamicUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                   const poplar::Tensor &offset, const std::vector<std::size_t> &dims,
                   const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
/// Copies slices at offsets[i], each as dynamicSlice() gives it. Programs must not rely on what
/// they read at offsets that are out of range.
/// \param offsets  shape [N, dims.size()]
/// \returns shape [N, slice...]
/// \throws poputil::poplibs_error if arguments or the plan do not fit
poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t,
                          const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                          const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                          const SlicePlan &plan, const poplar::OptionFlags &options,
                          const poplar::DebugContext &debugContext = {});
/// Writes s[i] at offsets[i], in order: later slices overwrite earlier ones. A slice that would not
/// lie wholly inside \p t is not written.
/// \param offsets  shape [N, dims.size()]
/// \throws poputil::poplibs_error if arguments or the plan do not fit
void multiUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                 const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                 const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                 const SlicePlan &plan, const poplar::OptionFlags &options,
                 const poplar::DebugContext &debugContext = {});
/// Adds scale * s[i] to the row t[offsets[i]] for each i; offsets out of range are ignored. \p t
/// has two dimensions, one of which is sliced, by one element. Types: FLOAT, HALF, INT,
/// UNSIGNED_INT.
/// \param scale  shape {}, of the type of \p t
/// \throws poputil::poplibs_error if arguments or the plan do not fit
void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                    const poplar::Tensor &offsets, const poplar::Tensor &scale,
                    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                    poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});
/// Sets each element of the row t[offsets[i]] to the larger of itself and the element of s[i];
/// otherwise as multiUpdateAdd().
void multiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                    const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                    const SlicePlan &plan, const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});
/// Multiplies the row t[offsets[i]] by s[i]; otherwise as multiUpdateAdd().
void multiUpdateMul(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                    const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                    const SlicePlan &plan, const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});

// Plans slices of groups of tables of one shape.

///@{

/// Applies the function of the same name without "grouped" to each table of a group. Tables are
/// [groups, shape...], offsets [groups, N, dims.size()], slices [groups, N, slice...]; dims are
/// dimensions of one table. The plan must have groups.
/// \throws poputil::poplibs_error if arguments or the plan do not fit
poplar::Tensor createGroupedSliceableTensor(
    poplar::Graph &graph, const poplar::Type &type, std::size_t groupSize,
    const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, const SlicePlan &plan,
    const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});
poplar::Tensor createGroupedSliceTensor(
    poplar::Graph &graph, const poplar::Type &type, std::size_t groupSize,
    const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, std::size_t numIndices, const SlicePlan &plan,
    const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});
poplar::Tensor createGroupedIndicesTensor(poplar::Graph &graph, std::size_t groupSize,
                                          const std::vector<std::size_t> &dims,
                                          std::size_t numIndices, const SlicePlan &plan,
                                          const poplar::OptionFlags &options,
                                          const poplar::DebugContext &debugContext = {});
poplar::Tensor groupedMultiSlice(poplar::Graph &graph, const poplar::Tensor &t,
                                 const poplar::Tensor &offsets,
                                 const std::vector<std::size_t> &dims,
                                 const std::vector<std::size_t> &sizes,
                                 poplar::program::Sequence &prog, const SlicePlan &plan,
                                 const poplar::OptionFlags &options,
                                 const poplar::DebugContext &debugContext = {});
void groupedMultiUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                        const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                        const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                        const SlicePlan &plan, const poplar::OptionFlags &options,
                        const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const poplar::Tensor &scale,
                           const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &plan, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &plan, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateMul(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &plan, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {});
///@}

/// Plans for tables.
namespace embedding {

///@{

/// Chooses a layout for a table of shape [numEntries, outputSize], or for \p groupSize such tables.
/// - \p numLookups: the number of lookups of each use of the table
/// - \p options: availableMemoryProportion (default 0.5: of a tile's memory for its part of the
///   table), planMinimisationTarget (default cycles: as few parts as have room; memory: rows over
///   all tiles); and without effect usedForUpdate (true, false), indicesDistribution (uniform,
///   onePoint), planConstraints (JSON)
/// \throws poplar::invalid_option if an option or its value is unknown
SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType,
               const std::size_t numEntries, const std::size_t outputSize,
               const std::vector<std::size_t> &numLookups, const poplar::OptionFlags &options);
SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType,
               const std::size_t groupSize, const std::size_t numEntries,
               const std::size_t outputSize, const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options);
///@}

} // namespace embedding
} // namespace popops
