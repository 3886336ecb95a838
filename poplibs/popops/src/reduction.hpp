#pragma once

#include "popops/Reduce.hpp"

#include <cstddef>
#include <optional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace copse::reductions {

/// The compute sets that the stages of a reduction go into.
class Stages {
public:
  /// \param css  stages that are there already, to which new ones are added
  Stages(poplar::Graph &graph, std::vector<poplar::ComputeSet> &css,
         const poplar::DebugContext &debugContext)
      : graph_(graph), css_(css), debugContext_(debugContext) {}
  poplar::ComputeSet operator[](std::size_t stage);

private:
  poplar::Graph &graph_;
  std::vector<poplar::ComputeSet> &css_;
  const poplar::DebugContext &debugContext_;
};

/// The arguments of a reduction, all checked, with elements to reduce and results.
struct ReductionArguments {
  poplar::Tensor in;
  std::vector<std::size_t> dims;     ///< to reduce, each once
  poplar::Type outType, partialType; ///< of results, and of what goes from tile to tile
  const popops::ReduceParams &params;
};

/// Adds a reduction: tiles reduce what they hold, and partial results for the same outputs are
/// combined, in one or two rounds.
/// \param out  nothing: a new variable, where elements of the input are
/// \returns the output
poplar::Tensor addReduction(poplar::Graph &graph, const ReductionArguments &arguments,
                            const std::optional<poplar::Tensor> &out, Stages stages,
                            const poplar::DebugContext &debugContext);

} // namespace copse::reductions
