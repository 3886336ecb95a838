#include "parsed_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace copse::popc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> namesIn(const std::string &source,
                                 Architecture arch = Architecture::Ipu2) {
  std::vector<std::string> names;
  for (const VertexType &type : test::vertexTypesOf(source, arch))
    names.push_back(type.name);
  return names;
}

VertexType onlyVertexOf(const std::string &source) {
  const auto types = test::vertexTypesOf(source, Architecture::Ipu2);
  EXPECT_EQ(types.size(), 1u);
  return types.empty() ? VertexType{} : types.front();
}

TEST(VertexFinder, FindsClassesInNamespaces) {
  EXPECT_THAT(
      namesIn(
          "class A : public Vertex { bool compute(); };"
          "namespace n { namespace m { struct B : MultiVertex { void compute(unsigned); }; } }"),
      ElementsAre("A", "n::m::B"));
}

TEST(VertexFinder, IgnoresOtherClassesAndThoseWithoutCompute) {
  EXPECT_THAT(namesIn("class Helper { bool compute(); }; class Base : public Vertex { int n; };"),
              IsEmpty());
}

TEST(VertexFinder, FindsFunctionsOfScalarsThatTileCodeMayCall) {
  const std::string source =
      "float f(float x, int n) { return x * n; }\n"
      "namespace n { template <class T> class C { static bool g(T x); };\n"
      "template <> class C<half> { public: static bool g(half x, unsigned char c) { return c; } "
      "};\n"
      "inline void h() {} }\n"
      "extern \"C\" short plain(short x) { return x; }\n"
      // None of these: a class with parameters, no body, static, unnamed, a member, a template, no
      // scalars, too many.
      "namespace n { template <class T> class C<T *> { static bool g() { return true; } }; }\n"
      "float declared(float); static int own(int x) { return x; }\n"
      "namespace { int hidden(int x) { return x; } }\n"
      "struct S { int member(int x) { return x; } };\n"
      "template <class T> T any(T x) { return x; } template int any(int);\n"
      "int pointed(int *x) { return *x; } long wide(long x) { return x; } double d() { return 1; "
      "}\n"
      "int many(int, int, int, int, int) { return 0; } int gone(int) = delete;\n";
  std::vector<std::string> symbols;
  for (const ScalarFunction &function : test::codeIn(source, Architecture::Ipu2).functions)
    symbols.push_back(function.symbol);
  EXPECT_THAT(symbols, ElementsAre("_Z1ffi", "_ZN1n1CIDhE1gEDhh", "_ZN1n1hEv", "plain"));
  EXPECT_THAT(test::codeIn(source, Architecture::Cpu).functions, IsEmpty());
}

TEST(VertexFinder, FindsExplicitInstantiationsOnly) {
  EXPECT_THAT(
      namesIn("template <class T> class A : public Vertex { bool compute() { return true; } };"
              "template class A<unsigned>; inline bool f(A<int> *a) { return a->compute(); }"),
      ElementsAre("A<unsigned int>"));
}

TEST(VertexFinder, KnowsWhichComputeIsAFunctionOfItsOwn) {
  std::vector<std::string> apart;
  for (const FoundVertex &vertex : test::verticesIn(
           "class Plain : public Vertex { public: bool compute() { return true; } };"
           "template <class T> class A : public Vertex { public: bool compute() { return true; } };"
           "template <> class A<float> : public Vertex { public: bool compute() { return true; } };"
           "template <class T> class Heir : public A<T> {};"
           "template <class T> class Inlined : public Vertex {\n"
           "public: __attribute__((always_inline)) bool compute() { return true; } };"
           "template class A<int>; template class Heir<int>; template class Inlined<int>;",
           Architecture::Ipu2))
    if (vertex.isComputeInstantiated)
      apart.push_back(vertex.type.name);
  EXPECT_THAT(apart, ElementsAre("A<int>"));
}

TEST(VertexFinder, EvaluatesFunctionsThatConstantsNeed) {
  const auto types = test::vertexTypesOf(
      "constexpr unsigned sum(unsigned n) { unsigned s = 0; while (n) s += n--; return s; }\n"
      "constexpr auto isLarge(unsigned n) { if (n > 5) return true; return false; }\n"
      "inline auto wide() { return 1LL; }\n"
      "template <unsigned n> class A : public Vertex { public: int state[sum(n)];\n"
      "decltype(wide()) last; static const bool isExternalCodelet = isLarge(sum(n));\n"
      "bool compute() { return true; } };\n"
      "template class A<2>; template class A<3>;",
      Architecture::Ipu2);
  ASSERT_EQ(types.size(), 2u);
  EXPECT_FALSE(types[0].external);
  EXPECT_TRUE(types[1].external);
  ASSERT_EQ(types[1].fields.size(), 2u);
  EXPECT_EQ(types[1].fields[0].arrayLength, 6u);
  EXPECT_EQ(types[1].fields[1].bytes, 8u);
}

TEST(VertexFinder, WritesOutAllTemplateArguments) {
  EXPECT_THAT(
      namesIn("namespace n { enum class E { X, Y }; enum Old { P, Q }; constexpr int k = -3;\n"
              "using Word = unsigned short; template <class T> struct Op {};\n"
              "template <class T, E e = E::Y, bool b = true, int i = k, Old o = Q>\n"
              "class A : public Vertex { bool compute() { return true; } };\n"
              "template class A<Word>; template class A<Op<half>, E::X, false, 7u, P>; }"),
      ElementsAre("n::A<unsigned short,n::E::Y,true,-3,n::Q>",
                  "n::A<n::Op<half>,n::E::X,false,7,n::P>"));
}

TEST(VertexFinder, DistinguishesVertexMultiVertexAndSupervisor) {
  const auto types =
      test::vertexTypesOf("class A : public Vertex { bool compute(); }; class B : public "
                          "MultiVertex { bool compute(unsigned); };"
                          "class C : public SupervisorVertexIf<true> { bool compute(); };",
                          Architecture::Ipu2);
  ASSERT_EQ(types.size(), 3u);
  EXPECT_FALSE(types[0].multiVertex || types[0].supervisor);
  EXPECT_TRUE(types[1].multiVertex && !types[1].supervisor);
  EXPECT_TRUE(types[2].supervisor && !types[2].multiVertex);
}

TEST(VertexFinder, FollowsBasesThatDependOnTemplateParameters) {
  const VertexType type = onlyVertexOf(
      "namespace n { template <class T> class Root : public std::conditional<sizeof(T) == 2, "
      "MultiVertex, Vertex>::type {\n"
      "  public: Input<T> first; };\n"
      "template <class T, unsigned N> class Middle : public Root<T> { public: T second[N]; };\n"
      "template <class T> class Top : public Middle<T, 2> { public: T third; bool "
      "compute(unsigned) { return true; } };\n"
      "template class Top<short>; }");
  EXPECT_EQ(type.name, "n::Top<short>");
  EXPECT_TRUE(type.multiVertex);
  ASSERT_EQ(type.fields.size(), 3u);
  EXPECT_EQ(type.fields[0].name, "first");
  EXPECT_EQ(type.fields[1].offset, 4u);
  EXPECT_EQ(type.fields[2].offset, 8u);
}

TEST(VertexFinder, FollowsBasesOfPartialSpecialisations) {
  const VertexType type = onlyVertexOf(
      "template <class T> class Base : public Vertex { public: T x; };\n"
      "template <class T, bool B> class A;\n"
      "template <class T> class A<T, true> : public Base<T> { bool compute() { return true; } };\n"
      "template class A<int, true>;");
  EXPECT_EQ(type.name, "A<int,true>");
  ASSERT_EQ(type.fields.size(), 1u);
}

TEST(VertexFinder, EvaluatesIsExternalCodeletPerInstance) {
  const auto types =
      test::vertexTypesOf("template <class T> class A : public Vertex {\n"
                          "  static const bool isExternalCodelet = std::is_same<T, float>::value;\n"
                          "  bool compute() { return true; } };\n"
                          "template class A<float>; template class A<half>;",
                          Architecture::Ipu2);
  ASSERT_EQ(types.size(), 2u);
  EXPECT_TRUE(types[0].external);
  EXPECT_FALSE(types[1].external);
}

TEST(VertexFinder, ReadsConstraints) {
  EXPECT_THAT(
      onlyVertexOf(
          "class [[poplar::constraint(\"elem(*a) != elem(*b)\", \"region(*a)!=region(*b)\")]]\n"
          "A : public Vertex { Input<Vector<int>> a, b; bool compute(); };")
          .constraints,
      ElementsAre("elem(*a) != elem(*b)", "region(*a)!=region(*b)"));
}

TEST(VertexFinder, AHeaderThatCannotBeFoundIsAnError) {
  EXPECT_THROW(namesIn("#include \"not_there.hpp\"\n"), std::runtime_error);
}

TEST(VertexFinder, SeesAutoCompute) {
  EXPECT_THAT(namesIn("class A : public Vertex { auto compute() -> bool { return true; } };"),
              ElementsAre("A"));
}

} // namespace
} // namespace copse::popc
