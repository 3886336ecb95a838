#include "partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace copse::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::Code;

using Images = std::array<std::shared_ptr<wire::Image>, 2>;

Images twoImages() { return {std::make_shared<wire::Image>(), std::make_shared<wire::Image>()}; }

Program twoOfTwo(const Images &of = twoImages()) {
  Program program;
  program.images = {of[0], of[1]};
  program.replicas = 2;
  return program;
}

TEST(CheckProgram, RefusesAnotherNumberOfIpus) {
  const auto status = checkProgram(twoOfTwo(), 8);
  EXPECT_EQ(status.code, Code::InvalidOption);
  EXPECT_THAT(status.message, HasSubstr("the device has 8"));
  EXPECT_TRUE(checkProgram(twoOfTwo(), 4).ok());
}

TEST(CheckProgram, RefusesAStreamThatDoesNotExist) {
  const Images images = twoImages();
  for (const auto &image : images)
    image->hostExchanges.push_back({"x", {{0, wire::Direction::ToDevice, {}}}, 0, 0});
  EXPECT_EQ(checkProgram(twoOfTwo(images), 4).code, Code::InvalidImage);
}

TEST(CheckProgram, RefusesImagesWithOtherHostExchanges) {
  const Images images = twoImages();
  images[1]->prints.resize(1);
  EXPECT_EQ(checkProgram(twoOfTwo(images), 4).code, Code::InvalidImage);
}

/// Returns a replica of two IPUs that read so many bytes of each row of stream 0, one part after
/// another.
Partition readingRows(const std::vector<std::array<std::uint64_t, 2>> &bytesAtPlaces) {
  const Images images = twoImages();
  Program program = twoOfTwo(images);
  program.streams.resize(1);
  for (const auto &bytes : bytesAtPlaces)
    for (std::uint32_t ipu = 0; ipu < 2; ++ipu) {
      wire::StreamTransfer transfer;
      transfer.direction = wire::Direction::ToDevice;
      transfer.view.rowBytes = 8;
      transfer.view.bytes = bytes[ipu];
      images[ipu]->hostExchanges.push_back({"x", {transfer}, 0, 0});
    }
  return Partition(program);
}

TEST(Partition, KnowsTheOneReaderOfWholeRows) {
  EXPECT_EQ(readingRows({{0, 8}}).onlyReader(0), 1U);
  EXPECT_EQ(readingRows({{8, 0}, {8, 0}}).onlyReader(0), 0U);
  EXPECT_EQ(readingRows({}).onlyReader(0), std::nullopt) << "nobody reads";
  EXPECT_EQ(readingRows({{8, 0}, {0, 8}}).onlyReader(0), std::nullopt)
      << "first one, then the other";
  EXPECT_EQ(readingRows({{4, 4}}).onlyReader(0), std::nullopt) << "each a part";
  EXPECT_EQ(readingRows({{4, 0}, {4, 0}}).onlyReader(0), std::nullopt) << "in two parts";
}

TEST(HostView, ExtractsAndInsertsItsPieces) {
  wire::HostView view;
  view.pieces = {{3, 2}, {0, 1}};
  view.bytes = 3;
  view.rowBytes = 5;
  const std::vector<std::byte> row{std::byte{10}, std::byte{11}, std::byte{12}, std::byte{13},
                                   std::byte{14}};
  std::vector<std::byte> part(3);
  cutOut(view, row, part.data());
  EXPECT_THAT(part, ElementsAre(std::byte{13}, std::byte{14}, std::byte{10}));
  std::vector<std::byte> again(5);
  putIn(view, part.data(), again);
  EXPECT_THAT(again,
              ElementsAre(std::byte{10}, std::byte{0}, std::byte{0}, std::byte{13}, std::byte{14}));
  EXPECT_FALSE(isWholeRow(view));
}

} // namespace
} // namespace copse::session
