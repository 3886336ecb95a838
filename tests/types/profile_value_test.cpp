#include "poplar/ProfileValue.hpp"
#include "poplar/exceptions.hpp"
#include "types/profile_json.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <sstream>

namespace {

using namespace poplar;

ProfileValue sample() {
  ProfileValue::Map map;
  map["b"] = true;
  map["n"] = -3;
  map["big"] = std::numeric_limits<std::uint64_t>::max();
  map["x"] = 0.25;
  map["s"] = "a \"quote\"";
  map["list"] = ProfileValue::Vector{1, 2.5, "z", ProfileValue()};
  return map;
}

TEST(ProfileValues, SerialiseToJson) {
  std::ostringstream out;
  serializeToJSON(out, sample());
  EXPECT_EQ(
      out.str(),
      R"({"b":true,"big":18446744073709551615,"list":[1,2.5,"z",null],"n":-3,"s":"a \"quote\"","x":0.25})");
}

TEST(ProfileValues, PrettyPrintTheSameValue) {
  std::ostringstream out;
  serializeToJSON(out, sample(), true);
  EXPECT_NE(out.str().find('\n'), std::string::npos);
  EXPECT_EQ(copse::types::fromJson(nlohmann::json::parse(out.str())), sample());
}

TEST(ProfileValues, SerialiseTextThatIsNotUtf8) {
  std::ostringstream out;
  EXPECT_NO_THROW(serializeToJSON(out, ProfileValue("\xff")));
}

TEST(ProfileValue, DoublesAreWrittenWithTheirShortestDigits) {
  const auto written = [](double number) {
    std::ostringstream out;
    serializeToJSON(out, ProfileValue(number));
    return out.str();
  };
  EXPECT_EQ(written(42), "42");
  EXPECT_EQ(written(-7e15), "-7000000000000000");
  EXPECT_EQ(written(0.0123F), "0.0123");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
}

TEST(ProfileValues, AreReadWithTheirType) {
  const ProfileValue v = sample();
  EXPECT_EQ(v["n"].asInt(), -3);
  EXPECT_EQ(v["big"].asUint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(v["list"][1].asDouble(), 2.5);
  EXPECT_EQ(v["list"].size(), 4u);
  EXPECT_EQ(v["list"].sum(), 3.5);
  EXPECT_EQ(v["s"].asString(), "a \"quote\"");
}

TEST(ProfileValues, RefuseOtherTypes) {
  const ProfileValue v = sample();
  EXPECT_THROW(v.asVector(), type_error);
  EXPECT_THROW(v["b"].asDouble(), type_error);
  EXPECT_THROW(v["missing"], index_error);
  EXPECT_THROW(v["list"][4], index_error);
  EXPECT_THROW(v["n"].asUint(), poplar::overflow_error);
  EXPECT_THROW(v["big"].asInt64(), poplar::overflow_error);
  EXPECT_THROW(ProfileValue(1e300).asInt64(), poplar::overflow_error);
  EXPECT_THROW(ProfileValue(std::numeric_limits<double>::quiet_NaN()).asUint64(),
               poplar::overflow_error);
}

TEST(ProfileValues, ReturnNothingForAMissingMember) {
  const ProfileValue v = sample();
  EXPECT_EQ(v.getOrNull("n").asInt(), -3);
  EXPECT_EQ(v.getOrNull("missing").type(), ProfileValue::Type::NONE);
  EXPECT_THROW(v["list"].getOrNull("n"), type_error);
}

TEST(ProfileValues, AddUpTheNumbersOfLists) {
  const ProfileValue numbers(ProfileValue::Vector{1, 2u, 40});
  const ProfileValue rows(ProfileValue::Vector{numbers, numbers});
  EXPECT_EQ(numbers.toUintVector(), (std::vector<unsigned>{1, 2, 40}));
  EXPECT_EQ(numbers.sumInt(), 43);
  EXPECT_EQ(numbers.sumUint(), 43u);
  EXPECT_EQ(numbers.sumDouble(), 43.0);
  EXPECT_EQ(rows.sum2DInt(), 86);
  EXPECT_EQ(rows.sum2DUint(), 86u);
  EXPECT_THROW(rows.sumInt(), type_error);
  EXPECT_THROW(ProfileValue(ProfileValue::Vector{1, -2}).sumUint(), poplar::overflow_error);
  const auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(ProfileValue(ProfileValue::Vector{most, 1}).sumInt(), poplar::overflow_error);
}

TEST(ProfileValues, CompareNumbersByValue) {
  EXPECT_EQ(ProfileValue(3), ProfileValue(3u));
  EXPECT_EQ(ProfileValue(3), ProfileValue(3.0));
  EXPECT_NE(ProfileValue(-1), ProfileValue(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_NE(ProfileValue(1), ProfileValue(true));
  EXPECT_NE(ProfileValue("1"), ProfileValue(1));
}

} // namespace
