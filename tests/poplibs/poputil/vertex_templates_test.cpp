#include <gtest/gtest.h>

#include <poputil/VertexTemplates.hpp>

namespace {

TEST(VertexTemplates, ArgumentsAreSpelledLikeInCodelets) {
  EXPECT_EQ(poputil::templateVertex("ns::Vertex", poplar::FLOAT, true, 4u, "x"),
            "ns::Vertex<float,true,4,x>");
  EXPECT_EQ(poputil::templateVertex("V", poplar::UNSIGNED_INT, std::string("y")),
            "V<unsigned int,y>");
}
TEST(VertexTemplates, ANameWithoutArgumentsStays) {
  EXPECT_EQ(poputil::templateVertex("ns::Vertex"), "ns::Vertex");
}

} // namespace
