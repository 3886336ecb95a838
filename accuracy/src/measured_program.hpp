#pragma once

#include "parameters.hpp"

#include <functional>
#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace copse::accuracy {

/// A machine that executes only what counts cycles. Parameters: "pod", "chip" (ipu1, ipu2, ipu21),
/// "clockMHz", "topology", "tiles".
class Machine {
public:
  /// \param change  changes the model before the device is made; may be empty
  Machine(const Parameters &parameters, unsigned ipus,
          const std::function<void(poplar::IPUModel &)> &change = {});

  const poplar::Device &device() const { return device_; }
  double clockHz() const { return clockHz_; }

private:
  poplar::Device device_;
  double clockHz_ = 0;
};

/// Returns the modelled cycles of each program, each in its second run.
/// \param connect  connects the engine's streams; may be empty
std::vector<double> cyclesOf(const Machine &machine, const poplar::Graph &graph,
                             const std::vector<poplar::program::Program> &programs,
                             const std::function<void(poplar::Engine &)> &connect = {},
                             const poplar::OptionFlags &options = {});

/// Maps the elements of \p tensor to tiles [first, first + tiles), in equal parts of whole grains.
void spread(poplar::Graph &graph, const poplar::Tensor &tensor, unsigned first, unsigned tiles,
            std::size_t grain = 1);

/// Adds the codelet "Work", which takes as many cycles as its estimate says. Returns a program that
/// runs it for \p cycles on the first tile of each IPU.
poplar::program::Program work(poplar::Graph &graph, double cycles);

/// Rows that are available before a device asks for them.
class ReadyRows : public poplar::StreamCallback {
public:
  Result prefetch(void * /*row*/) override { return Success; }
  void fetch(void * /*row*/) override {}
  void complete() override {}
};

} // namespace copse::accuracy
