#include "ipud/tile_trace_options.hpp"

#include <gmock/gmock.h>

namespace copse::ipud {
namespace {

TEST(TileTraceOptions, AreReadFromOneText) {
  const auto options = parseTileTrace("directory=/tmp/x,ipu=1,tile=3,context=6,lists=0,most=12");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->directory, "/tmp/x");
  EXPECT_EQ(options->ipu, 1U);
  EXPECT_EQ(options->tile, 3U);
  EXPECT_EQ(options->context, TileTraceOptions::kSupervisorContext);
  EXPECT_FALSE(options->lists);
  EXPECT_EQ(options->most, 12U);
}

TEST(TileTraceOptions, MayBeOmittedExceptTheDirectory) {
  const auto options = parseTileTrace("directory=a=b");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->directory, "a=b");
  EXPECT_EQ(options->ipu, std::nullopt);
  EXPECT_TRUE(options->lists);
}

TEST(TileTraceOptions, AreRefusedWithTheItemAtFault) {
  for (const auto &[text, item] : std::initializer_list<std::pair<const char *, const char *>>{
           {"directory=x,tile", "'tile'"},
           {"directory=x,tile=", "'tile='"},
           {"directory=x,tile=-1", "'tile=-1'"},
           {"directory=x,tile=1x", "'tile=1x'"},
           {"directory=x,context=7", "'context=7'"},
           {"directory=x,frob=1", "'frob=1'"},
           {"directory=", "'directory='"},
           {"tile=1", "needs directory=PATH"},
           {",", "''"}}) {
    const auto options = parseTileTrace(text);
    ASSERT_FALSE(options.ok()) << text;
    EXPECT_THAT(options.status().message, ::testing::HasSubstr(item)) << text;
  }
}

} // namespace
} // namespace copse::ipud
