#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace copse::test {

/// Compares a loop in tile assembly, whose cycles are exact, with an operation of a library, whose
/// cycles are an estimate: a test adds a vertex with the loop, and the operation, and says which
/// tensors have the results.
class LoopComparison : public ::testing::Test {
protected:
  /// \param folder  contains loops.cpp and loops.S, the loops' vertices
  explicit LoopComparison(const std::string &folder, unsigned tiles = 2)
      : device_(makeDevice(tiles)), graph_(device_) {
    graph_.addCodelets({folder + "/loops.cpp", folder + "/loops.S"});
  }

  poplar::Tensor onTile(const poplar::Type &type, std::vector<std::size_t> shape) {
    const poplar::Tensor t = graph_.addVariable(type, std::move(shape));
    graph_.setTileMapping(t, 0);
    return t;
  }

  /// Adds the loop's part of the comparison: a vertex of class \p loop.
  poplar::VertexRef vertex(const std::string &loop) {
    const poplar::ComputeSet set = graph_.addComputeSet(loop);
    const poplar::VertexRef v = graph_.addVertex(set, loop);
    graph_.setTileMapping(v, 0);
    loop_.add(poplar::program::Execute(set));
    return v;
  }

  void read(const std::string &name, const poplar::Tensor &t) { graph_.createHostRead(name, t); }

  /// Runs both. The loop's results must be the first of the operation's, bit by bit, and its cycles
  /// near the operation's.
  void expectAgreement(const poplar::Tensor &ofLoop, const poplar::Tensor &ofOperation) {
    read("loop", ofLoop);
    read("operation", ofOperation);
    run();
    const std::size_t size = graph_.getTarget().getTypeSize(ofLoop.elementType());
    const auto loop = values<char>("loop", ofLoop.numElements() * size);
    auto operation = values<char>("operation", ofOperation.numElements() * size);
    operation.resize(loop.size());
    EXPECT_EQ(loop, operation);
    expectCyclesAgree();
  }

  poplar::Device device_;
  poplar::Graph graph_;
  poplar::program::Sequence prepare_, loop_, operation_;

private:
  static constexpr double kWithin = 0.1;

  static poplar::Device makeDevice(unsigned tiles) {
    poplar::IPUModel model;
    model.tilesPerIPU = tiles;
    return model.createDevice();
  }

  void run() {
    poplar::program::Sequence nothing;
    const poplar::ComputeSet set = graph_.addComputeSet("nothing");
    addVertexWithoutWork(set);
    nothing.add(poplar::program::Execute(set));
    for (const auto &[name, prog] :
         {std::pair<const char *, poplar::program::Sequence *>{"nothing cycles", &nothing},
          {"loop cycles", &loop_},
          {"operation cycles", &operation_}})
      read(name, poplar::cycleCount(graph_, *prog, 0, poplar::SyncType::INTERNAL));
    engine_ = std::make_unique<poplar::Engine>(
        graph_, poplar::program::Sequence{prepare_, nothing, loop_, operation_});
    engine_->load(device_);
    engine_->run(0);
  }
  void addVertexWithoutWork(poplar::ComputeSet set) {
    std::stringstream source("#include <poplar/Vertex.hpp>\n"
                             "struct WithoutWork : poplar::Vertex {\n"
                             "  bool compute() { return true; }\n"
                             "};\n");
    graph_.addCodelets(source);
    const poplar::VertexRef v = graph_.addVertex(set, "WithoutWork");
    graph_.setTileMapping(v, 0);
    graph_.setPerfEstimate(v, 0);
  }
  template <typename T> std::vector<T> values(const std::string &name, std::size_t count) {
    std::vector<T> all(count);
    engine_->readTensor(name, all.data(), all.data() + count);
    return all;
  }
  /// Returns the cycles without the start of a compute set.
  double cyclesOf(const std::string &name) {
    const auto read = [&](const std::string &of) {
      const auto words = values<unsigned>(of + " cycles", 2);
      return static_cast<double>(words[0]) + 4294967296.0 * words[1];
    };
    return read(name) - read("nothing");
  }
  void expectCyclesAgree() {
    const double exact = cyclesOf("loop"), estimate = cyclesOf("operation");
    RecordProperty("exact", std::to_string(exact));
    RecordProperty("estimate", std::to_string(estimate));
    EXPECT_NEAR(estimate / exact, 1, kWithin) << "estimate " << estimate << ", exact " << exact;
  }

  std::unique_ptr<poplar::Engine> engine_;
};

} // namespace copse::test
