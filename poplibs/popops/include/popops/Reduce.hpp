#pragma once

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popops/Operation.hpp>
#include <popops/OperationDef.hpp>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Reductions over dimensions of a tensor.
///
/// Each tile reduces the elements that it holds; then further stages combine these partial results.
/// The order of the operations depends on the tile mapping only, so every run gives the same
/// result. Types, input to output: ADD, SQUARE_ADD, MUL and LOG_ADD FLOAT or HALF to FLOAT or HALF;
/// ADD, SQUARE_ADD and MUL INT to INT; MIN and MAX FLOAT, HALF or INT to the same; logical ones
/// BOOL to BOOL. A reduction of no elements gives 0 or 1, the type's limits, true or false; LOG_ADD
/// of no elements is an error.
///
/// Options: accumType.interTile, accumType.inVertex (half, float): the type of partial results; by
/// default float where sums or products become HALF.

namespace popops {

/// Says what a reduction does.
struct ReduceParams {
  /// Adds elements.
  ReduceParams() = default;
  /// Combines elements by an operation.
  /// \param updates  default false; true: combine the result with the earlier value of the output,
  ///   too
  ReduceParams(Operation operation, bool updates = false) : op(operation), update(updates) {}
  /// Combines elements by an operation and scales the result.
  /// \param factor  one FLOAT: the result is multiplied by it; for LOG_ADD it is added. Only with
  ///   sums, as \p updates
  ReduceParams(Operation operation, bool updates, poplar::Tensor factor)
      : op(operation), update(updates), useScale(true), scale(std::move(factor)) {}
  /// Deleted: the factor must be a tensor, not a number of the host.
  ReduceParams(Operation operation, float factor, bool updates = false) = delete;

  /// The operation.
  Operation op = Operation::ADD;
  /// True: the output's earlier values are combined, too.
  bool update = false;
  /// True: the result is scaled.
  bool useScale = false;
  /// The factor, if it is scaled.
  poplar::Tensor scale;
};

///@{

/// Reduces \p in over dimensions to a new tensor.
///
/// \code
/// Tensor sums = reduce(graph, x, {0}, {Operation::ADD}, prog);  // [batch, in] to [in]
/// \endcode
/// - \p outType: default: the type of \p in
/// - \p dims: the dimensions to reduce, in any order
/// - \p css: compute sets to be executed in order, in place of a program; new ones are appended if
///   there are not enough
///
/// The result has the other dimensions, in order.
/// \throws poputil::poplibs_error if types or dimensions do not fit, or \p params has an update
/// \throws poplar::invalid_option if an option or its value is unknown
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
///@}

///@{

/// Reduces \p in over dimensions to \p out, which has the reduced shape; dimensions of size 1 may
/// be added or missing. An output without any mapping gets one. Otherwise as reduce().
/// \throws poputil::poplibs_error also if \p out does not fit, or has constants or aliases
void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
///@}

/// Describes one of several reductions.
struct SingleReduceOp {
  ///@{

  /// Describes a reduction; without a type, the result has the type of \p from.
  SingleReduceOp(poplar::Tensor from, std::vector<std::size_t> over, ReduceParams how,
                 poplar::Type type, std::string name = "")
      : in(std::move(from)), dims(std::move(over)), params(std::move(how)), useOutType(true),
        outType(type), debugName(std::move(name)) {}
  SingleReduceOp(poplar::Tensor from, std::vector<std::size_t> over, ReduceParams how,
                 std::string name = "")
      : in(std::move(from)), dims(std::move(over)), params(std::move(how)),
        debugName(std::move(name)) {}
  ///@}

  /// The tensor to reduce.
  poplar::Tensor in;
  /// The dimensions to reduce.
  std::vector<std::size_t> dims;
  /// The operation.
  ReduceParams params;
  /// False: the result has the type of \p in.
  bool useOutType = false;
  /// The type of the result.
  poplar::Type outType;
  /// The name.
  std::string debugName;
};

/// Runs several reductions at once, in the same compute sets. Throws as reduce() does.
/// \param outputs  empty: the results are appended; or one tensor for each reduction, which is
///   written
void reduceMany(poplar::Graph &graph, const std::vector<SingleReduceOp> &reductions,
                std::vector<poplar::Tensor> &outputs, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});

} // namespace popops
