#include "row_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace copse::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RowsInTheHostProgram, WarnOnceIfTheyExceedHalfOfTheMachine) {
  std::vector<std::string> warnings;
  MachineOptions machine;
  machine.warn = [&](const std::string &text) { warnings.push_back(text); };
  machine.mostRowBytes = 3 * 8;
  Program program;
  program.replicas = 2;
  program.remoteBuffers = {{"a", 8, 2}, {"b", 8, 2}};
  auto store = RowPlace(machine, "1").open(program);
  ASSERT_TRUE(store.ok()) << store.status().message;
  const std::vector<std::byte> row(8);
  for (int again = 0; again < 3; ++again) { // reads of the same rows do not grow
    EXPECT_TRUE((*store)->write(0, 0, 0, row).ok());
    EXPECT_TRUE((*store)->write(0, 1, 0, row).ok());
    EXPECT_TRUE((*store)->write(1, 0, 1, row).ok());
  }
  EXPECT_THAT(warnings, IsEmpty());
  for (std::uint64_t number = 0; number < 2; ++number)
    EXPECT_TRUE((*store)->write(1, 1, number, row).ok());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("COPSE_ROWS_DIRECTORY")));
}

} // namespace
} // namespace copse::session
