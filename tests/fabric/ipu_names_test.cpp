#include "wire/ipu_names.hpp"

#include <gtest/gtest.h>

namespace copse::wire {
namespace {

TEST(IpuNames, AreWholeNumbers) {
  EXPECT_TRUE(namesIpu("replica 1 (ipu 1): it was told to end", {1}));
  EXPECT_TRUE(namesIpu("the IPU-Link between ipu 12 and ipu 1", {1}));
  EXPECT_FALSE(namesIpu("ipu 12 is gone", {1}));
  EXPECT_FALSE(namesIpu("ipu 1 is gone", {12}));
  EXPECT_FALSE(namesIpu("", {0}));
}

TEST(IpuNames, AreNotTheWordAlone) {
  EXPECT_TRUE(namesAnIpu("ipu ? lost ipu 3"));
  EXPECT_FALSE(namesAnIpu("the ipu fell silent"));
  EXPECT_FALSE(namesAnIpu("ipu "));
  EXPECT_FALSE(namesAnIpu(""));
}

} // namespace
} // namespace copse::wire
