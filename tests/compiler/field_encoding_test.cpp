#include "field_encoding.hpp"

#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <span>
#include <vector>

namespace copse::compiler {
namespace {

using popc::Layout;

// Addresses and counts, bit by bit.  Source: guide, 4.2.1 and 4.2.2.
const struct EncodingCase {
  const char *name;
  Layout layout;
  std::uint32_t memoryBase;
  Pointer pointer;
  std::uint64_t bits;
  std::uint32_t bytes;
} kEncodings[] = {
    {"Scalar", Layout::NotAVector, 0x4C000, {0x4C010, 1}, 0x4C010, 4},
    {"OnePtr", Layout::OnePtr, 0x4C000, {0x4C010, 7}, 0x4C010, 4},
    {"Span", Layout::Span, 0x4C000, {0x4C010, 7}, 0x7'0004C010ull, 8},
    {"ShortSpan", Layout::ShortSpan, 0x4C000, {0x4C010, 4095}, 0xFFF4C010, 4},
    {"ScaledPtr32", Layout::ScaledPtr32, 0x40000, {0x41234, 1}, 0x048D, 2},
    {"ScaledPtr64", Layout::ScaledPtr64, 0x40000, {0x41238, 1}, 0x8247, 2},
    {"ScaledPtr128", Layout::ScaledPtr128, 0x4C000, {0xE7FF0, 1}, 0xE7FF, 2},
};

class FieldEncoding : public ::testing::TestWithParam<EncodingCase> {};

TEST_P(FieldEncoding, HasTheBitsOfTheGuide) {
  const auto &c = GetParam();
  std::array<std::byte, 8> bytes{};
  encodePointer(c.layout, c.pointer, c.memoryBase, "field", bytes);
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  EXPECT_EQ(bits, c.bits);
  EXPECT_EQ(pointerBytes(c.layout), c.bytes);
}

INSTANTIATE_TEST_SUITE_P(Layouts, FieldEncoding, ::testing::ValuesIn(kEncodings),
                         [](const auto &p) { return p.param.name; });

TEST(FieldEncodingLimits, ShortSpanHoldsNoMoreThan4095Elements) {
  std::array<std::byte, 8> bytes{};
  try {
    encodePointer(Layout::ShortSpan, {0x4C000, 4096}, 0x4C000, "field 'a' of vertex 'V'", bytes);
    FAIL() << "4096 elements do not fit into 12 bits";
  } catch (const poplar::graph_connection_error &e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("field 'a' of vertex 'V'"),
                                           ::testing::HasSubstr("4095")));
  }
}

// Tests addresses that only tiles larger than the chip's have. The layout could not represent them.
TEST(FieldEncodingLimits, NoLayoutTruncatesAnAddress) {
  std::array<std::byte, 8> bytes{};
  const struct {
    Layout layout;
    std::uint32_t base, address;
  } cases[] = {
      {Layout::ShortSpan, 0x4C000, 0x100000},
      {Layout::ScaledPtr32, 0x40000, 0x80000},
      {Layout::ScaledPtr64, 0x40000, 0x80000},
      {Layout::ScaledPtr128, 0x4C000, 0x100000},
  };
  for (const auto &[layout, base, address] : cases) {
    EXPECT_NO_THROW(encodePointer(layout, {address - 16, 1}, base, "field", bytes)) << address;
    EXPECT_THROW(encodePointer(layout, {address, 1}, base, "field", bytes),
                 poplar::graph_memory_allocation_error)
        << address;
  }
  EXPECT_NO_THROW(encodePointer(Layout::Span, {0x1FFFF0, 1}, 0x4C000, "field", bytes));
}

/// Returns the words of a list of two rows: its own two, then its table.
std::array<std::uint32_t, 4> wordsOfList(Layout layout, std::span<const Pointer> rows,
                                         std::uint32_t align, std::uint32_t memoryBase) {
  std::array<std::uint32_t, 4> words{};
  const auto bytes = std::as_writable_bytes(std::span(words));
  encodeList(layout, rows, align, memoryBase + 0x100, memoryBase, "field", bytes.first(8),
             bytes.subspan(8));
  return words;
}

TEST(ListEncoding, DeltaNCountsBytesFromTheLowestRow) {
  const Pointer rows[] = {{0x41010, 3}, {0x41000, 2}};
  EXPECT_THAT(wordsOfList(Layout::DeltaN, rows, 4, 0x40000),
              ::testing::ElementsAre(0x41000 | 2 << 20, 0x100 >> 2, 0x10 | 3 << 18, 2 << 18));
}

TEST(ListEncoding, DeltaNElementsCountsUnitsOfTheAlignment) {
  const Pointer rows[] = {{0x4D010, 3}, {0x4D000, 2}};
  EXPECT_THAT(wordsOfList(Layout::DeltaNElements, rows, 8, 0x4C000),
              ::testing::ElementsAre(0x4D000, 0x4C100 | 2 << 24, 2 | 3 << 18, 2 << 18));
}

TEST(ListEncoding, DeltaNElementsSplitsTheNumberOfRows) {
  const std::vector<Pointer> rows(0x1234, Pointer{0x4C000, 1});
  std::array<std::uint32_t, 2> words{};
  std::vector<std::byte> table(4 * rows.size());
  encodeList(Layout::DeltaNElements, rows, 4, 0x50000, 0x4C000, "field",
             std::as_writable_bytes(std::span(words)), table);
  EXPECT_THAT(words, ::testing::ElementsAre(0x4C000 | 0x12 << 24, 0x50000 | 0x34 << 24));
}

TEST(ListEncoding, GivesEmptyRowsNoOffset) {
  const Pointer rows[] = {{0x40000, 0}, {0x41000, 2}};
  EXPECT_THAT(wordsOfList(Layout::DeltaN, rows, 4, 0x40000),
              ::testing::ElementsAre(0x41000 | 2 << 20, 0x100 >> 2, 0, 2 << 18));
}

const struct ListLimit {
  const char *name;
  Layout layout;
  std::uint32_t align;
  std::size_t rows;
  std::uint64_t elements;
  const char *limit;
} kListLimits[] = {
    {"DeltaNRows", Layout::DeltaN, 4, 4096, 1, "4095"},
    {"DeltaNElements", Layout::DeltaN, 4, 1, 16384, "16383"},
    {"DeltaNElementsRows", Layout::DeltaNElements, 4, 65536, 1, "65535"},
    {"DeltaNElementsOfBytes", Layout::DeltaNElements, 1, 1, 2048, "2047"},
    {"DeltaNElementsOfWords", Layout::DeltaNElements, 4, 1, 8192, "8191"},
};

class ListLimits : public ::testing::TestWithParam<ListLimit> {};

TEST_P(ListLimits, AreNamed) {
  const auto &c = GetParam();
  const auto encode = [&](std::size_t rows, std::uint64_t elements) {
    std::array<std::byte, 8> field{};
    std::vector<std::byte> table(4 * rows);
    const std::vector<Pointer> pointers(rows, Pointer{0x40000, elements});
    encodeList(c.layout, pointers, c.align, 0x40000, 0x40000, "field 'a'", field, table);
  };
  const bool ofRows = c.rows > 1;
  EXPECT_NO_THROW(encode(ofRows ? c.rows - 1 : 1, ofRows ? 1 : c.elements - 1));
  try {
    encode(c.rows, c.elements);
    FAIL() << "more than " << c.limit;
  } catch (const poplar::graph_connection_error &e) {
    EXPECT_THAT(e.what(),
                ::testing::AllOf(::testing::HasSubstr("field 'a'"), ::testing::HasSubstr(c.limit)));
  }
}
INSTANTIATE_TEST_SUITE_P(Layouts, ListLimits, ::testing::ValuesIn(kListLimits),
                         [](const auto &p) { return p.param.name; });

} // namespace
} // namespace copse::compiler
