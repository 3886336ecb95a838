#pragma once

#include <cstddef>
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

namespace popnn {
/// Recurrent layers with a cell of the program's own.
namespace rnn {

/// Describes the sizes of a recurrent layer.
struct RnnParams {
  /// The type of the elements, FLOAT or HALF.
  poplar::Type dataType;
  /// The number of items B.
  std::size_t batchSize;
  /// The number of steps T.
  std::size_t maxTimeSteps;
  /// Equals maxTimeSteps.
  std::size_t timeSteps;
  /// The number of steps of the batch, shape [1], or of each item, shape [batchSize]; UNSIGNED_INT.
  /// Not valid if all items have maxTimeSteps steps.
  poplar::Tensor varTimeSteps;
  /// The sizes of the input and of the output.
  std::vector<std::size_t> layerSizes;

  /// Makes empty parameters, which may only be assigned to.
  RnnParams() = default;
  /// Describes a layer in which all items have \p timeSteps steps.
  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes);
  /// Describes a layer in which the batch has fewer steps than \p maxTimeSteps, or the items have
  /// different numbers of steps.
  /// \throws poputil::poplibs_error if \p varTimeSteps has another shape or type
  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
            const poplar::Tensor &varTimeSteps, std::vector<std::size_t> layerSizes);

  /// Returns 1: time is not cut into parts here.
  std::size_t getMaxShards(const poplar::Graph &graph) const;

  ///@{

  /// Returns the bytes of one step's input, or output, on each tile if they are spread evenly.
  std::size_t getInputBytesPerTile(const poplar::Graph &graph) const;
  std::size_t getOutputBytesPerTile(const poplar::Graph &graph) const;
  ///@}

  ///@{

  /// Returns true if the number of steps is a tensor: for the batch or for each item, or for each
  /// item only.
  bool variableTimeSteps() const;
  bool batchVariableTimeSteps() const;
  ///@}
};

/// \file
/// Sequences of T = maxTimeSteps steps of B items, for Rnn(). A sequence with several tensors for
/// each step has them one after another in its first dimension: [T * multiple, B, size].
///
/// numShards is the number of parts into which Graphcore's library cuts time; it must not be 0, and
/// has no effect.
///
/// Errors: poputil::poplibs_error for shapes, types and numbers; poplar::invalid_option.

/// Adds a variable [multiple, B, size], where the size is the layer's output or input size.
poplar::Tensor createInitialState(poplar::Graph &graph, const RnnParams &params, bool isOutput,
                                  unsigned multiple, unsigned numShards,
                                  const poplar::DebugContext &debugContext = {});
/// Adds a sequence [T, B, size].
poplar::Tensor createRecurrentTensor(poplar::Graph &graph, const RnnParams &params, unsigned size,
                                     unsigned numShards,
                                     const poplar::DebugContext &debugContext = {});
/// Adds a sequence of the layer's inputs.
poplar::Tensor createInputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                 const poplar::DebugContext &debugContext = {});

///@{

/// Adds a sequence of outputs, \p multiple (default 1) for each step.
poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                  const poplar::DebugContext &debugContext = {});
poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned multiple,
                                  unsigned numShards,
                                  const poplar::DebugContext &debugContext = {});
///@}

/// Returns a copy of \p tBase that is delayed by one step: \p tSingle, then all steps of \p tBase
/// except the last.
poplar::Tensor shiftRnnTensor(poplar::Graph &graph, const RnnParams &params,
                              const poplar::Tensor &tBase, const poplar::Tensor &tSingle,
                              poplar::program::Sequence &prog, unsigned numShards,
                              const poplar::DebugContext &debugContext = {});

/// Holds the tensors of a cell in one step: for each sequence the part of the step, without the
/// dimension of time, [B, size] or [multiple, B, size].
struct RnnSlice {
  /// The inputs.
  std::vector<poplar::Tensor> inputs;
  /// The step of interimIn.
  poplar::Tensor interimIn;
  /// The step of interimOut, to be written.
  poplar::Tensor interimOut;
  /// The outputs, to be written.
  std::vector<poplar::Tensor> outputs;
};

/// Says which items of a batch have the current step, if items have different numbers of steps: 1
/// or 0 for each item, shape [B, 1], of the layer's type.
struct RnnBatchwiseFlags {
  /// 1 for an item that has the step.
  poplar::Tensor mask;
  /// 1 - mask
  poplar::Tensor inverse;
  /// Returns true if items have different numbers of steps.
  bool valid() const { return mask.valid(); }
};

/// A sequence that receives the values of a state after each step, [T, B, size]; none if the tensor
/// is not valid.
struct StateSequence {
  /// The sequence.
  poplar::Tensor output;
  /// The index of the state.
  std::size_t stateIndex;
};

/// A function that makes the program of one step, which each step of the loop runs. The function is
/// called once, or a second time for steps that do not fill a gather.
///
/// shardIndex has shape [1] and is 0; sequenceIndex has shape [1] and is the step's number in the
/// sequences. The body changes the states in place, or replaces them by other tensors. Tensors that
/// it adds to \p created are there in a later call. \p initProg runs once, before the loop.
using LoopBodyType = std::function<poplar::program::Sequence(
    poplar::Graph &graph, const poplar::Tensor &shardIndex, const poplar::Tensor &sequenceIndex,
    const RnnBatchwiseFlags &flags, std::vector<poplar::Tensor> &state, const RnnSlice &slice,
    std::vector<poplar::Tensor> &created, poplar::program::Sequence *initProg,
    const poplar::DebugNameAndId &debugName)>;
/// A function that makes the program for \p stepsPerGather steps: the inputs and interimIn of the
/// slice have an additional first dimension of this size.
using GatherBodyType = std::function<poplar::program::Sequence(
    poplar::Graph &graph, const RnnSlice &slice, unsigned stepsPerGather,
    poplar::program::Sequence *initProg, const poplar::DebugNameAndId &debugName)>;

/// Runs a cell of the program's own over the steps, from the first, or from the last if \p reverse.
///
/// If the batch has fewer steps than maxTimeSteps, only these are run, and the other steps of
/// sequences keep their contents. If items have different numbers of steps, all steps are run, and
/// the cell obeys the flags.
/// \param interimIn, interimOut  a sequence each, or null
/// \param outputs  sequences that exist
/// \param options  `codeReuse` (bool; default false), without effect
/// \returns the last states
/// \throws poputil::poplibs_error if shapes, types or numbers do not fit; poplar::invalid_option
std::vector<poplar::Tensor>
Rnn(poplar::Graph &graph, const RnnParams &params, bool reverse,
    const std::vector<poplar::Tensor> &initState, const StateSequence &stateSequence,
    const std::vector<poplar::Tensor> &inputs, const poplar::Tensor *interimIn,
    poplar::Tensor *interimOut, const std::vector<poplar::Tensor> &outputs,
    const std::vector<poplar::Tensor> &created, poplar::program::Sequence &prog,
    const LoopBodyType &loopFn, unsigned numShards, poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});
/// Runs a cell from the last step to the first. The interimOut of its slices, [numTemps, B, output
/// size], is collected for up to \p stepsPerGather steps, and then passed to \p gatherFn with the
/// same steps of \p gatherInputs. The first group that is run, the last steps of the sequence, may
/// be smaller. For steps that are not run, interimIn is zero in \p gatherFn.
/// \returns the last states
std::vector<poplar::Tensor>
Rnn(poplar::Graph &graph, const RnnParams &params, const std::vector<poplar::Tensor> &initState,
    const StateSequence &stateSequence, const std::vector<poplar::Tensor> &inputs,
    const poplar::Tensor &interimIn, const unsigned numTemps, poplar::program::Sequence &prog,
    const LoopBodyType &loopFn, const std::vector<poplar::Tensor> &gatherInputs,
    const GatherBodyType &gatherFn, unsigned numShards, unsigned stepsPerGather,
    poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});

} // namespace rnn
} // namespace popnn
