#pragma once

#include "parameters.hpp"

#include <poplar/Program.hpp>

namespace transformer {

/// The optimiser Adam for the parameters of one stage.
///
/// Adam's two moments take as much memory as the parameters each. So the moments stay in a remote
/// buffer, one row for each, and are on the tiles only during an update.
class Adam {
public:
  struct Options {
    float firstDecay = 0.9f, secondDecay = 0.99f, epsilon = 1e-8f;
  };

  /// \param number  the stage's number
  Adam(poplar::Graph &graph, const Parameters &parameters, unsigned number, const Options &options);

  /// Sets the moments in the remote buffer to zeros, for the beginning of a training.
  void addReset(poplar::program::Sequence &prog) const;

  // An update: fetch, arithmetic, store.
  void addFetch(poplar::program::Sequence &prog) const;
  /// \param rate  FLOAT {}, of learning, with the correction of the moments' bias
  void addArithmetic(const poplar::Tensor &rate, poplar::program::Sequence &prog) const;
  void addStore(poplar::program::Sequence &prog) const;

  /// [2][elements] on the tiles, between fetch and store.
  const poplar::Tensor &moments() const { return moments_; }

private:
  poplar::Graph &graph_;
  Options options_;
  poplar::Tensor values_, gradients_;
  poplar::Tensor moments_; ///< [2][elements]
  poplar::Tensor rows_;    ///< numbers of the remote buffer's rows
  poplar::RemoteBuffer stored_;
};

} // namespace transformer
