#include "names.hpp"

#include "popc/popc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace copse::popc {
namespace {

struct NameCase {
  const char *label, *spelling, *canonical;
};

class CanonicalName : public ::testing::TestWithParam<NameCase> {};

TEST_P(CanonicalName, UnifiesSpellings) {
  EXPECT_EQ(canonicalName(GetParam().spelling), GetParam().canonical);
}

TEST_P(CanonicalName, IsItsOwnCanonicalName) {
  EXPECT_EQ(canonicalName(GetParam().canonical), GetParam().canonical);
}

INSTANTIATE_TEST_SUITE_P(
    Names, CanonicalName,
    ::testing::Values(NameCase{"Plain", "ns::Name", "ns::Name"},
                      NameCase{"BlanksAfterCommas", "A<float, half, true>", "A<float,half,true>"},
                      NameCase{"BlankBeforeBracket", "A< B<int> >", "A<B<int>>"},
                      NameCase{"Unsigned", "A<unsigned>", "A<unsigned int>"},
                      NameCase{"FixedWidth", "A<uint32_t, int8_t>", "A<unsigned int,signed char>"},
                      NameCase{"UnsignedShort", "A<unsigned  short>", "A<unsigned short>"},
                      NameCase{"LongLong", "A<unsigned long long>", "A<unsigned long long>"},
                      NameCase{"NumbersHaveNoSuffix", "A<4U, 2ul, 17>", "A<4,2,17>"},
                      NameCase{"Enumerator", "A<n::E::X , n::E::Y>", "A<n::E::X,n::E::Y>"}),
    [](const auto &c) { return c.param.label; });

struct SymbolCase {
  const char *label, *name, *symbol;
};

class EntrySymbol : public ::testing::TestWithParam<SymbolCase> {};

TEST_P(EntrySymbol, IsMangledLikeInTheGuide) {
  EXPECT_EQ(entrySymbol(canonicalName(GetParam().name)), GetParam().symbol);
}

// Source: guide, 3.5 and table 3.2; underscores in arguments: assembly sources of libraries.
INSTANTIATE_TEST_SUITE_P(
    Names, EntrySymbol,
    ::testing::Values(SymbolCase{"Number", "popnn::NonLinearity2D<float, 2>",
                                 "__runCodelet_popnn__NonLinearity2D___float_2"},
                      SymbolCase{"Enumerator", "popops::UnaryOp<popops::expr::ABSOLUTE, half>",
                                 "__runCodelet_popops__UnaryOp___popops__expr__ABSOLUTE_half"},
                      SymbolCase{"Bool", "popconv::ConvPartial1x1<float, half, true>",
                                 "__runCodelet_popconv__ConvPartial1x1___float_half_true"},
                      SymbolCase{"UnderscoreInArgument",
                                 "popops::Reduce<popops::ReductionSpecialisation::SCALAR_OUTPUT>",
                                 "__runCodelet_popops__Reduce___popops__ReductionSpecialisation__"
                                 "SCALAR___OUTPUT"},
                      SymbolCase{"UnderscoreOutside", "popops::Reduce_All<float>",
                                 "__runCodelet_popops__Reduce_All___float"},
                      SymbolCase{"BlankInType", "X<unsigned int,half>",
                                 "__runCodelet_X___unsigned_int_half"},
                      SymbolCase{"TwoUnderscores", "My__Vertex", "__runCodelet_My_ZVertex"},
                      SymbolCase{"Nested", "a::X<b::Y<int>,2>", "__runCodelet_a__X___b__Y___int_2"},
                      SymbolCase{"Negative", "X<-1>", "__runCodelet_X____1"}),
    [](const auto &c) { return c.param.label; });

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SplitFlags, SplitsAtBlanks) {
  EXPECT_THAT(splitFlags("  -O3  -I ../x\t-DA=1\n"), ElementsAre("-O3", "-I", "../x", "-DA=1"));
}

TEST(SplitFlags, KeepsQuotedTextTogether) {
  EXPECT_THAT(splitFlags(R"(-DA='x y' "-DB=a b" -DC=\"s\" '')"),
              ElementsAre("-DA=x y", "-DB=a b", "-DC=\"s\"", ""));
}

TEST(SplitFlags, ReturnsNothingForAnEmptyText) { EXPECT_THAT(splitFlags(" \t "), IsEmpty()); }

} // namespace
} // namespace copse::popc
