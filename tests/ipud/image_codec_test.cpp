#include "random_image.hpp"

#include "wire/image_codec.hpp"

#include <gmock/gmock.h>

#include <cstring>

namespace copse::wire {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> encoded(const Image &image) {
  auto frame = encodeImage(image);
  EXPECT_TRUE(frame.ok()) << frame.status().message;
  return *frame;
}

TEST(ImageCodec, RestoresEncodedImages) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto image = ipud::test::RandomImage(seed).make();
    const auto back = decodeImage(encoded(image), image.data);
    ASSERT_TRUE(back.ok()) << back.status().message;
    ASSERT_TRUE(*back == image) << "seed " << seed;
  }
}

TEST(ImageCodec, EncodesTheSameImageToTheSameBytes) {
  const auto image = ipud::test::RandomImage(3).make();
  EXPECT_EQ(encoded(image), encoded(image));
}

TEST(ImageCodec, ReadsUnalignedFrames) {
  const auto image = ipud::test::RandomImage(4).make();
  const auto frame = encoded(image);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<std::byte> shifted(frame.size() + shift);
    std::memcpy(shifted.data() + shift, frame.data(), frame.size());
    const auto back = decodeImage(std::span(shifted).subspan(shift), image.data);
    ASSERT_TRUE(back.ok()) << back.status().message;
    EXPECT_TRUE(*back == image);
  }
}

TEST(ImageCodec, RefusesDataOfAnotherSize) {
  Image image;
  image.data.resize(10);
  const auto back = decodeImage(encoded(image), std::vector<std::byte>(9));
  EXPECT_EQ(back.status().code, Code::BadFrame);
  EXPECT_THAT(back.status().message, HasSubstr("9 bytes instead of 10"));
}

TEST(ImageCodec, RefusesATextWithANul) {
  Image image;
  image.messages = {"before and after"};
  auto frame = encoded(image);
  for (std::byte &byte : frame)
    if (byte == std::byte{'b'}) // the encoder itself would end the text there
      byte = std::byte{0};
  EXPECT_THAT(decodeImage(frame, {}).status().message, HasSubstr("NUL"));
}

TEST(ImageCodec, RefusesEveryTruncation) {
  const auto image = ipud::test::RandomImage(5).make();
  const auto frame = encoded(image);
  for (std::size_t bytes = 0; bytes < frame.size(); bytes += 1 + frame.size() / 500)
    EXPECT_EQ(decodeImage(std::span(frame).first(bytes), image.data).status().code, Code::BadFrame);
}

TEST(ImageCodec, SurvivesFlippedBits) {
  std::mt19937 random(6);
  int refused = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto image = ipud::test::RandomImage(seed).make();
    const auto frame = encoded(image);
    for (int round = 0; round < 300; ++round) {
      auto bad = frame;
      for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
        bad[random() % bad.size()] ^= std::byte{1} << (random() % 8);
      refused += !decodeImage(bad, image.data).ok();
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(ImageCodec, SurvivesNoise) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> noise(random() % 200);
    for (auto &byte : noise)
      byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
    const auto back = decodeImage(noise, {});
    EXPECT_TRUE(!back.ok() || back.status().ok());
  }
}

} // namespace
} // namespace copse::wire
