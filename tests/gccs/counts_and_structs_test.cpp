#include "gccs/Algorithm.hpp"
#include "gccs/ArrayRef.hpp"
#include "gccs/CompilerFeatures.hpp"
#include "gccs/StructHelper.hpp"
#include "gccs/generic_id.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

namespace {

TEST(CountArithmetic, RoundsQuotientsAndMultiples) {
  EXPECT_EQ(gccs::ceildiv(7u, 2ul), 4u);
  EXPECT_EQ(gccs::ceildiv(~0u, 2u), 1u << 31) << "without overflow";
  EXPECT_EQ(gccs::floordiv(7u, 2u), 3u);
  EXPECT_EQ(gccs::ceildiv0(0u, 0u), 0u);
  EXPECT_EQ(gccs::alignNext(9u, 4u), 12u);
  EXPECT_EQ(gccs::alignNext(8u, 4u), 8u);
  EXPECT_EQ(gccs::alignPrev(9u, 4u), 8u);
}

TEST(CountArithmetic, KnowsPowersOfTwo) {
  EXPECT_TRUE(gccs::isPowerOf2(64u));
  EXPECT_FALSE(gccs::isPowerOf2(65u));
  const unsigned digits[] = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4};
  for (unsigned n = 0; n < 10; ++n)
    EXPECT_EQ(gccs::ceilLog2(n), digits[n]) << n;
  EXPECT_EQ(gccs::ceilLog2(~0u), 32u);
}

TEST(CountArithmetic, SpreadsElementsEvenly) {
  for (unsigned n = 0; n < 30; ++n) {
    for (unsigned parts = 1; parts < 9; ++parts) {
      const auto [larger, smaller] = gccs::balancedPartition(n, parts);
      EXPECT_EQ(larger + smaller, parts);
      EXPECT_EQ(larger * gccs::ceildiv(n, parts) + smaller * gccs::floordiv(n, parts), n);
    }
  }
  EXPECT_EQ(gccs::balancedPartition(8u, 4u), (std::pair<unsigned, unsigned>(4, 0)));
  EXPECT_EQ(gccs::balancedPartition(8u, 0u), (std::pair<unsigned, unsigned>(0, 0)));
  EXPECT_EQ(gccs::nthTriangular(4u), 10u);
}

struct Shape {
  unsigned rows;
  std::string name;
};
constexpr auto kByAll = gccs::makeStructHelper(&Shape::rows, &Shape::name);
constexpr gccs::StructHelper kByRows(&Shape::rows);

TEST(StructHelpers, CompareByTheirMembersInOrder) {
  const Shape a{1, "b"}, b{1, "c"}, c{2, "a"};
  EXPECT_TRUE(kByAll.lt(a, b) && kByAll.lt(b, c) && !kByAll.lt(b, a) && !kByAll.lt(a, a));
  EXPECT_TRUE(kByRows.eq(a, b) && !kByAll.eq(a, b) && kByAll.eq(c, c));
}

using Vertex = gccs::generic_id<struct VertexTag, unsigned>;
using Edge = gccs::generic_id<struct EdgeTag, unsigned>;
static_assert(!std::is_convertible_v<Edge, Vertex> && !std::is_convertible_v<unsigned, Vertex>);

TEST(GenericIds, AreNumbersWhereTheyAreRead) {
  const std::vector<std::string> names{"a", "b"};
  EXPECT_EQ(names[Vertex(1)], "b");
  EXPECT_EQ(Vertex(1).value, Vertex::underlying_type{1});
  EXPECT_EQ(Vertex(), Vertex(0));
  EXPECT_LT(Vertex(1), Vertex(2));
}

struct Old {
  GC_DEPRECATED int value() const { return 1; }
};
enum class GC_DEPRECATED_MSG("use another") OldKind { One };

TEST(ArrayRefs, HaveAnAlias) {
  const std::vector<int> values{1, 2};
  const gccs::ArrayRef all(values), first(values.data(), 1U);
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(first.cloneAsVector(), std::vector<int>{1});
}

} // namespace
