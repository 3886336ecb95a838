#include "models.hpp"
#include "vertex_memory.hpp"

#include "compiler/compute_set_lowering.hpp"

#include <gmock/gmock.h>

#include <cstring>

namespace copse::compiler {
namespace {

using popc::FieldDirection;

constexpr std::uint32_t kMemoryBegin = 0x4C000, kInterleavedBegin = 0x80000, kBankBytes = 0x4000;
constexpr std::uint64_t kMemory = 0x9C000;

/// A vertex on tile 0 that reads `a` and writes `b`, each of which may lie in a variable of its
/// own.
struct RuleSample {
  graph::Model model = test::emptyModel(1, 1);
  std::uint64_t memory = kMemory;

  popc::VertexType &type() { return model.vertexTypes.front(); }

  RuleSample(std::size_t elementsOfA, std::size_t elementsOfB) {
    const auto a = variable("a", elementsOfA), b = variable("b", elementsOfB);
    vertex({a, 0, elementsOfA, 1}, {b, 0, elementsOfB, 1});
  }
  /// Both are halves of one variable.
  explicit RuleSample(std::size_t elements) {
    const auto both = variable("both", 2 * elements);
    vertex({both, 0, elements, 1}, {both, elements, elements, 1});
  }
  /// The vertex reads every second element of `a`.
  static RuleSample gathering(std::size_t elements) {
    RuleSample sample(2 * elements, elements);
    sample.model.runs.front().stride = 2;
    sample.model.runs.front().count = elements;
    sample.model.edges.front().elements = elements;
    return sample;
  }
  /// Adds a vertex of the same type, tile and compute set, with the same input, that writes `c`.
  void oneMore(std::size_t elementsOfC) {
    const graph::Run input = model.runs.front();
    const auto c = variable("c", elementsOfC);
    const auto v = test::addVertex(model, 0, 0, 0);
    test::connect(model, v, 0, {input});
    test::connect(model, v, 1, {{c, 0, elementsOfC, 1}});
  }
  graph::VariableId variable(const std::string &name, std::size_t elements) {
    return test::addVariable(model, name, std::vector<std::uint32_t>(elements, 0));
  }
  void vertex(const graph::Run &a, const graph::Run &b) {
    const auto set = test::addComputeSet(model, "set");
    const auto v = test::addVertex(
        model, set,
        test::addVertexType(model, "V", {FieldDirection::Input, FieldDirection::Output}), 0);
    test::connect(model, v, 0, {a});
    test::connect(model, v, 1, {b});
  }

  struct Result {
    std::uint32_t a = 0, b = 0; ///< addresses that the last vertex sees
    std::uint32_t firstA = 0;   ///< address that the first vertex sees
    bool copiesIn = false;      ///< some `a` is in a buffer
    bool copiesOut = false;     ///< some `b` is
    std::uint64_t used = 0;
    std::uint32_t elementOf(std::uint32_t address) const { return address / kBankBytes; }
  };
  Result lowered() {
    const VertexIndex index(model);
    TileAllocator allocator(1, kMemoryBegin, memory);
    const Liveness liveness = nothingShared(model);
    MemoryRules rules(model, index, liveness.homes);
    Placement placement(model, liveness, rules, allocator);
    VertexMemory vertices(model, index, placement, rules, allocator);
    MemorySharing sharing(allocator, liveness.ranges);
    placement.placeShared(sharing);
    vertices.placeBuffers(liveness, sharing);
    std::vector<wire::Image> images(1);
    const auto steps =
        ComputeSetLowering(model, index, placement, vertices).emit(images, {0}, [](std::uint32_t) {
          return std::nullopt;
        });
    Result result;
    const std::byte *const state = images[0].data.data() + images[0].initial.back().offset;
    std::memcpy(&result.a, state, sizeof result.a);
    std::memcpy(&result.b, state + 8, sizeof result.b);
    std::memcpy(&result.firstA, images[0].data.data(), sizeof result.firstA);
    result.copiesIn = steps.front().before.has_value();
    result.copiesOut = steps.front().after.has_value();
    result.used = allocator.used(0);
    return result;
  }
};

TEST(MemoryRules, UnconstrainedVariablesLieSideBySide) {
  const auto at = RuleSample(4, 4).lowered();
  EXPECT_EQ(at.a, kMemoryBegin);
  EXPECT_EQ(at.b, kMemoryBegin + 16);
}

TEST(MemoryRules, ConstrainedVariablesGetElementsOfTheirOwn) {
  RuleSample sample(4, 4);
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  const auto at = sample.lowered();
  EXPECT_NE(at.elementOf(at.a), at.elementOf(at.b));
  EXPECT_FALSE(at.copiesOut);
}

TEST(MemoryRules, NoByteOfALargeVariableSharesAnElement) {
  RuleSample sample(3 * kBankBytes / 4 + 1, 4);
  sample.type().constraints = {"elem(*b)!=elem(*a)"};
  const auto at = sample.lowered();
  EXPECT_GT(at.elementOf(at.b), at.elementOf(at.a + 3 * kBankBytes));
}

/// Returns the first address that a variable with rules can have: vertex state lies below.
std::uint32_t firstAddress() {
  RuleSample sample(4, 4);
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  return sample.lowered().a;
}

/// A loop loads the data of its next iteration beside a store, so it reads past the end of its
/// data.
TEST(MemoryRules, DataThatALoopReadsAheadIsKeptApartToo) {
  const std::uint32_t end = kMemoryBegin + kBankBytes;
  RuleSample sample((end - firstAddress()) / 4, 4);
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  const auto at = sample.lowered();
  EXPECT_EQ(at.a, firstAddress());
  EXPECT_EQ(at.b, end + kBankBytes);
}

TEST(MemoryRules, NoLoopReadsAheadIntoEarlierVariables) {
  const std::uint32_t bytes = kInterleavedBegin - firstAddress();
  RuleSample sample(4, bytes / 4);
  sample.memory = kMemory + bytes;
  sample.type().fields[0].interleaved = true;
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  const auto at = sample.lowered();
  EXPECT_EQ(at.a, kInterleavedBegin);
  EXPECT_EQ(at.b, kInterleavedBegin + 2 * kBankBytes);
}

TEST(MemoryRules, InterleavedDataLieInInterleavedMemory) {
  RuleSample sample(4, 4);
  sample.type().fields[0].interleaved = true;
  const auto at = sample.lowered();
  EXPECT_EQ(at.a, kInterleavedBegin);
  EXPECT_LT(at.b, kInterleavedBegin);
}

TEST(MemoryRules, PairsOfElementsAreOneInInterleavedMemory) {
  RuleSample sample(4, 4);
  sample.type().fields[0].interleaved = sample.type().fields[1].interleaved = true;
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  const auto at = sample.lowered();
  EXPECT_EQ(at.a, kInterleavedBegin);
  EXPECT_EQ(at.b, kInterleavedBegin + 2 * kBankBytes);
}

TEST(MemoryRules, RegionsAreKeptApart) {
  RuleSample sample(4, 4);
  sample.type().constraints = {"region(*a) != region(*b)"};
  const auto at = sample.lowered();
  EXPECT_LT(at.a, kInterleavedBegin);
  EXPECT_GE(at.b, kInterleavedBegin);
}

/// Tests tile code, and native code whose memory is laid out as on the chip.
class MemoryRulesOfCode : public ::testing::TestWithParam<bool> {
protected:
  void setCode(RuleSample &sample) { sample.type().external = GetParam(); }
};

TEST_P(MemoryRulesOfCode, AVariableThatHoldsBothGetsABuffer) {
  RuleSample sample(4);
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  setCode(sample);
  const auto at = sample.lowered();
  EXPECT_NE(at.elementOf(at.a), at.elementOf(at.b));
  EXPECT_FALSE(at.copiesIn);
  EXPECT_TRUE(at.copiesOut);
}

TEST_P(MemoryRulesOfCode, GatheredDataIsKeptApart) {
  RuleSample sample = RuleSample::gathering(4);
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  setCode(sample);
  const auto at = sample.lowered();
  EXPECT_NE(at.elementOf(at.a), at.elementOf(at.b));
  EXPECT_TRUE(at.copiesIn);
  EXPECT_FALSE(at.copiesOut);
}

TEST_P(MemoryRulesOfCode, GatheredDataIsInterleaved) {
  RuleSample sample = RuleSample::gathering(4);
  sample.type().fields[0].interleaved = true;
  setCode(sample);
  const auto at = sample.lowered();
  EXPECT_EQ(at.a, kInterleavedBegin);
  EXPECT_LT(at.b, kInterleavedBegin);
}

TEST_P(MemoryRulesOfCode, GatheredDataIsInARegionOfItsOwn) {
  RuleSample sample = RuleSample::gathering(4);
  sample.type().constraints = {"region(*a) != region(*b)"};
  setCode(sample);
  const auto at = sample.lowered();
  EXPECT_NE(at.a < kInterleavedBegin, at.b < kInterleavedBegin);
}

TEST_P(MemoryRulesOfCode, VerticesShareABufferThatObeysTheRulesOfBoth) {
  RuleSample sample = RuleSample::gathering(4);
  sample.type().fields[0].interleaved = true;
  setCode(sample);
  sample.oneMore(4);
  const auto at = sample.lowered();
  EXPECT_EQ(at.a, kInterleavedBegin);
  EXPECT_EQ(at.firstA, at.a);
}

INSTANTIATE_TEST_SUITE_P(Code, MemoryRulesOfCode, ::testing::Bool(), [](const auto &code) {
  return code.param ? std::string("Tile") : std::string("Native");
});

TEST(MemoryRules, NativeCodeWorksInPlaceWhereThereIsNoRoomForABuffer) {
  RuleSample sample(4);
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  sample.memory = kBankBytes;
  const auto at = sample.lowered();
  EXPECT_EQ(at.b, at.a + 16);
  EXPECT_FALSE(at.copiesOut);
}

TEST(MemoryRules, NativeCodeDoesWithoutWhereMemoryIsTooSmall) {
  RuleSample sample(kBankBytes / 4 + 4, kBankBytes / 8);
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  sample.memory = 2 * kBankBytes;
  const auto at = sample.lowered();
  EXPECT_EQ(at.elementOf(at.a + kBankBytes), at.elementOf(at.b));
  EXPECT_LE(at.used, sample.memory);
}

TEST(MemoryRules, CpuTargetsHaveNoRules) {
  RuleSample sample(4, 4);
  sample.model.arch = popc::Architecture::Cpu;
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  sample.type().fields[0].interleaved = true;
  const auto at = sample.lowered();
  EXPECT_EQ(at.b, at.a + 16);
}

TEST(MemoryRules, PointersOfNestedVectorsAreNotTheirData) {
  RuleSample sample(4, 4);
  sample.type().fields[0].kind = popc::FieldKind::VectorOfVectors;
  sample.type().constraints = {"elem(*a) != elem(*b)"};
  EXPECT_THAT(popc::fieldsApart(sample.type()), ::testing::IsEmpty());
  sample.type().constraints = {"elem(**a) != elem(*b)"};
  EXPECT_THAT(popc::fieldsApart(sample.type()),
              ::testing::ElementsAre(popc::FieldsApart{0, 1, false}));
}

} // namespace
} // namespace copse::compiler
