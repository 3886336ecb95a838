#pragma once

#include "stage.hpp"

#include <memory>
#include <poplar/DataStream.hpp>
#include <vector>

namespace transformer {

/// Passes the micro-batches of a step through the stages of a replica.
///
/// Time is divided into ticks. In each tick, a stage does the forward pass of one micro-batch and
/// the backward pass of another; README.md has a picture. A tick begins with all communication, so
/// nothing between the stages' programs of a tick makes an IPU wait for another one, and the IPUs
/// work side by side.
///
/// Between the two passes of a micro-batch on a stage, the stage sees other micro-batches. So the
/// stage stores its inputs, and repeats the forward pass before the backward pass. The last stage
/// does both passes in the same tick and repeats nothing; so does a model of one stage.
class Pipeline {
public:
  /// \param characters, labels  streams of a micro-batch: [rows + 2], the last two are the seed of
  ///                            dropout; and [rows]
  Pipeline(poplar::Graph &graph, const std::vector<std::unique_ptr<Stage>> &stages,
           const poplar::DataStream &characters, const poplar::DataStream &labels);

  /// Returns all passes of \p microBatches micro-batches.
  void addPasses(unsigned microBatches, poplar::program::Sequence &prog) const;

private:
  /// The passes that the stages do in a tick.
  struct Tick {
    std::vector<bool> forward, backward;
    bool full() const;
  };
  /// The part of a micro-batch that a stage's forward pass begins with.
  struct Input {
    poplar::Tensor in, seed;
  };
  struct StagePrograms {
    poplar::Function forward, backward;
    Input arrived;           ///< in this tick's exchange
    std::vector<Input> kept; ///< inputs of earlier ticks, the last tick's first
  };

  Input addInput(Stage &stage, const std::string &name) const;
  static void addCopy(const Input &from, const Input &to, poplar::program::Sequence &prog);

  unsigned stageCount() const { return static_cast<unsigned>(stages_.size()); }
  Tick tickAt(unsigned time, unsigned microBatches) const;
  poplar::program::Sequence programOf(const Tick &tick) const;
  void addExchange(const Tick &tick, poplar::program::Sequence &prog) const;
  void addStage(unsigned s, const Tick &tick, poplar::program::Sequence &prog) const;

  const std::vector<std::unique_ptr<Stage>> &stages_;
  poplar::DataStream characters_, labels_;
  std::vector<StagePrograms> programs_;
};

} // namespace transformer
