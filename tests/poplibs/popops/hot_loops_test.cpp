// Compares estimates of vertices with loops in tile assembly, whose cycles are exact: one worker's
// share of an operation, with the same bits as the operation's.
#include "loop_comparison.hpp"

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;

constexpr std::size_t kShare = 960, kWorkers = 6, kAll = kShare * kWorkers;

class HotLoops : public LoopComparison {
protected:
  HotLoops() : LoopComparison(HOT_LOOP_SOURCES) {}

  /// Returns a tensor with numbers whose sums are exact, and which differ from the inputs before.
  Tensor input(std::vector<std::size_t> shape) {
    const Tensor t = onTile(FLOAT, std::move(shape));
    std::vector<float> values(t.numElements());
    for (std::size_t i = 0; i != values.size(); ++i)
      values[i] = static_cast<float>((i * 37) % 64) * 0.125f + static_cast<float>(inputs_);
    ++inputs_;
    graph_.setInitialValue(t, ArrayRef<float>(values));
    return t;
  }

private:
  unsigned inputs_ = 0;
};

TEST_F(HotLoops, Add) {
  const Tensor a = input({kAll}), b = input({kAll}), out = onTile(FLOAT, {kShare});
  const VertexRef v = vertex("AddLoop");
  graph_.connect(v["a"], a.slice(0, kShare));
  graph_.connect(v["b"], b.slice(0, kShare));
  graph_.connect(v["out"], out);
  graph_.setInitialValue(v["steps"], unsigned(kShare / 2));
  expectAgreement(out, popops::add(graph_, a, b, operation_));
}

TEST_F(HotLoops, ScaledAdd) {
  const Tensor a = input({kAll}), b = input({kAll}), own = onTile(FLOAT, {kShare});
  prepare_.add(poplar::program::Copy(a.slice(0, kShare), own));
  const VertexRef v = vertex("ScaledAddLoop");
  graph_.connect(v["a"], own);
  graph_.connect(v["b"], b.slice(0, kShare));
  graph_.setInitialValue(v["scale"], 0.3f);
  graph_.setInitialValue(v["steps"], unsigned(kShare / 2));
  popops::scaledAddTo(graph_, a, b, 0.3f, operation_);
  expectAgreement(own, a);
}

TEST_F(HotLoops, CastFloatToHalf) {
  const Tensor a = input({kAll}), out = onTile(HALF, {kShare});
  const VertexRef v = vertex("CastLoop");
  graph_.connect(v["a"], a.slice(0, kShare));
  graph_.connect(v["out"], out);
  graph_.setInitialValue(v["steps"], unsigned(kShare / 4));
  expectAgreement(out, popops::cast(graph_, a, HALF, operation_));
}

TEST_F(HotLoops, Fill) {
  const Tensor out = onTile(FLOAT, {kShare}), all = onTile(FLOAT, {kAll});
  const VertexRef v = vertex("FillLoop");
  graph_.connect(v["out"], out);
  graph_.setInitialValue(v["value"], 2.5f);
  graph_.setInitialValue(v["steps"], unsigned(kShare / 2));
  popops::fill(graph_, all, operation_, 2.5f);
  expectAgreement(out, all);
}

TEST_F(HotLoops, SumOfRows) {
  constexpr std::size_t kRows = 2 * kWorkers, kColumns = kShare / 2;
  const Tensor a = input({kRows, kColumns}), out = onTile(FLOAT, {2});
  const VertexRef v = vertex("SumLoop");
  graph_.connect(v["a"], a.slice(0, 2).flatten());
  graph_.connect(v["out"], out);
  graph_.setInitialValue(v["steps"], unsigned(kColumns / 2));
  expectAgreement(out, popops::reduce(graph_, a, {1}, popops::Operation::ADD, operation_));
}

TEST_F(HotLoops, SliceOfRows) {
  constexpr std::size_t kRows = 256, kColumns = 32, kLookups = 20;
  const Tensor table = input({kRows, kColumns}), out = onTile(FLOAT, {kLookups, kColumns}),
               offsets = onTile(UNSIGNED_INT, {kWorkers * kLookups, 1});
  std::vector<unsigned> rows(offsets.numElements());
  for (std::size_t i = 0; i != rows.size(); ++i)
    rows[i] = static_cast<unsigned>(i * 101 % kRows);
  graph_.setInitialValue(offsets, ArrayRef<unsigned>(rows));
  const VertexRef v = vertex("SliceLoop");
  graph_.connect(v["table"], table.flatten());
  graph_.connect(v["offsets"], offsets.slice(0, kLookups).flatten());
  graph_.connect(v["out"], out.flatten());
  graph_.setInitialValue(v["rowBytes"], unsigned(kColumns * sizeof(float)));
  graph_.setInitialValue(v["steps"], unsigned(kColumns / 2));
  graph_.setInitialValue(v["firstRow"], 0U);
  graph_.setInitialValue(v["rows"], unsigned(kRows));
  graph_.setInitialValue(v["lookups"], unsigned(kLookups));
  expectAgreement(out, popops::multiSlice(graph_, table, offsets, {0}, {1}, operation_,
                                          popops::SlicePlan(), {}));
}

} // namespace
} // namespace copse::test
