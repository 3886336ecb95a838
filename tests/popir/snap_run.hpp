#pragma once

#include <gtest/gtest.h>

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <snap/CompileGraph.hpp>
#include <snap/Graph.hpp>
#include <snap/Program.hpp>
#include <snap/Tensor.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace copse::test {

/// A snap graph on four tiles; run() compiles and runs one program, read() returns results.
class SnapRun : public ::testing::Test {
protected:
  SnapRun() : device_(fourTiles()), graph_(device_.getTarget()), prog_(graph_) {}

  /// Adds a variable of INT on tile 1 that holds \p values when the program starts.
  snap::Tensor ints(const std::vector<int> &values, const std::string &name) {
    const snap::Tensor t = graph_.addVariable(poplar::INT, {values.size()}, name);
    graph_.getPoplarGraph().setTileMapping(t.getPoplarTensor(), 1);
    graph_.getPoplarGraph().setInitialValue(t.getPoplarTensor(), poplar::ArrayRef<int>(values));
    return t;
  }
  /// Adds one element with the value 1.
  snap::Tensor one() {
    const snap::Tensor t = graph_.addConstant(poplar::INT, {}, 1, "one");
    graph_.getPoplarGraph().setTileMapping(t.getPoplarTensor(), 1);
    return t;
  }
  void readable(const std::string &name, const snap::Tensor &t) {
    graph_.getPoplarGraph().createHostRead(name, t.getPoplarTensor());
  }

  void compile() {
    engine_ = std::make_unique<poplar::Engine>(
        snap::compileGraph(graph_, {prog_}, {}, {}, {"snap"}).releaseExecutable());
  }
  void run() {
    if (!engine_)
      compile();
    engine_->setPrintStream(printed_);
    engine_->load(device_);
    engine_->run(0);
  }
  template <typename T = int> std::vector<T> read(const std::string &name, std::size_t elements) {
    std::vector<T> values(elements);
    engine_->readTensor(name, values.data(), values.data() + elements);
    return values;
  }

  poplar::Device device_;
  snap::Graph graph_;
  snap::program::Sequence prog_;
  std::unique_ptr<poplar::Engine> engine_;
  std::ostringstream printed_;

private:
  static poplar::Device fourTiles() {
    poplar::IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
};

} // namespace copse::test
