// Tests what CycleCount.hpp, RandomSeed.hpp and CSRFunctions.hpp document, in rows on every kind of
// device. (floating_point_test.cpp tests the effect of floating-point behaviour on numbers.)
#include "contract_table.hpp"

#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/RandomSeed.hpp>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using Case = ContractTable::Case;
using Row = ContractTable::Row;

constexpr const char *kRegisterContractCodelets = R"(
#include <poplar/Vertex.hpp>
class Next : public poplar::Vertex {
public:
  poplar::InOut<int> x;
  bool compute() { *x += 1; return true; }
};
)";

/// Adds a vertex that costs \p cycles.
Program work(ContractTable &t, std::uint64_t cycles) {
  const ComputeSet set = t.graph().addComputeSet("work");
  const VertexRef v = t.graph().addVertex(set, "Next", {{"x", t.over(INT, {})}});
  t.graph().setTileMapping(v, 0);
  t.graph().setPerfEstimate(v, cycles);
  return Execute(set);
}

std::uint64_t cyclesOf(ContractTable &t, const std::string &handle) {
  std::uint64_t cycles = ~std::uint64_t{0};
  t.engine().readTensor(handle, &cycles, &cycles + 1);
  return cycles;
}

FloatingPointBehaviour kNone() { return {false, false, false, false, false}; }

const Row kRegisterRows[] = {
    {"a cycle count is two words on its tile",
     [](ContractTable &t) -> Case {
       Sequence prog;
       const unsigned tile = t.graph().getTarget().getNumTiles() - 1;
       const Tensor count = cycleCount(t.graph(), prog, tile, SyncType::EXTERNAL, "count");
       EXPECT_EQ(count.elementType(), UNSIGNED_INT);
       EXPECT_EQ(count.shape(), std::vector<std::size_t>{2});
       EXPECT_EQ(t.graph().getTileMapping(count)[tile], std::vector<Interval>(1, Interval(0, 2)));
       return {prog, {}};
     }},
    {"a cycle count is of what the sequence holds, not of what comes later",
     [](ContractTable &t) -> Case {
       Sequence first{work(t, 600)}, more{work(t, 600)};
       const auto one = t.readable(cycleCount(t.graph(), first, 0, SyncType::INTERNAL));
       first.add(work(t, 60000));
       for (int i = 0; i < 9; ++i)
         more.add(work(t, 600));
       const auto ten = t.readable(cycleCount(t.graph(), more, 0, SyncType::INTERNAL));
       return {Sequence(first, more), [=](ContractTable &table) {
                 EXPECT_GT(cyclesOf(table, ten), cyclesOf(table, one));
                 EXPECT_LT(cyclesOf(table, one), 60000u);
               }};
     }},
    {"a cycle count in a loop is that of the last round",
     [](ContractTable &t) -> Case {
       Sequence once{work(t, 600)}, body{work(t, 600)};
       const auto alone = t.readable(cycleCount(t.graph(), once, 0, SyncType::INTERNAL));
       const auto looped = t.readable(cycleCount(t.graph(), body, 0, SyncType::INTERNAL));
       return {Sequence(once, Repeat(5, body)), [=](ContractTable &table) {
                 EXPECT_EQ(cyclesOf(table, looped), cyclesOf(table, alone));
               }};
     }},
    {"cycle counts may be nested, with any sync",
     [](ContractTable &t) -> Case {
       Sequence prog{work(t, 600)};
       const auto inner = t.readable(cycleCount(t.graph(), prog, 0, SyncType::INTERNAL));
       const auto middle = t.readable(cycleCount(t.graph(), prog, 0, SyncType::EXTERNAL));
       const auto outer = t.readable(cycleCount(t.graph(), prog, 0, SyncType::GLOBAL));
       return {prog, [=](ContractTable &table) {
                 EXPECT_GE(cyclesOf(table, middle), cyclesOf(table, inner));
                 EXPECT_GE(cyclesOf(table, outer), cyclesOf(table, middle));
               }};
     }},
    {"seeds that were set are the seeds",
     [](ContractTable &t) -> Case {
       Sequence prog;
       const Tensor old = getHwSeeds(t.graph(), prog);
       EXPECT_EQ(old.elementType(), UNSIGNED_INT);
       const Tensor ours = t.counted(UNSIGNED_INT, old.shape());
       setHwSeeds(t.graph(), ours, prog);
       const auto handle = t.readable(getHwSeeds(t.graph(), prog, "now"));
       setHwSeeds(t.graph(), old, prog);
       return {prog, [=, n = old.numElements()](ContractTable &table) {
                 const auto seeds = table.valuesOf<unsigned>(handle, n);
                 for (unsigned i = 0; i < n; ++i)
                   ASSERT_EQ(seeds[i], i);
               }};
     }},
    {"behaviour that was read and given back is as before",
     [](ContractTable &t) -> Case {
       Sequence prog;
       const auto read = [&] {
         return t.readable(getAndModifyFloatingPointBehaviour(t.graph(), prog, kNone(), kNone()));
       };
       const auto before = read();
       const Tensor saved = getAndModifyFloatingPointBehaviour(t.graph(), prog, kNone(),
                                                               {false, false, false, true, true});
       const auto changed = read();
       setFloatingPointBehaviour(t.graph(), prog, saved);
       const auto after = read();
       return {prog, [=, n = saved.numElements()](ContractTable &table) {
                 EXPECT_EQ(table.valuesOf<unsigned>(before, n), table.valuesOf<unsigned>(after, n));
                 EXPECT_NE(table.valuesOf<unsigned>(before, n),
                           table.valuesOf<unsigned>(changed, n));
               }};
     }},
    {"what is to be set wins over what is to be cleared",
     [](ContractTable &t) -> Case {
       Sequence prog;
       const FloatingPointBehaviour nan(false, false, false, false, true);
       const Tensor saved = getAndModifyFloatingPointBehaviour(t.graph(), prog, nan, nan);
       const Tensor now = getAndModifyFloatingPointBehaviour(t.graph(), prog, kNone(), kNone());
       const auto handle = t.readable(now);
       setFloatingPointBehaviour(t.graph(), prog, saved);
       return {prog, [=, n = now.numElements()](ContractTable &table) {
                 const auto flags = table.valuesOf<unsigned>(handle, n);
                 for (std::size_t i = 0; i < n; i += 5)
                   ASSERT_EQ(flags[i + 4], 1u);
               }};
     }},
};

class RegisterHeaders : public ContractRow<Row> {};
INSTANTIATE_TEST_SUITE_P(Rows, RegisterHeaders, onEveryDevice(kRegisterRows), rowName<Row>);

TEST_P(RegisterHeaders, BehaveAsDocumented) { holds(row(), kRegisterContractCodelets); }

} // namespace
} // namespace copse::test
