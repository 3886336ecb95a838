#include "child_process.hpp"
#include "spoiled_files.hpp"

#include "remote_buffers/storage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace copse::remote_buffers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using wire::Code;
namespace fs = std::filesystem;
using Row = std::vector<std::byte>;

constexpr std::uint64_t kRowBytes = 24;

Row rowOf(int value, std::uint64_t bytes = kRowBytes) {
  return Row(bytes, static_cast<std::byte>(value));
}

class FileStorage : public ::testing::Test {
protected:
  RemoteBufferStore open(std::vector<BufferShape> shapes = {{"b", kRowBytes, 4}},
                         std::uint32_t replicas = 2) {
    storage_.reset(); // it holds the lock
    auto storage = Storage::inDirectory(directory());
    EXPECT_TRUE(storage.ok()) << storage.status().message;
    storage_ = std::move(*storage);
    auto store = storage_->open("prog", std::move(shapes), replicas);
    EXPECT_TRUE(store.ok()) << store.status().message;
    return std::move(*store);
  }
  wire::Status openFails(std::vector<BufferShape> shapes, std::uint32_t replicas = 2) {
    storage_.reset();
    auto storage = Storage::inDirectory(directory());
    return storage ? (*storage)->open("prog", std::move(shapes), replicas).status()
                   : storage.status();
  }
  std::string directory() const { return folder_.file("rows"); }
  std::string file() const { return directory() + "/prog/b.rows"; }
  void overwrite(std::streamoff at, const std::string &bytes) {
    std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(at);
    stream << bytes;
    EXPECT_TRUE(stream.good());
  }
  /// Changes the bytes of every row that has this value.
  void damage(int value) {
    std::ifstream in(file(), std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(in)), {});
    const std::size_t at = all.find(std::string(kRowBytes, static_cast<char>(value)));
    ASSERT_NE(at, std::string::npos);
    overwrite(static_cast<std::streamoff>(at) + 5, "?");
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Storage> storage_;
};

TEST_F(FileStorage, RestoresRows) {
  auto store = open();
  ASSERT_TRUE(store.write(0, 1, 3, rowOf(7)).ok());
  ASSERT_TRUE(store.write(0, 1, 3, rowOf(8)).ok());
  auto again = open();
  Row row(kRowBytes);
  ASSERT_TRUE(again.read(0, 1, 3, row).ok());
  EXPECT_EQ(row, rowOf(8));
  ASSERT_TRUE(again.read(0, 0, 3, row).ok());
  EXPECT_EQ(row, rowOf(0));
}

TEST_F(FileStorage, NamesADamagedRow) {
  auto store = open();
  ASSERT_TRUE(store.write(0, 1, 2, rowOf(7)).ok());
  ASSERT_TRUE(store.write(0, 1, 3, rowOf(9)).ok());
  damage(7);
  auto again = open();
  Row row(kRowBytes);
  const auto status = again.read(0, 1, 2, row);
  EXPECT_EQ(status.code, Code::HostFault);
  EXPECT_THAT(status.message, AllOf(HasSubstr("'b'"), HasSubstr("replica 1"), HasSubstr("row 2"),
                                    HasSubstr("b.rows")));
  EXPECT_TRUE(again.read(0, 1, 3, row).ok()) << "its neighbour is well";
}

TEST_F(FileStorage, TakesAWholeRowInPlaceOfADamagedOne) {
  auto store = open();
  ASSERT_TRUE(store.write(0, 0, 0, rowOf(7)).ok());
  damage(7);
  auto again = open();
  const std::uint32_t rows[] = {0};
  const wire::HostPiece piece[] = {{0, 1}};
  EXPECT_EQ(again.scatter(0, 0, rows, piece, rowOf(1, 1)).code, Code::HostFault)
      << "the other bytes of the row are not known";
  ASSERT_TRUE(again.write(0, 0, 0, rowOf(8)).ok());
  Row row(kRowBytes);
  ASSERT_TRUE(again.read(0, 0, 0, row).ok());
  EXPECT_EQ(row, rowOf(8));
}

TEST_F(FileStorage, TakesAWholeRowInPlaceOfOneWhoseRecordsAreDamaged) {
  // Offset of row 0's records: one for each slot.
  constexpr std::streamoff kRecords = 4096, kRecordBytes = 16;
  const std::string tooMany(8, '\xff'); // more than it was ever written
  for (const std::vector<int> &slots : {std::vector<int>{0}, {1}, {0, 1}}) {
    auto store = open();
    ASSERT_TRUE(store.write(0, 0, 0, rowOf(7)).ok());
    ASSERT_TRUE(store.write(0, 0, 0, rowOf(8)).ok());
    for (const int slot : slots)
      overwrite(kRecords + slot * kRecordBytes, tooMany);
    auto damaged = open();
    Row row(kRowBytes);
    EXPECT_EQ(damaged.read(0, 0, 0, row).code, Code::HostFault);
    ASSERT_TRUE(damaged.write(0, 0, 0, rowOf(9)).ok());
    ASSERT_TRUE(damaged.read(0, 0, 0, row).ok());
    EXPECT_EQ(row, rowOf(9));
    auto again = open();
    const auto status = again.read(0, 0, 0, row);
    ASSERT_TRUE(status.ok()) << "an acknowledged row is lost: " << status.message;
    EXPECT_EQ(row, rowOf(9));
  }
}

TEST_F(FileStorage, KeepsTheOldRowWhenAWriteWasCutShort) {
  auto store = open();
  ASSERT_TRUE(store.write(0, 0, 1, rowOf(7)).ok());
  ASSERT_TRUE(store.write(0, 0, 1, rowOf(8)).ok());
  damage(7); // damages the slot of the next write: half of its bytes are there, its record is not
  auto again = open();
  Row row(kRowBytes);
  ASSERT_TRUE(again.read(0, 0, 1, row).ok());
  EXPECT_EQ(row, rowOf(8));
}

TEST_F(FileStorage, RefusesABufferOfAnotherSize) {
  open();
  const auto longer = openFails({{"b", kRowBytes + 1, 4}});
  EXPECT_EQ(longer.code, Code::InvalidOption);
  EXPECT_THAT(longer.message, AllOf(HasSubstr("b.rows"), HasSubstr("4 rows of 24 bytes"),
                                    HasSubstr("4 rows of 25 bytes")));
  EXPECT_EQ(openFails({{"b", kRowBytes, 5}}).code, Code::InvalidOption);
  EXPECT_EQ(openFails({{"b", kRowBytes, 4}}, 3).code, Code::InvalidOption);
}

TEST_F(FileStorage, RefusesABufferThatIsOpenWithAnotherSize) {
  open();
  const auto status = storage_->open("prog", {{"b", kRowBytes, 5}}, 2).status();
  EXPECT_EQ(status.code, Code::InvalidOption);
  EXPECT_THAT(status.message, HasSubstr("5 rows of 24 bytes"));
}

TEST_F(FileStorage, RefusesAForeignFile) {
  open();
  const auto shape = BufferShape{"b", kRowBytes, 4};
  overwrite(8, std::string(1, '\1')); // the version: one with other checksums
  EXPECT_THAT(openFails({shape}).message,
              AllOf(HasSubstr("version 1"), HasSubstr("use the release that wrote it")));
  overwrite(8, std::string(1, '\2'));
  overwrite(100, "x");
  EXPECT_THAT(openFails({shape}).message, HasSubstr("damaged header"));
  overwrite(0, "text");
  EXPECT_THAT(openFails({shape}).message, HasSubstr("not a file of remote-buffer rows"));
  fs::resize_file(file(), 10);
  EXPECT_EQ(openFails({shape}).code, Code::InvalidOption);
}

TEST_F(FileStorage, RefusesAFileOfAnotherLength) {
  open();
  fs::resize_file(file(), fs::file_size(file()) - 1);
  EXPECT_THAT(openFails({{"b", kRowBytes, 4}}).message, HasSubstr("its header says"));
}

TEST_F(FileStorage, RefusesADirectoryInUse) {
  open();
  const auto second = Storage::inDirectory(directory());
  EXPECT_EQ(second.status().code, Code::InvalidOption);
  EXPECT_THAT(second.status().message, AllOf(HasSubstr(directory()), HasSubstr("in use")));
}

TEST_F(FileStorage, DistinguishesNamesOfAllKinds) {
  const std::string longName(300, 'n');
  const std::vector<std::string> handles{"a/b", "a%2fb", "..", "", longName, longName + "n"};
  std::vector<BufferShape> shapes;
  for (const auto &handle : handles)
    shapes.push_back({handle, 1, 1});
  auto store = open(shapes, 1);
  for (std::uint32_t i = 0; i < handles.size(); ++i)
    ASSERT_TRUE(store.write(i, 0, 0, rowOf(static_cast<int>(i) + 1, 1)).ok());
  auto again = open(shapes, 1);
  for (std::uint32_t i = 0; i < handles.size(); ++i) {
    Row row(1);
    ASSERT_TRUE(again.read(i, 0, 0, row).ok());
    EXPECT_EQ(row, rowOf(static_cast<int>(i) + 1, 1)) << handles[i];
  }
  EXPECT_EQ(folder_.entries(), std::vector<std::string>{"rows"}) << "nothing outside";
}

TEST_F(FileStorage, KeepsAStoreApartFromItsOwnFiles) {
  auto storage = Storage::inDirectory(directory());
  ASSERT_TRUE(storage.ok());
  for (const char *name : {"lock", "%6cock"}) {
    auto store = (*storage)->open(name, {{"b", kRowBytes, 4}}, 1);
    ASSERT_TRUE(store.ok()) << store.status().message;
    EXPECT_TRUE(store->write(0, 0, 0, rowOf(*name)).ok());
  }
  storage->reset();
  storage = Storage::inDirectory(directory());
  ASSERT_TRUE(storage.ok()) << storage.status().message;
  for (const char *name : {"lock", "%6cock"}) {
    auto store = (*storage)->open(name, {{"b", kRowBytes, 4}}, 1);
    ASSERT_TRUE(store.ok()) << store.status().message;
    Row row(kRowBytes);
    ASSERT_TRUE(store->read(0, 0, 0, row).ok());
    EXPECT_EQ(row, rowOf(*name));
  }
}

TEST_F(FileStorage, RefusesFilesOfOtherKindsAndSizes) {
  for (const auto &[kind, spoil] : test::spoiledFiles()) {
    auto store = open();
    ASSERT_TRUE(store.write(0, 1, 3, rowOf(7)).ok());
    storage_.reset();
    spoil(file());
    // The directory decides who may read and write the file; damage of rows is reported when rows
    // are read.
    const bool isSound = kind == "damaged in the middle" || kind == "damaged at its end" ||
                         kind == "open to the writes of everybody" || kind == "another user's";
    if (!isSound) {
      EXPECT_THAT(openFails({{"b", kRowBytes, 4}}).message, HasSubstr(file())) << kind;
    }
    fs::remove_all(file());
  }
}

TEST_F(FileStorage, NeverMixesWritesOfPartsOfOneRow) {
  auto store = open({{"b", 64, 1}}, 1);
  std::vector<std::thread> writers;
  for (unsigned writer = 0; writer < 4; ++writer)
    writers.emplace_back([&store, writer] {
      const std::uint32_t rows[] = {0};
      const wire::HostPiece piece[] = {{writer * 16, 16}};
      for (int round = 1; round <= 200; ++round)
        EXPECT_TRUE(store.scatter(0, 0, rows, piece, rowOf(round % 256, 16)).ok());
    });
  for (auto &writer : writers)
    writer.join();
  Row row(64);
  ASSERT_TRUE(store.read(0, 0, 0, row).ok());
  EXPECT_EQ(row, rowOf(200, 64)) << "a part that another writer's row did not have";
}

/// Runs \p body in a process of its own.
/// \returns its exit code
int inChild(const std::function<int()> &body) {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(body());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(FileStorage, ReportsAFullDiskAndKeepsAcknowledgedRows) {
  constexpr int kNoMounts = 77;
  constexpr std::uint64_t kBytes = 64 * 1024, kRows = 64;
  const std::string disk = folder_.path();
  const int outcome = inChild([&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=2m") != 0)
      return kNoMounts;
    std::uint64_t written = 0;
    {
      auto store = open({{"b", kBytes, kRows}}, 1);
      wire::Status status;
      while (
          written < kRows &&
          (status = store.write(0, 0, written, rowOf(static_cast<int>(written) + 1, kBytes))).ok())
        ++written;
      EXPECT_EQ(status.code, Code::OutOfMemory);
      EXPECT_THAT(status.message, AllOf(HasSubstr(file()), HasSubstr("row")));
      EXPECT_GT(written, 10U);
      // A row that exists cannot be replaced either, and stays.
      EXPECT_EQ(store.write(0, 0, 0, rowOf(99, kBytes)).code, Code::OutOfMemory);
      Row unwritten(kBytes);
      EXPECT_TRUE(store.read(0, 0, kRows - 1, unwritten).ok()) << "reading needs no room";
    }
    auto again = open({{"b", kBytes, kRows}}, 1);
    for (std::uint64_t row = 0; row < written; ++row) {
      Row got(kBytes);
      EXPECT_TRUE(again.read(0, 0, row, got).ok());
      EXPECT_EQ(got, rowOf(static_cast<int>(row) + 1, kBytes)) << row;
    }
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  if (outcome == kNoMounts)
    GTEST_SKIP() << "this user may not mount a file system";
  EXPECT_EQ(outcome, 0);
}

TEST_F(FileStorage, NamesTheFileThatExceedsTheSizeLimit) {
  const int outcome = inChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{64 * 1024, 64 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto status = openFails({{"b", kRowBytes, 1 << 20}});
    return status.code == Code::OutOfMemory && status.message.find("b.rows") != std::string::npos
               ? 0
               : 1;
  });
  EXPECT_EQ(outcome, 0);
}

} // namespace
} // namespace copse::remote_buffers
