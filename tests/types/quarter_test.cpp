#include "poplar/Quarter.hpp"
#include "poplar/Target.hpp"
#include "poplar/TypeConversion.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace poplar {
namespace {

using Format = QuarterMetadata::Format;

/// Number of digits of the fraction, and the bias of the exponent.
struct Definition {
  Format format;
  int fractionBits, bias;
  double largest;
};
const Definition kDefinitions[] = {{Format::F143, 3, 8, 240}, {Format::F152, 2, 16, 57344}};

/// Returns the value of sign, exponent and fraction by the definition of the format.
double defined(unsigned code, const Definition &d, int scale) {
  const int exponent = static_cast<int>(code & 0x7F) >> d.fractionBits;
  const double fraction = std::ldexp(code & ((1u << d.fractionBits) - 1), -d.fractionBits);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - d.bias)
                                         : std::ldexp(1 + fraction, exponent - d.bias);
  return std::ldexp(code < 0x80 ? magnitude : -magnitude, scale);
}

template <class Use> void forEachMetadata(Use use) {
  for (const Definition &d : kDefinitions)
    for (int scale = -32; scale <= 31; ++scale) {
      SCOPED_TRACE(std::to_string(d.fractionBits) + " digits, scale " + std::to_string(scale));
      use(d, QuarterMetadata(d.format, scale), scale);
    }
}

std::uint8_t toQuarter(float value, const QuarterMetadata &metadata) {
  std::uint8_t code = 0;
  convertToDeviceType(QUARTER, metadata, ArrayRef<float>(&value, 1), &code);
  return code;
}
float fromQuarter(std::uint8_t code, const QuarterMetadata &metadata) {
  float value = 0;
  convertFromDeviceType(QUARTER, metadata, &code, ArrayRef<float>(&value, 1));
  return value;
}

TEST(QuarterMetadata, PrintsItself) {
  std::ostringstream out;
  out << QuarterMetadata(Format::F143, -2) << "; " << QuarterMetadata();
  EXPECT_EQ(out.str(), "F143, scale -2; F152, scale 0");
}

TEST(Quarter, EveryCodeIsTheNumberThatItsFormatDefines) {
  forEachMetadata([](const Definition &d, const QuarterMetadata &metadata, int scale) {
    for (unsigned code = 0; code < 256; ++code) {
      if (code == 0x80)
        continue;
      const float value = fromQuarter(static_cast<std::uint8_t>(code), metadata);
      ASSERT_EQ(value, defined(code, d, scale)) << code;
      ASSERT_EQ(toQuarter(value, metadata), code);
    }
    ASSERT_TRUE(std::isnan(fromQuarter(0x80, metadata)));
  });
}

TEST(Quarter, RoundsToTheNearestAndFromTheMiddleToTheEvenOne) {
  forEachMetadata([](const Definition &d, const QuarterMetadata &metadata, int scale) {
    for (unsigned code = 0; code < 127; ++code) {
      const auto middle =
          static_cast<float>((defined(code, d, scale) + defined(code + 1, d, scale)) / 2);
      const unsigned even = code % 2 == 0 ? code : code + 1;
      ASSERT_EQ(toQuarter(middle, metadata), even);
      ASSERT_EQ(toQuarter(std::nextafter(middle, INFINITY), metadata), code + 1);
      ASSERT_EQ(toQuarter(std::nextafter(middle, 0.0f), metadata), code);
      ASSERT_EQ(toQuarter(-middle, metadata), even == 0 ? 0 : even | 0x80) << "there is no -0";
    }
  });
}

TEST(Quarter, SaturatesAndPreservesNaN) {
  forEachMetadata([](const Definition &d, const QuarterMetadata &metadata, int scale) {
    const float most = std::numeric_limits<float>::max();
    ASSERT_EQ(fromQuarter(0x7F, metadata), std::ldexp(d.largest, scale));
    ASSERT_EQ(toQuarter(most, metadata), 0x7F);
    ASSERT_EQ(toQuarter(-most, metadata), 0xFF);
    for (const double factor :
         {1.01, 1.25, 2.0, 16.0, 4096.0}) { // with the exponent still in reach
      const auto beyond = static_cast<float>(std::ldexp(d.largest * factor, scale));
      ASSERT_EQ(toQuarter(beyond, metadata), 0x7F);
      ASSERT_EQ(toQuarter(-beyond, metadata), 0xFF);
    }
    for (const float value : {INFINITY, -INFINITY, NAN})
      ASSERT_EQ(toQuarter(value, metadata), 0x80);
    for (const float value : {0.0f, -0.0f, std::numeric_limits<float>::denorm_min()})
      ASSERT_EQ(toQuarter(value, metadata), 0);
  });
}

TEST(Quarter, MetadataAreOneByte) {
  forEachMetadata([](const Definition &d, const QuarterMetadata &metadata, int scale) {
    const QuarterMetadata again = QuarterMetadata::fromBits(metadata.bits());
    ASSERT_EQ(again, metadata);
    ASSERT_EQ(again.getFormat(), d.format);
    ASSERT_EQ(again.getScale(), scale);
  });
  static_assert(sizeof(QuarterMetadata) == 1);
  EXPECT_NE(QuarterMetadata(Format::F143, 0), QuarterMetadata(Format::F152, 0));
  EXPECT_THROW(QuarterMetadata(Format::F143, 32), tensor_metadata_error);
  EXPECT_THROW(QuarterMetadata(Format::F143, -33), tensor_metadata_error);
}

TEST(Quarter, NeedsMetadataToBeConverted) {
  const float value = 1;
  std::uint8_t code = 0;
  EXPECT_THROW(convertToDeviceType(QUARTER, ArrayRef<float>(&value, 1), &code), type_error);
  const QuarterMetadata any(Format::F143, 3);
  float copy = 0;
  convertToDeviceType(FLOAT, any, ArrayRef<float>(&value, 1), &copy);
  EXPECT_EQ(copy, 1) << "other types have none";
}

TEST(Quarter, IsATypeOfOneByte) {
  const Target target = Target::createIPUTarget(1, "ipu21");
  EXPECT_EQ(target.getTypeSize(QUARTER), 1U);
  EXPECT_EQ(target.getTypeSize(QUARTER_METADATA), 1U);
  EXPECT_EQ(target.getVectorWidth(QUARTER), 8U);
  EXPECT_EQ("V<" + QUARTER.toString() + ">", "V<quarter>");
  EXPECT_EQ(equivalent_device_type<QuarterMetadata>().value, QUARTER_METADATA);
}

TEST(Quarter, IsTakenByTheConvolutionUnitsOfIpu21) {
  const Target with = Target::createIPUTarget(1, "ipu21");
  const Target without = Target::createIPUTarget(1, "ipu2");
  EXPECT_EQ(with.getWeightsPerConvUnit(QUARTER), 32U);
  EXPECT_EQ(with.getConvUnitInputLoadElemsPerCycle(QUARTER), 8U);
  EXPECT_EQ(with.getNumConvUnits(QUARTER, HALF), 16U);
  EXPECT_EQ(with.getNumConvUnits(QUARTER, FLOAT), 0U);
  EXPECT_EQ(without.getWeightsPerConvUnit(QUARTER), 0U);
  EXPECT_EQ(without.getNumConvUnits(QUARTER, HALF), 0U);
}

TEST(ConvolutionUnits, TakeHalvesAndFloatsByType) {
  const Target target = Target::createIPUTarget(1, "ipu2");
  EXPECT_EQ(target.getWeightsPerConvUnit(HALF), target.getWeightsPerConvUnit(false));
  EXPECT_EQ(target.getWeightsPerConvUnit(FLOAT), target.getWeightsPerConvUnit(true));
  EXPECT_EQ(target.getWeightsPerConvUnit(INT), 0U);
  for (const Type &type : {HALF, FLOAT}) { // inputs of a unit, step by step
    EXPECT_EQ(target.getConvUnitMaxPipelineDepth(type) *
                  target.getConvUnitInputLoadElemsPerCycle(type),
              target.getWeightsPerConvUnit(type));
  }
  EXPECT_EQ(target.getConvUnitMaxPipelineDepth(INT), 0U);
}

TEST(QuarterConversion, OverflowGivesNaNIfEnabled) {
  const std::vector<float> numbers{247, 248, -1000, 1, std::numeric_limits<float>::infinity()};
  const QuarterMetadata metadata(Format::F143, 0); // up to 240, in steps of 16
  std::vector<std::uint8_t> saturated(5), none(5);
  convertToDeviceType(QUARTER, metadata, ArrayRef<float>(numbers), saturated.data(), false);
  convertToDeviceType(QUARTER, metadata, ArrayRef<float>(numbers), none.data(), true);
  EXPECT_THAT(saturated, ::testing::ElementsAre(0x7F, 0x7F, 0xFF, 0x40, 0x80));
  EXPECT_THAT(none, ::testing::ElementsAre(0x7F, 0x80, 0x80, 0x40, 0x80));
}

TEST(QuarterConversion, HalvesOfTheHostAreConvertedInBothDirections) {
  const std::vector<Half> halves{Half(1.5F), Half(-240.0F)};
  const QuarterMetadata metadata(Format::F152, 1);
  std::vector<std::uint8_t> codes(2);
  convertToDeviceType(QUARTER, metadata, ArrayRef<Half>(halves), codes.data(), true);
  std::vector<Half> back(2);
  convertFromDeviceType(QUARTER, metadata, codes.data(), ArrayRef<Half>(back));
  EXPECT_EQ(float(back[0]), 1.5F);
  EXPECT_EQ(float(back[1]), -256.0F); // two bits of fraction
  std::vector<std::uint16_t> bits(2);
  convertToDeviceType(HALF, ArrayRef<Half>(halves), bits.data());
  EXPECT_THAT(bits, ::testing::ElementsAre(0x3E00, 0xDB80));
}

TEST(QuarterConversion, TheScaleWithTheLeastSquaredErrorIsFound) {
  const auto scaleFor = [](std::vector<float> numbers, Format format) {
    return calculateMetadataForConversion(QUARTER, ArrayRef<float>(numbers), format,
                                          CostMetric::MEAN_SQUARE_ERROR);
  };
  EXPECT_EQ(scaleFor({1, -2, 0.5F}, Format::F143), QuarterMetadata(Format::F143, 0));
  EXPECT_EQ(scaleFor({960, 4}, Format::F143), QuarterMetadata(Format::F143, 2)); // 240 * 4
  EXPECT_EQ(scaleFor({1, std::numeric_limits<float>::infinity()}, Format::F152),
            QuarterMetadata(Format::F152, 0));
  EXPECT_EQ(scaleFor({}, Format::F152), QuarterMetadata(Format::F152, 0));
  const std::vector<double> tiny{0x1p-20, 0x1.2p-20};
  const QuarterMetadata found = calculateMetadataForConversion(
      QUARTER, ArrayRef<double>(tiny), Format::F143, CostMetric::MEAN_SQUARE_ERROR);
  std::vector<std::uint8_t> codes(2);
  std::vector<double> back(2);
  convertToDeviceType(QUARTER, found, ArrayRef<double>(tiny), codes.data());
  convertFromDeviceType(QUARTER, found, codes.data(), ArrayRef<double>(back));
  EXPECT_EQ(back, tiny);
  EXPECT_THROW(calculateMetadataForConversion(FLOAT, ArrayRef<double>(tiny), Format::F143,
                                              CostMetric::MEAN_SQUARE_ERROR),
               type_error);
}

} // namespace
} // namespace poplar
