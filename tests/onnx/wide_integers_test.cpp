// Tests integers of 64 bits and doubles, for which the device has 32 bits: they are computed
// exactly or refused, never truncated.
#include "errors.hpp"
#include "model_writer.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;
using Attributes = std::map<std::string, onnx::Attribute>;

HostTensor integers(Integers values, ElementType type = ElementType::Int64) {
  const onnx::Shape shape = {values.size()};
  return {type, shape, {}, std::move(values)};
}

HostTensor outputOf(const std::string &op, const std::vector<HostTensor> &inputs,
                    const Attributes &attributes = {}, const std::string &device = "cpu",
                    unsigned replicas = 1) {
  ModelWriter writer;
  onnx::Request request;
  request.device = device;
  request.replicas = replicas;
  std::vector<std::string> names;
  for (const HostTensor &input : inputs) {
    names.push_back("x" + std::to_string(names.size()));
    writer.input(names.back(), {static_cast<std::int64_t>(input.shape.at(0) / replicas)},
                 input.type);
    request.inputs[names.back()] = input;
  }
  const TemporaryFolder folder;
  const std::string path = folder.path() / "model.onnx";
  writer.node(op, names, {"y"}, attributes).output("y").write(path);
  return onnx::runModel(onnx::readModel(path), request).outputs.at("y");
}

template <class... Arguments> std::string refusalOf(const Arguments &...arguments) {
  try {
    outputOf(arguments...);
  } catch (const onnx::ModelError &error) {
    return error.what();
  }
  return "";
}

TEST(OnnxWideIntegers, AreRefusedAsInputsIfTheDeviceCannotHoldThem) {
  EXPECT_THAT(refusalOf("Identity", std::vector{integers({1, std::int64_t{1} << 40})}),
              HasSubstr("input 'x0' holds 1099511627776, which does not fit into the 32 bits"));
  EXPECT_THAT(refusalOf("Identity", std::vector{integers({-1}, ElementType::UInt64)}),
              HasSubstr("holds 18446744073709551615"));
  EXPECT_EQ(outputOf("Identity", {integers({-2147483648, 2147483647})}).integers,
            (Integers{-2147483648, 2147483647}));
  EXPECT_EQ(outputOf("Identity", {integers({4294967295}, ElementType::UInt64)}).integers,
            (Integers{4294967295}));
}

TEST(OnnxWideIntegers, MayHave64BitsIfOnlyTheHostReadsThem) {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(outputOf("Slice", {integers({1, 2, 3}), integers({1}), integers({largest})}).integers,
            (Integers{2, 3}));
}

TEST(OnnxWideIntegers, EndTheRunIfAResultExceeds32Bits) {
  const HostTensor a = integers({3, 46341}), b = integers({4, -46341});
  EXPECT_EQ(outputOf("Mul", {integers({46340, -46341}), integers({46340, 46340})}).integers,
            (Integers{2147395600, -2147441940}));
  EXPECT_THAT(refusalOf("Mul", std::vector{a, b}),
              HasSubstr("node 'the_Mul' (Mul, opset 13): a result does not fit into the 32 bits"));
  EXPECT_THAT(refusalOf("Add", std::vector{integers({2147483647}), integers({1})}),
              HasSubstr("'the_Add'"));
  EXPECT_EQ(outputOf("Add", {integers({2147483646}), integers({1})}).integers,
            Integers{2147483647});
  EXPECT_THAT(refusalOf("ReduceSum", std::vector{integers({2000000000, 2000000000})}),
              HasSubstr("'the_ReduceSum'"));
  EXPECT_THAT(refusalOf("Neg", std::vector{integers({-2147483648})}), HasSubstr("'the_Neg'"));
  EXPECT_THAT(refusalOf("Sub", std::vector{integers({1}, ElementType::UInt64),
                                           integers({2}, ElementType::UInt64)}),
              HasSubstr("'the_Sub'"));
}

TEST(OnnxWideIntegers, AreCheckedOnEveryReplicaOfAnIpu) {
  const HostTensor x = integers({1, 2, 3, 1 << 20});
  EXPECT_THAT(refusalOf("Mul", std::vector{x, x}, Attributes{}, std::string("ipumodel"), 2u),
              HasSubstr("'the_Mul'"));
}

TEST(OnnxWideIntegers, AreCheckedWhenConvertedFromOtherTypes) {
  const Attributes to64 = {{"to", std::int64_t{7}}}, toUnsigned64 = {{"to", std::int64_t{13}}};
  EXPECT_EQ(outputOf("Cast", {floats({2}, {-7.5f, 2e9f})}, to64).integers,
            (Integers{-7, 2000000000}));
  EXPECT_THAT(refusalOf("Cast", std::vector{floats({1}, {3e9f})}, to64), HasSubstr("'the_Cast'"));
  EXPECT_THAT(refusalOf("Cast", std::vector{integers({3000000000}, ElementType::UInt32)}, to64),
              HasSubstr("'the_Cast'"));
  EXPECT_THAT(refusalOf("Cast", std::vector{integers({-1}, ElementType::Int32)}, toUnsigned64),
              HasSubstr("'the_Cast'"));
}

/// Integers of 32 bits wrap round, as ONNX requires.
TEST(OnnxWideIntegers, DoNotIncludeThoseOf32Bits) {
  const HostTensor x = integers({65536}, ElementType::Int32);
  EXPECT_EQ(outputOf("Mul", {x, x}).integers, Integers{0});
}

TEST(OnnxDoubles, AreRefusedOutsideTheRangeOfFloats) {
  const TemporaryFolder folder;
  HostTensor tensor = makeTensor(ElementType::Double, {1});
  const double large = 1e300;
  EXPECT_THROW(decodeElements(&large, tensor), onnx::ModelError);
  const double infinite = std::numeric_limits<double>::infinity();
  decodeElements(&infinite, tensor);
  EXPECT_EQ(tensor.reals, std::vector<float>{std::numeric_limits<float>::infinity()});
}

} // namespace
} // namespace copse::test
