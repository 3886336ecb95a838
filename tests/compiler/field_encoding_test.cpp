#include "compiler/field_encoding.hpp"

#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cstring>

namespace copse::compiler {
namespace {

using codelets::Layout;

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
    {"ShortSpan", Layout::ShortSpan, 0x4C000, {0x4C010, 2047}, 0xFFE4C010, 4},
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

TEST(FieldEncodingLimits, ShortSpanHoldsNoMoreThan2047Elements) {
  std::array<std::byte, 8> bytes{};
  try {
    encodePointer(Layout::ShortSpan, {0x4C000, 2048}, 0x4C000, "field 'a' of vertex 'V'", bytes);
    FAIL() << "2048 elements do not fit into 11 bits";
  } catch (const poplar::graph_connection_error &e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("field 'a' of vertex 'V'"),
                                           ::testing::HasSubstr("2047")));
  }
}

} // namespace
} // namespace copse::compiler
