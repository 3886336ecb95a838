#include "tile_memory.hpp"

#include "popc/arch.hpp"

#include <gmock/gmock.h>

namespace copse::popc {
namespace {

/// A file of codelets in the style of public libraries.
struct Style {
  const char *name;
  std::size_t vertices;
  const char *one; ///< the name of one of its vertices
};

class Styles : public ::testing::TestWithParam<std::tuple<Style, Architecture>> {
protected:
  test::OwnCache cache_;
};

TEST_P(Styles, CompileLikeInTheirLibraries) {
  const auto [style, arch] = GetParam();
  CompileOptions options;
  options.targets = {arch};
  options.flags = {"-O3", "-Werror", "-Wdouble-promotion", "-DNDEBUG"};
  const std::vector<Module> modules =
      compileFile(std::string(COPSE_CODELET_STYLES "/") + style.name + ".cpp", options);
  std::vector<std::string> names;
  for (const VertexType &vertex : modules.at(0).vertices)
    names.push_back(vertex.name);
  EXPECT_THAT(names, ::testing::Contains(style.one));
  EXPECT_EQ(names.size(), style.vertices);
  const test::OpenModule opened(modules.at(0));
  // Libraries leave some vertices to assembly where a tile can run it.
  EXPECT_EQ(opened.entry(style.one) == nullptr, opened.vertex(style.one).external);
  EXPECT_TRUE(arch != Architecture::Cpu || !opened.vertex(style.one).external);
}

constexpr Style kStyles[] = {
    {"elementwise", 60, "popops::UnaryOp2D<popops::expr::UnaryOpType::RELU,half>"},
    {"reduce", 15,
     "popops::ReduceWithScale<popops::ReduceAdd,half,float,false,"
     "popops::ReductionSpecialisation::STRIDED_REDUCE>"},
    {"conv", 8, "poplin::ConvPartialnx1<half,half,true,true,8,4>"},
    {"vectors", 2, "VecStyle"},
    {"registers", 1, "Register"},
};

INSTANTIATE_TEST_SUITE_P(Libraries, Styles,
                         ::testing::Combine(::testing::ValuesIn(kStyles),
                                            ::testing::Values(Architecture::Ipu1,
                                                              Architecture::Ipu2)),
                         [](const auto &p) {
                           return std::string(std::get<0>(p.param).name) + "_" +
                                  std::string(traitsOf(std::get<1>(p.param)).name);
                         });

} // namespace
} // namespace copse::popc
