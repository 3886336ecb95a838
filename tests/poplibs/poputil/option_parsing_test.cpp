#include <gmock/gmock.h>

#include <cmath>
#include <poputil/OptionParsing.hpp>

namespace {

using poplibs::OptionHandler;
using poplibs::OptionSpec;

std::string messageOf(const OptionSpec &spec, const char *key, const char *value) {
  try {
    spec.parse(key, value);
  } catch (const poplar::invalid_option &e) {
    return e.what();
  }
  return "";
}

TEST(OptionParsing, ValuesReachTheirVariables) {
  bool flag = false;
  unsigned number = 0;
  double share = 0;
  const OptionSpec spec{{"flag", OptionHandler::createWithBool(flag)},
                        {"number", OptionHandler::createWithInteger(number)},
                        {"share", OptionHandler::createWithDouble(share)}};
  spec.parse(poplar::OptionFlags{{"flag", "true"}, {"number", "0x10"}, {"share", "0.25"}});
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 16u);
  EXPECT_EQ(share, 0.25);
}
TEST(OptionParsing, AnUnknownOptionIsNamedWithThoseThatThereAre) {
  bool flag = false;
  const OptionHandler handler = OptionHandler::createWithBool(flag);
  const OptionSpec spec{{"partialsType", handler}, {"inferenceOnly", handler}};
  EXPECT_EQ(messageOf(spec, "speed", "1"),
            "Unrecognised option 'speed'. The options are inferenceOnly, partialsType");
  EXPECT_EQ(messageOf(spec, "PartialType", "1"),
            "Unrecognised option 'PartialType'; did you mean 'partialsType'? "
            "The options are inferenceOnly, partialsType");
  EXPECT_EQ(messageOf({}, "speed", "1"), "Unrecognised option 'speed'. There are no options");
  spec.parse("speed", "1", true);
}
TEST(OptionParsing, ErrorsBeginWithTheFunctionThatTakesTheOptions) {
  bool flag = false;
  const OptionSpec spec("matMul", {{"flag", OptionHandler::createWithBool(flag)}});
  EXPECT_EQ(messageOf(spec, "speed", "1"),
            "matMul: Unrecognised option 'speed'. The options are flag");
  EXPECT_THAT(messageOf(spec, "flag", "yes"),
              ::testing::StartsWith("matMul: Invalid value 'yes' for option 'flag': "));
}
TEST(OptionParsing, AValueThatDoesNotFitIsNamed) {
  bool flag = false;
  unsigned number = 0;
  const OptionSpec spec{{"flag", OptionHandler::createWithBool(flag)},
                        {"number", OptionHandler::createWithInteger(number)}};
  EXPECT_THAT(messageOf(spec, "flag", "yes"),
              ::testing::StartsWith("Invalid value 'yes' for option 'flag': "));
  EXPECT_EQ(messageOf(spec, "number", "-1"),
            "Invalid value '-1' for option 'number': Not a valid integer");
  EXPECT_EQ(messageOf(spec, "number", "7x"),
            "Invalid value '7x' for option 'number': Not a valid integer");
}
TEST(OptionParsing, ARangeMayExcludeItsLimits) {
  const auto isWithin = [](double value, bool withLower, bool withUpper) {
    try {
      OptionHandler::ensureValueIsWithinBounds(value, 0.0, withLower, 1.0, withUpper);
    } catch (const poplar::invalid_option &) {
      return false;
    }
    return true;
  };
  EXPECT_TRUE(isWithin(0.5, false, false));
  EXPECT_TRUE(isWithin(0, true, false));
  EXPECT_FALSE(isWithin(0, false, true));
  EXPECT_TRUE(isWithin(1, false, true));
  EXPECT_FALSE(isWithin(1, true, false));
  EXPECT_FALSE(isWithin(-0.5, true, true));
  EXPECT_FALSE(isWithin(1.5, true, true));
  EXPECT_FALSE(isWithin(std::nan(""), true, true));
}

} // namespace
