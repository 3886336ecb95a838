#include "poplar/OptionFlags.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace {

using namespace poplar;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(OptionFlags, ReplaceAndIterateInOrder) {
  OptionFlags flags{{"b", "1"}, {"a", "2"}, {"b", "3"}};
  flags.set("c", "4");
  EXPECT_THAT(flags, ElementsAre(Pair("a", "2"), Pair("b", "3"), Pair("c", "4")));
  EXPECT_EQ(flags.at("b"), "3");
  EXPECT_THROW(flags.at("d"), std::out_of_range);
  EXPECT_EQ(flags.find("c")->second, "4");
  EXPECT_EQ(flags.find("d"), flags.end());
}

TEST(OptionFlags, AssignFromAList) {
  OptionFlags flags{{"a", "b"}};
  flags = {{"c", "d"}};
  EXPECT_THAT(flags, ElementsAre(Pair("c", "d")));
  flags = {};
  EXPECT_EQ(flags, OptionFlags());
}

TEST(OptionFlags, ReadFlatJson) {
  OptionFlags flags{{"kept", "1"}, {"b", "old"}};
  readJSON(R"({"a": "text", "b": true, "c": 12, "d": 1.5})", flags);
  EXPECT_THAT(flags, ElementsAre(Pair("a", "text"), Pair("b", "true"), Pair("c", "12"),
                                 Pair("d", "1.5"), Pair("kept", "1")));
  std::istringstream stream(R"({"a": "again"})");
  readJSON(stream, flags);
  EXPECT_EQ(flags.at("a"), "again");
}

class MalformedJson : public ::testing::TestWithParam<const char *> {};
TEST_P(MalformedJson, IsRefusedAndChangesNothing) {
  OptionFlags flags{{"a", "b"}};
  EXPECT_THROW(readJSON(GetParam(), flags), parse_error);
  EXPECT_THAT(flags, ElementsAre(Pair("a", "b")));
}
INSTANTIATE_TEST_SUITE_P(Texts, MalformedJson,
                         ::testing::Values("", "{", "[1, 2]", "\"text\"", R"({"x": "1", "y": [1]})",
                                           R"({"x": {"y": "z"}})", R"({"x": null})", "{'a': 'b'}",
                                           "\xff\xfe"));

TEST(OptionFlags, PrintJsonThatCanBeReadAgain) {
  const OptionFlags flags{{"a", "quote \" and \\"}, {"b", ""}};
  std::stringstream text;
  text << flags;
  OptionFlags back;
  readJSON(text, back);
  EXPECT_EQ(back, flags);
}

TEST(OptionFlags, AreAProfileValue) {
  EXPECT_EQ(getAsProfileValue({{"a", "b"}})["a"].asString(), "b");
}

} // namespace
