#include "child_process.hpp"

#include "remote_buffers/storage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <unistd.h>

namespace copse::remote_buffers {
namespace {

using ::testing::HasSubstr;
using wire::Code;

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> all;
  for (const int value : values)
    all.push_back(static_cast<std::byte>(value));
  return all;
}

/// Tests properties of rows for every kind of storage.
class RowsOf : public ::testing::TestWithParam<const char *> {
protected:
  RowsOf() {
    if (std::string(GetParam()) == "Memory") {
      storage_ = Storage::inMemory();
      return;
    }
    auto storage = Storage::inDirectory(folder_.file("rows"));
    EXPECT_TRUE(storage.ok()) << storage.status().message;
    storage_ = std::move(*storage);
  }
  RemoteBufferStore store(std::vector<BufferShape> shapes, std::uint32_t replicas) {
    auto made = storage_->open("program", std::move(shapes), replicas);
    EXPECT_TRUE(made.ok()) << made.status().message;
    return std::move(*made);
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Storage> storage_;
};
INSTANTIATE_TEST_SUITE_P(Backings, RowsOf, ::testing::Values("Memory", "File"),
                         [](const auto &param) { return std::string(param.param); });

TEST_P(RowsOf, StartWithZeroes) {
  const auto rows = store({{"b", 3, 2}}, 1);
  auto row = bytes({1, 2, 3});
  ASSERT_TRUE(rows.read(0, 0, 1, row).ok());
  EXPECT_EQ(row, bytes({0, 0, 0}));
}

TEST_P(RowsOf, KeepBuffersReplicasAndRowsApart) {
  auto rows = store({{"a", 1, 2}, {"b", 1, 2}}, 2);
  int value = 1;
  for (std::uint32_t buffer = 0; buffer < 2; ++buffer)
    for (std::uint32_t replica = 0; replica < 2; ++replica)
      for (std::uint64_t row = 0; row < 2; ++row)
        ASSERT_TRUE(rows.write(buffer, replica, row, bytes({value++})).ok());
  value = 1;
  for (std::uint32_t buffer = 0; buffer < 2; ++buffer)
    for (std::uint32_t replica = 0; replica < 2; ++replica)
      for (std::uint64_t row = 0; row < 2; ++row) {
        auto got = bytes({0});
        ASSERT_TRUE(rows.read(buffer, replica, row, got).ok());
        EXPECT_EQ(got, bytes({value++}));
      }
}

TEST_P(RowsOf, NameBufferRowAndNumberOfRowsForAMissingRow) {
  auto rows = store({{"weights", 1, 4}}, 1);
  auto row = bytes({0});
  const auto status = rows.read(0, 0, 4, row);
  EXPECT_EQ(status.code, Code::NotFound);
  EXPECT_THAT(status.message, HasSubstr("'weights'"));
  EXPECT_THAT(status.message, HasSubstr("row 4"));
  EXPECT_THAT(status.message, HasSubstr("only 4 rows"));
}

TEST_P(RowsOf, RefuseAMissingBufferOrReplica) {
  auto rows = store({{"b", 1, 1}}, 2);
  EXPECT_EQ(rows.write(1, 0, 0, bytes({1})).code, Code::NotFound);
  EXPECT_EQ(rows.write(0, 2, 0, bytes({1})).code, Code::NotFound);
}

TEST_P(RowsOf, RefuseARowOfAnotherSize) {
  auto rows = store({{"b", 2, 1}}, 1);
  EXPECT_EQ(rows.write(0, 0, 0, bytes({1})).code, Code::InvalidOption);
}

TEST_P(RowsOf, GatherPiecesOfRowsInTheOrderAskedFor) {
  auto rows = store({{"b", 3, 3}}, 1);
  for (int row = 0; row < 3; ++row)
    ASSERT_TRUE(rows.write(0, 0, row, bytes({10 * row, 10 * row + 1, 10 * row + 2})).ok());
  const std::uint32_t wanted[] = {2, 0};
  const wire::HostPiece pieces[] = {{1, 3}, {5, 1}}; // the first one spans both rows
  std::vector<std::byte> got(4);
  ASSERT_TRUE(rows.gather(0, 0, wanted, pieces, got).ok());
  EXPECT_EQ(got, bytes({21, 22, 0, 2}));
}

TEST_P(RowsOf, ScatterPiecesAndKeepTheRest) {
  auto rows = store({{"b", 3, 3}}, 1);
  const std::uint32_t wanted[] = {2, 0};
  const wire::HostPiece pieces[] = {{2, 2}};
  ASSERT_TRUE(rows.scatter(0, 0, wanted, pieces, bytes({7, 8})).ok());
  std::vector<std::byte> row(3);
  ASSERT_TRUE(rows.read(0, 0, 2, row).ok());
  EXPECT_EQ(row, bytes({0, 0, 7}));
  ASSERT_TRUE(rows.read(0, 0, 0, row).ok());
  EXPECT_EQ(row, bytes({8, 0, 0}));
}

TEST_P(RowsOf, WriteNothingWhenOneRowIsOutOfRange) {
  auto rows = store({{"b", 1, 2}}, 1);
  const std::uint32_t wanted[] = {0, 2};
  const wire::HostPiece pieces[] = {{0, 2}};
  EXPECT_EQ(rows.scatter(0, 0, wanted, pieces, bytes({1, 2})).code, Code::NotFound);
  auto row = bytes({9});
  ASSERT_TRUE(rows.read(0, 0, 0, row).ok());
  EXPECT_EQ(row, bytes({0}));
}

TEST_P(RowsOf, RefuseAPieceBeyondItsRows) {
  auto rows = store({{"b", 4, 1}}, 1);
  const std::uint32_t wanted[] = {0};
  const wire::HostPiece pieces[] = {{~std::uint64_t{0} - 1, 4}};
  std::vector<std::byte> got(4);
  EXPECT_EQ(rows.gather(0, 0, wanted, pieces, got).code, Code::InvalidImage);
}

TEST_P(RowsOf, RefuseAPieceOfNoRow) {
  auto rows = store({{"b", 4, 1}}, 1);
  const wire::HostPiece pieces[] = {{0, 4}};
  std::vector<std::byte> got(4);
  EXPECT_EQ(rows.gather(0, 0, {}, pieces, got).code, Code::InvalidImage);
}

TEST_P(RowsOf, RefuseAPartBeyondItsRow) {
  auto rows = store({{"b", 4, 2}}, 1);
  std::vector<std::byte> got(2);
  const RowPart beyond[] = {{0, 3, 2}}, wrapped[] = {{0, ~std::uint64_t{0}, 2}},
                none[] = {{2, 0, 2}};
  EXPECT_EQ(rows.readParts(0, 0, beyond, got).code, Code::NotFound);
  EXPECT_EQ(rows.readParts(0, 0, wrapped, got).code, Code::NotFound);
  EXPECT_EQ(rows.writeParts(0, 0, none, got).code, Code::NotFound);
}

TEST_P(RowsOf, RefusePartsOfAnotherLengthThanTheirBytes) {
  auto rows = store({{"b", 4, 2}}, 1);
  std::vector<std::byte> got(5);
  const RowPart parts[] = {{0, 0, 4}, {1, 0, 4}};
  EXPECT_EQ(rows.readParts(0, 0, parts, got).code, Code::BadFrame);
  EXPECT_EQ(rows.writeParts(0, 0, std::span(parts).first(1), got).code, Code::BadFrame);
}

TEST_P(RowsOf, CostNothingUntilTouched) {
  const auto residentPages = [] {
    long total = 0, resident = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    EXPECT_EQ(std::fscanf(file, "%ld %ld", &total, &resident), 2);
    std::fclose(file);
    return resident;
  };
  const long before = residentPages();
  auto rows = store({{"big", 1 << 20, 64 << 10}}, 1); // 64 GiB
  std::vector<std::byte> row(1 << 20, std::byte{1});
  ASSERT_TRUE(rows.write(0, 0, (64 << 10) - 1, row).ok());
  EXPECT_LT((residentPages() - before) * ::sysconf(_SC_PAGESIZE), 16 << 20);
}

TEST_P(RowsOf, NameTheBufferThatDoesNotFit) {
  const auto made = storage_->open("program", {{"huge", std::uint64_t{1} << 62, 8}}, 4);
  EXPECT_EQ(made.status().code, Code::OutOfMemory);
  EXPECT_THAT(made.status().message, HasSubstr("'huge'"));
}

TEST_P(RowsOf, ServeManyThreadsOnDifferentRows) {
  constexpr std::uint64_t kRows = 64, kBytes = 4096;
  auto rows = store({{"b", kBytes, kRows}}, 1);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&rows, t] {
      for (std::uint64_t row = t; row < kRows; row += 4) {
        const std::vector<std::byte> wrote(kBytes, static_cast<std::byte>(row));
        std::vector<std::byte> got(kBytes);
        EXPECT_TRUE(rows.write(0, 0, row, wrote).ok());
        EXPECT_TRUE(rows.read(0, 0, row, got).ok());
        EXPECT_EQ(got, wrote);
      }
    });
  for (auto &thread : threads)
    thread.join();
}

} // namespace
} // namespace copse::remote_buffers
