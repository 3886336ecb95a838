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

// Reductions over dimensions of a tensor.
//
// Tiles reduce what they hold, then others combine their results; in which order depends on the
// mapping, and is the same in every run. Types, input to output: ADD, SQUARE_ADD, MUL and LOG_ADD
// FLOAT or HALF to FLOAT or HALF; ADD, SQUARE_ADD and MUL INT to INT; MIN and MAX FLOAT, HALF or
// INT to the same; logical ones BOOL to BOOL. Nothing reduces to 0 or 1, to the type's limits, true
// or false; the logarithm of nothing is an error.
// Options: accumType.interTile, accumType.inVertex (half, float): of what is not yet the result;
// by default float where sums or products become HALF.
// Errors: poputil::poplibs_error.
namespace popops {

/// What a reduction does besides.
struct ReduceParams {
  ReduceParams() = default;
  /// \param updates  combine with what the output holds
  ReduceParams(Operation operation, bool updates = false) : op(operation), update(updates) {}
  /// \param factor  one FLOAT: the result is multiplied by it; for LOG_ADD it is added. Only with
  ///                sums, as \p updates
  ReduceParams(Operation operation, bool updates, poplar::Tensor factor)
      : op(operation), update(updates), useScale(true), scale(std::move(factor)) {}
  ReduceParams(Operation operation, float factor, bool updates = false) = delete;

  Operation op = Operation::ADD;
  bool update = false;
  bool useScale = false;
  poplar::Tensor scale;
};

/// \param dims  to reduce, in any order
/// \returns the other dimensions, in order
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
/// \param css  to be executed in order; new ones are appended if there are not enough
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

/// \param out  has the reduced shape, but for sizes of one; it is mapped if it is not mapped anywhere
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

/// One of several reductions.
struct SingleReduceOp {
  SingleReduceOp(poplar::Tensor from, std::vector<std::size_t> over, ReduceParams how,
                 poplar::Type type, std::string name = "")
      : in(std::move(from)), dims(std::move(over)), params(std::move(how)), useOutType(true),
        outType(type), debugName(std::move(name)) {}
  SingleReduceOp(poplar::Tensor from, std::vector<std::size_t> over, ReduceParams how,
                 std::string name = "")
      : in(std::move(from)), dims(std::move(over)), params(std::move(how)),
        debugName(std::move(name)) {}

  poplar::Tensor in;
  std::vector<std::size_t> dims;
  ReduceParams params;
  bool useOutType = false; ///< else the type of \p in
  poplar::Type outType;
  std::string debugName;
};

/// Reductions side by side, in the same compute sets.
/// \param outputs  empty, and gets the results; or a tensor for each reduction
void reduceMany(poplar::Graph &graph, const std::vector<SingleReduceOp> &reductions,
                std::vector<poplar::Tensor> &outputs, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});

} // namespace popops
