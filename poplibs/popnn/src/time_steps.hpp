#pragma once

#include "popnn/NonLinearityDef.hpp"
#include "popnn/Rnn.hpp"

#include <cstddef>
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace popnn {
namespace rnn {

/// One step of a loop over time: reads and writes its parts of sequences.
class TimeStep {
public:
  /// \param index  {1}, of this step
  TimeStep(poplar::Graph &graph, const RnnParams &params, const poplar::Tensor &index,
           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

  poplar::program::Sequence &prog() { return prog_; }
  const poplar::DebugContext &name() const { return debugContext_; }
  const poplar::Tensor &index() const { return index_; }

  /// \param sequence  {T, ...} \returns {...}
  poplar::Tensor read(const poplar::Tensor &sequence);
  void write(const poplar::Tensor &sequence, const poplar::Tensor &value);

  /// \returns \p here, or for items that have ended, \p ended (one element, or of the same shape)
  poplar::Tensor orEnded(const poplar::Tensor &here, const poplar::Tensor &ended);
  /// Returns \p here with 0 for items that have ended.
  poplar::Tensor orZero(const poplar::Tensor &here);

private:
  poplar::Graph &graph_;
  const RnnParams &params_;
  const poplar::Tensor index_;
  poplar::program::Sequence &prog_;
  const poplar::DebugContext &debugContext_;
};

using StepBody = std::function<void(TimeStep &)>;

/// Runs \p body for each step, from the first to the last, or the other way.
void forEachStep(poplar::Graph &graph, const RnnParams &params, bool backwards,
                 poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                 const StepBody &body);

/// Adds a sequence {T, shape...} whose steps are read and written on the tiles where they are.
poplar::Tensor createSequence(poplar::Graph &graph, const RnnParams &params,
                              const std::vector<std::size_t> &shape,
                              const poplar::DebugContext &debugContext);

/// Adds a variable with the value of \p t, which a loop changes.
poplar::Tensor carried(poplar::Graph &graph, const poplar::Tensor &t,
                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
/// Adds a variable of zeros, which a loop changes.
poplar::Tensor carriedZeros(poplar::Graph &graph, const RnnParams &params,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext);

/// Returns the outputs of the steps before each: {T, B, out}.
poplar::Tensor previousOutputs(const poplar::Tensor &initial, const poplar::Tensor &outputs);

/// Returns a sequence {T * multiple, ...} as {T, multiple, ...}; one with a single tensor for each
/// step as it is.
poplar::Tensor byStep(const char *function, const RnnParams &params,
                      const poplar::Tensor &sequence);
void checkShards(const char *function, unsigned numShards);

/// Returns the tensors, which have one shape, joined along a new first dimension.
poplar::Tensor stacked(const std::vector<poplar::Tensor> &parts);

/// Returns weights {units, in, out} as a matrix {in, units * out}, and gradients of the matrix as
/// gradients of weights.
poplar::Tensor asMatrix(const poplar::Tensor &weights);
poplar::Tensor asUnits(const poplar::Tensor &matrix, std::size_t units);

/// Checks that the derivative of \p type follows from its result.
/// \throws poputil::poplibs_error if it does not
void checkTrainable(const char *function, NonLinearityType type);

/// \throws poputil::poplibs_error if a tensor of a layer does not have the shape or the type
void checkTensor(const char *function, const char *what, const poplar::Tensor &t,
                 const RnnParams &params, const std::vector<std::size_t> &shape);
void checkLayer(const char *function, const RnnParams &params);

} // namespace rnn
} // namespace popnn
