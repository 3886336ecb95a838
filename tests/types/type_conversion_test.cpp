#include "poplar/TypeConversion.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

#include <cstdint>

namespace {

using namespace poplar;
using ::testing::ElementsAre;

template <class Element, class T> std::vector<Element> toDevice(Type type, std::vector<T> values) {
  std::vector<Element> device(values.size());
  convertToDeviceType(type, ArrayRef<T>(values), device.data());
  return device;
}

TEST(TypeConversion, ConvertsByValue) {
  EXPECT_THAT((toDevice<std::uint16_t, float>(HALF, {1.0f, -2.0f, 65520.0f})),
              ElementsAre(0x3C00, 0xC000, 0x7C00));
  EXPECT_THAT((toDevice<float, int>(FLOAT, {-3, 7})), ElementsAre(-3.0f, 7.0f));
  EXPECT_THAT((toDevice<std::uint16_t, std::size_t>(UNSIGNED_SHORT, {65535})), ElementsAre(65535));
  EXPECT_THAT((toDevice<std::int8_t, double>(SIGNED_CHAR, {-128.9, 1.7})), ElementsAre(-128, 1));
  EXPECT_THAT((toDevice<std::uint8_t, int>(BOOL, {0, 256, -1})), ElementsAre(0, 1, 1));
  EXPECT_THAT((toDevice<std::int32_t, long>(LONG, {-5})), ElementsAre(-5)); // 4 bytes on a tile
}

TEST(TypeConversion, IsReversible) {
  const std::uint16_t halves[] = {0x3C00, 0x0001};
  double wide[2] = {};
  convertFromDeviceType(HALF, halves, ArrayRef<double>(wide, 2));
  EXPECT_EQ(wide[0], 1.0);
  EXPECT_EQ(wide[1], 0x1p-24);
  unsigned whole[1];
  convertFromDeviceType(HALF, halves, ArrayRef<unsigned>(whole, 1));
  EXPECT_EQ(whole[0], 1u);
}

TEST(TypeConversion, RefusesValuesThatDoNotFit) {
  EXPECT_THROW((toDevice<std::uint16_t, int>(UNSIGNED_SHORT, {-1})), poplar::overflow_error);
  EXPECT_THROW((toDevice<std::uint16_t, int>(UNSIGNED_SHORT, {65536})), poplar::overflow_error);
  EXPECT_THROW((toDevice<std::int8_t, double>(SIGNED_CHAR, {-129})), poplar::overflow_error);
  EXPECT_THROW((toDevice<std::int64_t, unsigned long>(LONGLONG, {~0ul})), poplar::overflow_error);
  EXPECT_THROW((toDevice<std::uint32_t, float>(UNSIGNED_INT, {4294967296.0f})),
               poplar::overflow_error);
  EXPECT_THROW((toDevice<int, int>(Type(), {1})), type_error);
}

} // namespace
