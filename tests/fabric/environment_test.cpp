#include "wire/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace copse::wire {
namespace {

constexpr const char *kName = "COPSE_TEST_VARIABLE";

class Environment : public ::testing::Test {
protected:
  ~Environment() override { ::unsetenv(kName); }
  static void set(const char *value) { ::setenv(kName, value, 1); }
  static Result<std::uint64_t> number() { return numberOfEnvironment(kName, 1, 256, 16); }
  static Result<std::string> word() { return wordOfEnvironment(kName, {"a", "b", "c"}, "b"); }
};

TEST_F(Environment, GivesTheDefaultsOfVariablesThatAreUnsetOrEmpty) {
  for (const bool isSet : {false, true}) {
    if (isSet)
      set("");
    EXPECT_EQ(environmentVariable(kName), "");
    EXPECT_EQ(*number(), 16u);
    EXPECT_EQ(*word(), "b");
  }
}

TEST_F(Environment, ReadsNumbersWithinTheirRange) {
  for (const char *const good : {"1", "7", "256"}) {
    set(good);
    ASSERT_TRUE(number().ok()) << good;
    EXPECT_EQ(std::to_string(*number()), good);
  }
}

TEST_F(Environment, NamesTheVariableTheValueAndTheRangeOfAWrongNumber) {
  for (const char *const bad :
       {"0", "257", "-1", "+1", " 1", "1 ", "1.5", "0x10", "many", "99999999999999999999999"}) {
    set(bad);
    EXPECT_EQ(number().status(),
              (Status{Code::InvalidOption, "COPSE_TEST_VARIABLE is '" + std::string(bad) +
                                               "'; set it to a number from 1 to 256"}));
  }
}

TEST_F(Environment, AcceptsOnlyTheWordsThatItNames) {
  set("c");
  EXPECT_EQ(*word(), "c");
  set("C");
  EXPECT_EQ(word().status(),
            (Status{Code::InvalidOption, "COPSE_TEST_VARIABLE is 'C'; set it to a, b or c"}));
  EXPECT_EQ(wordOfEnvironment(kName, {"0", "1"}, "0").status().message,
            "COPSE_TEST_VARIABLE is 'C'; set it to 0 or 1");
}

} // namespace
} // namespace copse::wire
