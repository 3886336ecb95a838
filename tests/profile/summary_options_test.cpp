#include "poplar/exceptions.hpp"
#include "profile/summary_options.hpp"

#include <gtest/gtest.h>

namespace {

using copse::profile::parseReportOptions;

TEST(ReportOptions, AreParsedAndChecked) {
  const auto o = parseReportOptions({{"showExecutionSteps", "true"}, {"colours", "false"}});
  EXPECT_TRUE(o.showExecutionSteps);
  EXPECT_EQ(o.colours, false);
  EXPECT_FALSE(o.showVarStorage);
  EXPECT_THROW(parseReportOptions({{"showVarStorages", "true"}}), poplar::invalid_option);
}

} // namespace
