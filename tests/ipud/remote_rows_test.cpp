// Tests rows that an IPU itself fetches from an rbufd, and stores there.
#include "daemon/remote_rows.hpp"
#include "frozen.hpp"
#include "rbufd_process.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <future>
#include <thread>

namespace copse::ipud {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using wire::Code;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kRowBytes = 8;
const std::uint32_t kSecondRow[] = {1};

/// Returns one copy of a whole row.
wire::RemoteCopy copyOfARow() {
  wire::RemoteCopy copy;
  copy.name = "keep";
  copy.rowBytes = copy.replicaBytes = kRowBytes;
  copy.view.pieces = {{0, kRowBytes}};
  copy.view.bytes = copy.view.rowBytes = kRowBytes;
  return copy;
}

fabric::Payload rowOf(int value) {
  fabric::Payload row(kRowBytes);
  std::memset(row.data(), value, row.size());
  return row;
}

class RowsAtAnRbufd : public ::testing::Test {
protected:
  /// Returns the configuration of the second of two replicas.
  wire::session::Configure plan() const {
    wire::session::Configure plan;
    plan.replica = 1;
    plan.replicas = 2;
    plan.rowStore = {rbufd_.endpoint(), "prog", {{"b", kRowBytes, 2}}};
    return plan;
  }

  test::Rbufd rbufd_{{"--listen", "tcp://127.0.0.1:*"}};
  fabric::Reactor reactor_{"test"};
  HostMailbox mailbox_{reactor_};
};

TEST_F(RowsAtAnRbufd, EqualThoseOfTheHostProgram) {
  auto rows = RemoteRows::open(plan(), nullptr, mailbox_);
  ASSERT_TRUE(rows);
  ASSERT_TRUE(rows->write(copyOfARow(), kSecondRow, rowOf(7)).ok());
  const auto read = rows->read(copyOfARow(), kSecondRow);
  ASSERT_TRUE(read.ok()) << read.status().message;
  EXPECT_EQ(std::memcmp(read->data(), rowOf(7).data(), kRowBytes), 0);

  auto host = rbufd_.open({{"b", kRowBytes, 2}}, 2);
  test::Bytes mine(kRowBytes), other(kRowBytes);
  ASSERT_TRUE(host.read(0, 1, 1, mine).ok());
  ASSERT_TRUE(host.read(0, 0, 1, other).ok());
  EXPECT_EQ(mine, test::bytesOf(7, kRowBytes));
  EXPECT_EQ(other, test::bytesOf(0, kRowBytes)) << "the other replica's";
}

TEST_F(RowsAtAnRbufd, AreRequestedFromTheHostWithoutAStore) {
  EXPECT_FALSE(RemoteRows::open({}, nullptr, mailbox_));
}

TEST_F(RowsAtAnRbufd, AreRequestedFromTheHostIfTheRbufdIsSilent) {
  ASSERT_TRUE(test::freeze(rbufd_.process().pid()));
  const auto begin = Clock::now();
  EXPECT_FALSE(RemoteRows::open(plan(), nullptr, mailbox_));
  EXPECT_LT(Clock::now() - begin, 15s) << "the load waits for it";
  rbufd_.process().kill(SIGCONT);
}

TEST_F(RowsAtAnRbufd, AreReachedAfterARunThatWasStopped) {
  mailbox_.stop({Code::Cancelled, "another IPU has failed"});
  EXPECT_TRUE(RemoteRows::open(plan(), nullptr, mailbox_));
}

TEST_F(RowsAtAnRbufd, DoNotDelayAStoppedRun) {
  auto rows = RemoteRows::open(plan(), nullptr, mailbox_);
  ASSERT_TRUE(rows);
  ASSERT_TRUE(test::freeze(rbufd_.process().pid()));
  auto read =
      std::async(std::launch::async, [&] { return rows->read(copyOfARow(), kSecondRow).status(); });
  std::this_thread::sleep_for(50ms);
  mailbox_.stop({Code::Cancelled, "another IPU has failed"});
  ASSERT_EQ(read.wait_for(5s), std::future_status::ready) << "it waits for the rbufd's answer";
  EXPECT_EQ(read.get().code, Code::Cancelled);
  rbufd_.process().kill(SIGCONT);
}

TEST_F(RowsAtAnRbufd, AreNamedLikeTheHostsIfTheyAreMissing) {
  auto rows = RemoteRows::open(plan(), nullptr, mailbox_);
  ASSERT_TRUE(rows);
  const std::uint32_t third[] = {2};
  const auto status = rows->read(copyOfARow(), third).status();
  EXPECT_EQ(status.code, Code::NotFound);
  EXPECT_THAT(status.message, HasSubstr("remote copy 'keep', replica 1 of 2: remote buffer 'b': "
                                        "there is no row 2"));
}

} // namespace
} // namespace copse::ipud
