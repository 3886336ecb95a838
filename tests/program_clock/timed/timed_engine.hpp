#pragma once

#include <memory>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <string>
#include <vector>

/// Programs on one IPU, in the style of users who measure them.
namespace timed {

inline constexpr unsigned kElements = 1 << 20; ///< elements of `large`: 4 MiB
inline constexpr unsigned kLoops = 5;

/// Programs of the engine, by number.
enum Run : unsigned { kThousandTurns, kTwoThousandTurns, kStreams };

inline poplar::Device attachIpu() {
  for (poplar::Device &device : poplar::DeviceManager().getDevices(poplar::TargetType::IPU, 1))
    if (device.attach())
      return std::move(device);
  throw poplar::poplar_error("no IPU is free");
}

/// An engine with these programs, and handles: `large`, tensor and remote buffer; `cycles`, of the
/// first program.
class TimedEngine {
public:
  TimedEngine() : device(attachIpu()), graph(device.getTarget()) {
    std::stringstream codelet(R"(#include <poplar/Vertex.hpp>
      struct Increment : poplar::Vertex {
        poplar::InOut<poplar::Vector<float>> x;
        bool compute() { for (float &element : x) element += 1; return true; }
      };)");
    graph.addCodelets(codelet);
    using namespace poplar;
    const Tensor x = graph.addVariable(FLOAT, {64}, "x");
    graph.setTileMapping(x, 0);
    const ComputeSet increment = graph.addComputeSet("increment");
    const VertexRef vertex = graph.addVertex(increment, "Increment", {{"x", x}});
    graph.setTileMapping(vertex, 0);
    graph.setPerfEstimate(vertex, 1000);
    const Tensor large = graph.addVariable(FLOAT, {kElements}, "large");
    for (unsigned tile = 0; tile < 64; ++tile)
      graph.setTileMapping(large.slice(tile * kElements / 64, (tile + 1) * kElements / 64), tile);
    graph.createHostWrite("large", large);
    graph.createHostRead("large", large);
    const RemoteBuffer rows = graph.addRemoteBuffer("rows", FLOAT, kElements);
    const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 64);
    const DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 64);

    program::Sequence thousand({program::Repeat(1000, program::Execute(increment))});
    const Tensor cycles = cycleCount(graph, thousand, 0);
    graph.createHostRead("cycles", cycles);
    const program::Repeat twoThousand(2000, program::Execute(increment));
    const program::Repeat streams(
        kLoops, program::Sequence(
                    {program::Copy(in, x), program::Execute(increment), program::Copy(x, out)}));
    const program::Sequence uses({program::Copy(large, rows)});
    engine = std::make_unique<Engine>(
        graph, std::vector<program::Program>{thousand, twoThousand, streams, uses});
    engine->connectStream("in", values.data(), values.data() + 64);
    engine->connectStream("out", values.data(), values.data() + 64);
  }

  /// Returns the cycles of the last run of the first program.
  unsigned long cycles() {
    unsigned words[2] = {};
    engine->readTensor("cycles", words, words + 2);
    return words[0] + (static_cast<unsigned long>(words[1]) << 32);
  }

  poplar::Device device;
  poplar::Graph graph;
  std::vector<float> values = std::vector<float>(kElements);
  std::unique_ptr<poplar::Engine> engine;
};

} // namespace timed
