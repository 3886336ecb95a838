// Tests a vector of vectors in every pair of layouts, bit by bit.  Source: guide, tables 4.1 and
// 4.2.
#include "models.hpp"
#include "vertex_memory.hpp"

#include "compiler/compute_set_lowering.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

#include <cstring>

namespace copse::compiler {
namespace {

using popc::Architecture;
using popc::Field;
using popc::FieldDirection;
using popc::FieldKind;
using popc::Layout;

struct LayoutCase {
  const char *name;
  Layout layout;
  unsigned bytes;                                                       ///< in the state
  std::uint64_t (*bits)(std::uint64_t address, std::uint64_t elements); ///< on Mk1
};

constexpr LayoutCase kLayouts[] = {
    {"Span", Layout::Span, 8,
     [](std::uint64_t address, std::uint64_t elements) { return address | elements << 32; }},
    {"ShortSpan", Layout::ShortSpan, 4,
     [](std::uint64_t address, std::uint64_t elements) { return address | elements << 20; }},
    {"OnePtr", Layout::OnePtr, 4, [](std::uint64_t address, std::uint64_t) { return address; }},
    {"ScaledPtr32", Layout::ScaledPtr32, 2,
     [](std::uint64_t address, std::uint64_t) { return (address - 0x40000) >> 2; }},
    {"ScaledPtr64", Layout::ScaledPtr64, 2,
     [](std::uint64_t address, std::uint64_t) { return address >> 3; }},
    {"ScaledPtr128", Layout::ScaledPtr128, 2,
     [](std::uint64_t address, std::uint64_t) { return address >> 4; }},
};

class NestedEncoding : public ::testing::TestWithParam<std::tuple<LayoutCase, LayoutCase>> {
protected:
  static constexpr std::uint32_t kBase = 0x40000;

  /// A vertex whose field `a` is Vector<Input<Vector<float, inner>>, outer> with rows of \p sizes.
  NestedEncoding() { model_.arch = Architecture::Ipu1; }
  void connect(const std::vector<std::uint64_t> &sizes) {
    const auto [outer, inner] = GetParam();
    const auto type = test::addVertexType(model_, "V", {FieldDirection::Input});
    Field &field = model_.vertexTypes[type].fields[0];
    field.kind = FieldKind::VectorOfVectors;
    field.outer = outer.layout;
    field.inner = inner.layout;
    field.minAlign = 16;
    const auto vertex = test::addVertex(model_, test::addComputeSet(model_, "set"), type, 0);
    for (std::uint32_t row = 0; row < sizes.size(); ++row) {
      const auto data = test::addVariable(model_, "row" + std::to_string(row),
                                          std::vector<std::uint32_t>(sizes[row], 0));
      test::connect(model_, vertex, 0, {{data, 0, sizes[row], 1}}, row);
    }
  }
  /// Returns the vertex state, and its address.
  std::pair<std::uint32_t, std::vector<std::byte>> state() {
    const VertexIndex index(model_);
    TileAllocator allocator(1, kBase, 0x40000);
    const Liveness liveness = nothingShared(model_);
    MemoryRules rules(model_, index, liveness.homes);
    Placement placement(model_, liveness, rules, allocator);
    VertexMemory vertices(model_, index, placement, rules, allocator);
    MemorySharing sharing(allocator, liveness.ranges);
    vertices.placeBuffers(liveness, sharing);
    std::vector<wire::Image> images(1);
    ComputeSetLowering(model_, index, placement, vertices).emit(images, {0}, [](std::uint32_t) {
      return std::nullopt;
    });
    return {images[0].initial.back().to.address, images[0].data};
  }
  static std::uint64_t number(const std::vector<std::byte> &bytes, std::size_t at, unsigned size) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    return value;
  }
  graph::Model model_ = test::emptyModel(1, 1);
};

TEST_P(NestedEncoding, HasTheBitsOfTheGuide) {
  const auto [outer, inner] = GetParam();
  connect({4, 4095, 8});
  const auto [address, bytes] = state();
  const std::uint32_t rowAddresses[] = {kBase, kBase + 16, kBase + 16 + 16384};
  const std::uint64_t sizes[] = {4, 4095, 8};
  std::size_t table = 8; // behind the field, aligned
  while ((address + table) % 16 != 0)
    ++table;
  EXPECT_EQ(number(bytes, 0, outer.bytes), outer.bits(address + table, 3));
  for (unsigned row = 0; row < 3; ++row)
    EXPECT_EQ(number(bytes, table + row * inner.bytes, inner.bytes),
              inner.bits(rowAddresses[row], sizes[row]))
        << "row " << row;
}

TEST_P(NestedEncoding, NamesVertexFieldAndLimitOfALongRow) {
  const auto [outer, inner] = GetParam();
  connect({4, 4096});
  if (inner.layout != Layout::ShortSpan) {
    EXPECT_NO_THROW(state());
    return;
  }
  try {
    state();
    FAIL() << "4096 elements do not fit into 12 bits";
  } catch (const poplar::graph_connection_error &e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("field 'a'"),
                                           ::testing::HasSubstr("vertex 'V'"),
                                           ::testing::HasSubstr("at most 4095")));
  }
}

TEST_P(NestedEncoding, NamesVertexFieldAndLimitOfManyRows) {
  const auto [outer, inner] = GetParam();
  connect(std::vector<std::uint64_t>(4096, 1));
  if (outer.layout != Layout::ShortSpan) {
    EXPECT_NO_THROW(state());
    return;
  }
  try {
    state();
    FAIL() << "4096 rows do not fit into 12 bits";
  } catch (const poplar::graph_connection_error &e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("field 'a'"),
                                           ::testing::HasSubstr("vertex 'V'"),
                                           ::testing::HasSubstr("at most 4095")));
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, NestedEncoding,
                         ::testing::Combine(::testing::ValuesIn(kLayouts),
                                            ::testing::ValuesIn(kLayouts)),
                         [](const auto &p) {
                           return std::string(std::get<0>(p.param).name) + "Of" +
                                  std::get<1>(p.param).name;
                         });

} // namespace
} // namespace copse::compiler
