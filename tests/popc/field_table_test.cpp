#include "parsed_source.hpp"

#include <gtest/gtest.h>

namespace copse::popc {
namespace {

/// One declared field, and its description on one device.
struct FieldCase {
  const char *label, *declaration;
  Architecture arch;
  FieldDirection direction;
  FieldKind kind;
  ElementType type;
  std::uint32_t elementBytes;
  Layout outer, inner;
  std::uint32_t minAlign, bytes;
};

class FieldTable : public ::testing::TestWithParam<FieldCase> {};

TEST_P(FieldTable, DescribesTheField) {
  const FieldCase &c = GetParam();
  const std::string source =
      "#include <poplar/QuarterFloat.hpp>\nstruct Pair { int a; float b; }; enum Mode { A, B }; "
      "enum class Small : "
      "unsigned char { C };\nclass V : public Vertex { public: char before; " +
      std::string(c.declaration) + " bool compute() { return true; } };";
  const auto types = test::vertexTypesOf(source, c.arch);
  ASSERT_EQ(types.size(), 1u);
  ASSERT_EQ(types[0].fields.size(), 2u);
  const Field &field = types[0].fields[1];
  EXPECT_EQ(field.name, "f");
  EXPECT_EQ(field.direction, c.direction);
  EXPECT_EQ(field.kind, c.kind);
  EXPECT_EQ(field.type, c.type);
  EXPECT_EQ(field.elementBytes, c.elementBytes);
  EXPECT_EQ(field.outer, c.outer);
  EXPECT_EQ(field.inner, c.inner);
  EXPECT_EQ(field.minAlign, c.minAlign);
  EXPECT_EQ(field.bytes, c.bytes);
}

using enum FieldDirection;
using enum FieldKind;
using L = Layout;
using E = ElementType;

// Layouts: guide, tables 4.1 to 4.3; enumerations: guide, 10.1; half: guide, 2.3.2.
const FieldCase kFieldCases[] = {
    {"InputScalar", "Input<float> f;", Architecture::Ipu2, Input, Scalar, E::Float, 4,
     L::NotAVector, L::NotAVector, 4, 4},
    {"Quarters", "Input<Vector<quarter>> f;", Architecture::Ipu21, Input, Vector, E::Quarter, 1,
     L::Span, L::NotAVector, 1, 8},
    {"MetadataOfQuarters", "Input<quarter_metadata> f;", Architecture::Cpu, Input, Scalar,
     E::QuarterMetadata, 1, L::NotAVector, L::NotAVector, 1, 4},
    {"StateOfVectorsOfVectors",
     "Vector<Vector<short, VectorLayout::ONE_PTR, 8>, VectorLayout::SHORT_SPAN> f;",
     Architecture::Ipu2, State, VectorOfVectors, E::Short, 2, L::ShortSpan, L::OnePtr, 8, 4},
    {"OutputHalf", "Output<half> f;", Architecture::Ipu2, Output, Scalar, E::Half, 2, L::NotAVector,
     L::NotAVector, 2, 4},
    {"HalfOfCpuIsAFloat", "Output<half> f;", Architecture::Cpu, Output, Scalar, E::Half, 4,
     L::NotAVector, L::NotAVector, 4, 4},
    {"SpanIsTheDefault", "InOut<Vector<int>> f;", Architecture::Ipu2, InOut, Vector, E::Int, 4,
     L::Span, L::NotAVector, 4, 8},
    {"OnePtr", "Input<Vector<unsigned short, VectorLayout::ONE_PTR>> f;", Architecture::Ipu1, Input,
     Vector, E::UnsignedShort, 2, L::OnePtr, L::NotAVector, 2, 4},
    {"AlignedAndInterleaved", "Input<Vector<float, VectorLayout::SPAN, 16, true>> f;",
     Architecture::Ipu2, Input, Vector, E::Float, 4, L::Span, L::NotAVector, 16, 8},
    {"NeverLessThanNaturalAlignment", "Input<Vector<float, VectorLayout::ONE_PTR, 1>> f;",
     Architecture::Ipu2, Input, Vector, E::Float, 4, L::OnePtr, L::NotAVector, 4, 4},
    {"ShortSpan", "Input<Vector<bool, VectorLayout::SHORT_SPAN>> f;", Architecture::Ipu2, Input,
     Vector, E::Bool, 1, L::ShortSpan, L::NotAVector, 1, 4},
    {"ShortSpanOfCpu", "Input<Vector<bool, VectorLayout::SHORT_SPAN>> f;", Architecture::Cpu, Input,
     Vector, E::Bool, 1, L::Span, L::NotAVector, 1, 8},
    {"ScaledPtr32", "Input<Vector<char, VectorLayout::SCALED_PTR32>> f;", Architecture::Ipu1, Input,
     Vector, E::Char, 1, L::ScaledPtr32, L::NotAVector, 4, 2},
    {"ScaledPtr64", "Input<Vector<float, VectorLayout::SCALED_PTR64>> f;", Architecture::Ipu1,
     Input, Vector, E::Float, 4, L::ScaledPtr64, L::NotAVector, 8, 2},
    {"ScaledPtr128", "Input<Vector<half, VectorLayout::SCALED_PTR128>> f;", Architecture::Ipu2,
     Input, Vector, E::Half, 2, L::ScaledPtr128, L::NotAVector, 16, 2},
    {"CompactOf2", "Input<Vector<half, VectorLayout::COMPACT_PTR>> f;", Architecture::Ipu1, Input,
     Vector, E::Half, 2, L::OnePtr, L::NotAVector, 2, 4},
    {"CompactOf4OnMk1", "Input<Vector<half, VectorLayout::COMPACT_PTR, 4>> f;", Architecture::Ipu1,
     Input, Vector, E::Half, 2, L::ScaledPtr32, L::NotAVector, 4, 2},
    {"CompactOf8OnMk1", "Input<Vector<half, VectorLayout::COMPACT_PTR, 8>> f;", Architecture::Ipu1,
     Input, Vector, E::Half, 2, L::ScaledPtr64, L::NotAVector, 8, 2},
    {"CompactOf8OnMk2", "Input<Vector<half, VectorLayout::COMPACT_PTR, 8>> f;", Architecture::Ipu2,
     Input, Vector, E::Half, 2, L::OnePtr, L::NotAVector, 8, 4},
    {"CompactOf16OnMk2", "Input<Vector<half, VectorLayout::COMPACT_PTR, 16>> f;",
     Architecture::Ipu2, Input, Vector, E::Half, 2, L::OnePtr, L::NotAVector, 16, 4},
    {"CompactOf16OnMk1", "Input<Vector<half, VectorLayout::COMPACT_PTR, 16>> f;",
     Architecture::Ipu1, Input, Vector, E::Half, 2, L::ScaledPtr64, L::NotAVector, 16, 2},
    {"CompactOf16OnCpu", "Input<Vector<int, VectorLayout::COMPACT_PTR, 16>> f;", Architecture::Cpu,
     Input, Vector, E::Int, 4, L::OnePtr, L::NotAVector, 16, 4},
    {"VectorOfEdges", "Vector<Input<int>, VectorLayout::ONE_PTR> f;", Architecture::Ipu2, Input,
     VectorOfScalars, E::Int, 4, L::OnePtr, L::NotAVector, 4, 4},
    {"VectorOfVectors",
     "Vector<Output<Vector<float, VectorLayout::ONE_PTR, 8>>, VectorLayout::SHORT_SPAN> f;",
     Architecture::Ipu2, Output, VectorOfVectors, E::Float, 4, L::ShortSpan, L::OnePtr, 8, 4},
    {"ListOfMk1", "Input<VectorList<float, VectorListLayout::COMPACT_DELTAN>> f;",
     Architecture::Ipu1, Input, VectorList, E::Float, 4, L::DeltaN, L::NotAVector, 4, 6},
    {"ListOfMk2", "InOut<VectorList<half, VectorListLayout::COMPACT_DELTAN, 8>> f;",
     Architecture::Ipu2, InOut, VectorList, E::Half, 2, L::DeltaNElements, L::NotAVector, 8, 8},
    {"ListOfCpuIsSpans", "Input<VectorList<int, VectorListLayout::COMPACT_DELTAN>> f;",
     Architecture::Cpu, Input, VectorOfVectors, E::Int, 4, L::Span, L::Span, 4, 8},
    {"StateVector", "Vector<unsigned char, VectorLayout::ONE_PTR> f;", Architecture::Ipu2, State,
     Vector, E::UnsignedChar, 1, L::OnePtr, L::NotAVector, 1, 4},
    {"ConstState", "const unsigned f;", Architecture::Ipu2, State, Scalar, E::UnsignedInt, 4,
     L::NotAVector, L::NotAVector, 4, 4},
    {"LongOfNativeCodeIsLongLong", "long f;", Architecture::Ipu2, State, Scalar, E::LongLong, 8,
     L::NotAVector, L::NotAVector, 8, 8},
    {"Enumeration", "Mode f;", Architecture::Ipu2, State, Scalar, E::UnsignedInt, 4, L::NotAVector,
     L::NotAVector, 4, 4},
    {"FixedEnumeration", "Small f;", Architecture::Ipu2, State, Scalar, E::UnsignedChar, 1,
     L::NotAVector, L::NotAVector, 1, 1},
    {"Struct", "Input<Vector<Pair>> f;", Architecture::Ipu2, Input, Vector, E::Other, 8, L::Span,
     L::NotAVector, 4, 8},
};

INSTANTIATE_TEST_SUITE_P(Forms, FieldTable, ::testing::ValuesIn(kFieldCases),
                         [](const auto &c) { return c.param.label; });

TEST(FieldTable, LaysStateOutInOrderWithNaturalAlignment) {
  const auto types = test::vertexTypesOf(
      "class V : public Vertex { bool a; Input<Vector<float, VectorLayout::SCALED_PTR128>> b; "
      "unsigned char c; Input<Vector<float>> d; short e[3]; Output<int> g; bool compute(); };",
      Architecture::Ipu2);
  ASSERT_EQ(types.size(), 1u);
  std::vector<std::uint32_t> offsets;
  for (const Field &field : types[0].fields)
    offsets.push_back(field.offset);
  EXPECT_EQ(offsets, (std::vector<std::uint32_t>{0, 2, 4, 8, 16, 24}));
  EXPECT_EQ(types[0].stateBytes, 28u);
  EXPECT_EQ(types[0].stateAlign, 4u);
}

TEST(FieldTable, KnowsTheLengthOfArrays) {
  const auto types = test::vertexTypesOf("class V : public Vertex { half w[5]; bool compute(); };",
                                         Architecture::Ipu2);
  ASSERT_EQ(types.size(), 1u);
  EXPECT_EQ(types[0].fields[0].arrayLength, 5u);
  EXPECT_EQ(types[0].fields[0].elementBytes, 2u);
  EXPECT_EQ(types[0].fields[0].bytes, 10u);
}

} // namespace
} // namespace copse::popc
