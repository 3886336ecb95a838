// Tests that work on several threads has the same result as work in order.
#include "parallel.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace copse::popc {
namespace {

TEST(InParallel, MessagesArriveInTheOrderOfThePieces) {
  std::promise<void> secondIsDone;
  auto done = secondIsDone.get_future();
  const bool canOverlap = std::thread::hardware_concurrency() > 1;
  std::ostringstream messages;
  inParallel(2, messages, [&](std::size_t i, std::ostream &out) {
    if (i == 0 && canOverlap) {
      EXPECT_EQ(done.wait_for(std::chrono::seconds(60)), std::future_status::ready);
    }
    out << "piece " << i << "\n";
    if (i == 1)
      secondIsDone.set_value();
  });
  EXPECT_EQ(messages.str(), "piece 0\npiece 1\n");
}

TEST(InParallel, TheFirstPieceThatFailsEndsTheMessagesAndIsThrown) {
  std::ostringstream messages;
  try {
    inParallel(9, messages, [](std::size_t i, std::ostream &out) {
      out << i;
      if (i >= 3)
        throw std::runtime_error("piece " + std::to_string(i));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "piece 3");
  }
  EXPECT_EQ(messages.str(), "0123");
}

TEST(InParallel, NoPieceIsNoWork) {
  std::ostringstream messages;
  inParallel(0, messages, [](std::size_t, std::ostream &) { FAIL(); });
  EXPECT_EQ(messages.str(), "");
}

} // namespace
} // namespace copse::popc
