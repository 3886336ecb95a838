// Estimates of vertices against loops in tile assembly, whose cycles are exact: one worker's share
// of an operation, with the same bits as the operation's.
#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <numeric>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using poplar::program::Execute;
using poplar::program::Sequence;

constexpr std::size_t kShare = 960, kWorkers = 6, kAll = kShare * kWorkers;
constexpr double kWithin = 0.1;
constexpr double kExit = 6; ///< cycles of one instruction of a worker

class HotLoops : public ::testing::Test {
protected:
  HotLoops() : device_(makeDevice()), graph_(device_) {
    const std::string folder = HOT_LOOP_SOURCES;
    graph_.addCodelets({folder + "/loops.cpp", folder + "/loops.S"});
  }
  static Device makeDevice() {
    IPUModel model;
    model.tilesPerIPU = 2;
    return model.createDevice();
  }

  Tensor onTile(const Type &type, std::vector<std::size_t> shape) {
    const Tensor t = graph_.addVariable(type, std::move(shape));
    graph_.setTileMapping(t, 0);
    return t;
  }
  /// A tensor whose elements \p name gives before the run.
  Tensor input(const std::string &name, std::vector<std::size_t> shape) {
    const Tensor t = onTile(FLOAT, std::move(shape));
    graph_.createHostWrite(name, t);
    std::vector<float> values(t.numElements());
    for (std::size_t i = 0; i != values.size(); ++i) // sums are exact
      values[i] = static_cast<float>((i * 37) % 64) * 0.125f + static_cast<float>(inputs_.size());
    inputs_.emplace_back(name, std::move(values));
    return t;
  }
  void read(const std::string &name, const Tensor &t) { graph_.createHostRead(name, t); }

  /// The loop's part of the comparison: a vertex of class \p loop.
  VertexRef vertex(const std::string &loop) {
    const ComputeSet set = graph_.addComputeSet(loop);
    const VertexRef v = graph_.addVertex(set, loop);
    graph_.setTileMapping(v, 0);
    loop_.add(Execute(set));
    return v;
  }

  void run() {
    Sequence nothing;
    const ComputeSet set = graph_.addComputeSet("nothing");
    const VertexRef v = graph_.addVertex(set, "ExitAtOnce", {{"out", onTile(FLOAT, {2})}});
    graph_.setTileMapping(v, 0);
    nothing.add(Execute(set));
    for (const auto &[name, prog] :
         {std::pair<const char *, Sequence *>{"nothing cycles", &nothing},
          {"loop cycles", &loop_},
          {"operation cycles", &operation_}})
      read(name, cycleCount(graph_, *prog, 0, SyncType::INTERNAL));
    engine_ = std::make_unique<Engine>(graph_, Sequence{prepare_, nothing, loop_, operation_});
    engine_->load(device_);
    for (const auto &[name, values] : inputs_)
      engine_->writeTensor(name, values.data(), values.data() + values.size());
    engine_->run(0);
  }
  template <typename T> std::vector<T> values(const std::string &name, std::size_t count) {
    std::vector<T> all(count);
    engine_->readTensor(name, all.data(), all.data() + count);
    return all;
  }
  /// Without what starting a compute set takes.
  double cyclesOf(const std::string &name) {
    const auto read = [&](const std::string &of) {
      const auto words = values<unsigned>(of + " cycles", 2);
      return static_cast<double>(words[0]) + 4294967296.0 * words[1];
    };
    return read(name) - read("nothing") + kExit;
  }
  void expectCyclesAgree() {
    const double exact = cyclesOf("loop"), estimate = cyclesOf("operation");
    RecordProperty("exact", std::to_string(exact));
    RecordProperty("estimate", std::to_string(estimate));
    EXPECT_NEAR(estimate / exact, 1, kWithin) << "estimate " << estimate << ", exact " << exact;
  }

  Device device_;
  Graph graph_;
  Sequence prepare_, loop_, operation_;

private:
  std::vector<std::pair<std::string, std::vector<float>>> inputs_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(HotLoops, Add) {
  const Tensor a = input("a", {kAll}), b = input("b", {kAll}), out = onTile(FLOAT, {kShare});
  const VertexRef v = vertex("AddLoop");
  graph_.connect(v["a"], a.slice(0, kShare));
  graph_.connect(v["b"], b.slice(0, kShare));
  graph_.connect(v["out"], out);
  graph_.setInitialValue(v["steps"], unsigned(kShare / 2));
  read("loop", out);
  read("operation", popops::add(graph_, a, b, operation_));
  run();
  auto all = values<unsigned>("operation", kAll);
  all.resize(kShare);
  EXPECT_EQ(values<unsigned>("loop", kShare), all);
  expectCyclesAgree();
}

TEST_F(HotLoops, ScaledAdd) {
  const Tensor a = input("a", {kAll}), b = input("b", {kAll}), own = onTile(FLOAT, {kShare});
  prepare_.add(poplar::program::Copy(a.slice(0, kShare), own));
  const VertexRef v = vertex("ScaledAddLoop");
  graph_.connect(v["a"], own);
  graph_.connect(v["b"], b.slice(0, kShare));
  graph_.setInitialValue(v["scale"], 0.3f);
  graph_.setInitialValue(v["steps"], unsigned(kShare / 2));
  read("loop", own);
  popops::scaledAddTo(graph_, a, b, 0.3f, operation_);
  read("operation", a);
  run();
  auto all = values<unsigned>("operation", kAll);
  all.resize(kShare);
  EXPECT_EQ(values<unsigned>("loop", kShare), all);
  expectCyclesAgree();
}

TEST_F(HotLoops, CastFloatToHalf) {
  const Tensor a = input("a", {kAll}), out = onTile(HALF, {kShare});
  const VertexRef v = vertex("CastLoop");
  graph_.connect(v["a"], a.slice(0, kShare));
  graph_.connect(v["out"], out);
  graph_.setInitialValue(v["steps"], unsigned(kShare / 4));
  read("loop", out);
  read("operation", popops::cast(graph_, a, HALF, operation_));
  run();
  auto all = values<std::uint16_t>("operation", kAll);
  all.resize(kShare);
  EXPECT_EQ(values<std::uint16_t>("loop", kShare), all);
  expectCyclesAgree();
}

TEST_F(HotLoops, Fill) {
  const Tensor out = onTile(FLOAT, {kShare}), all = onTile(FLOAT, {kAll});
  const VertexRef v = vertex("FillLoop");
  graph_.connect(v["out"], out);
  graph_.setInitialValue(v["value"], 2.5f);
  graph_.setInitialValue(v["steps"], unsigned(kShare / 2));
  read("loop", out);
  popops::fill(graph_, all, operation_, 2.5f);
  read("operation", all);
  run();
  auto filled = values<float>("operation", kAll);
  filled.resize(kShare);
  EXPECT_EQ(values<float>("loop", kShare), filled);
  expectCyclesAgree();
}

TEST_F(HotLoops, SumOfRows) {
  constexpr std::size_t kRows = 2 * kWorkers, kColumns = kShare / 2;
  const Tensor a = input("a", {kRows, kColumns}), out = onTile(FLOAT, {2});
  const VertexRef v = vertex("SumLoop");
  graph_.connect(v["a"], a.slice(0, 2).flatten());
  graph_.connect(v["out"], out);
  graph_.setInitialValue(v["steps"], unsigned(kColumns / 2));
  read("loop", out);
  read("operation", popops::reduce(graph_, a, {1}, popops::Operation::ADD, operation_));
  run();
  auto sums = values<float>("operation", kRows);
  sums.resize(2);
  EXPECT_EQ(values<float>("loop", 2), sums);
  expectCyclesAgree();
}

} // namespace
} // namespace copse::test
