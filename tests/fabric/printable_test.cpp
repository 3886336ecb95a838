#include "wire/envelope.hpp"
#include "wire/printable.hpp"
#include "wire/rows.hpp"

#include <gtest/gtest.h>

namespace copse::wire {
namespace {

TEST(Printable, LeavesOrdinaryTextUnchanged) {
  for (const char *const name :
       {"", "digits (pid 12 on node7)", "Übung mit 漢字 😀", "a\\b \"c\" 'd'"})
    EXPECT_EQ(printableName(name), name);
}

TEST(Printable, EscapesControlCharactersOfTerminalsAndLogs) {
  struct Case {
    std::string name, shown;
  };
  for (const auto &[name, shown] : {
           Case{"\x1b[2J", "\\x1b[2J"},
           {"a\nFAKE line\r", "a\\x0aFAKE line\\x0d"},
           {std::string("a\0b", 3), "a\\x00b"},
           {"\x7f\t", "\\x7f\\x09"},
           {"\xc2\x9b"
            "2J",
            "\\u009b2J"},
           {"\xe2\x80\xae"
            "evil",
            "\\u202eevil"},
           {"\xe2\x80\xa8", "\\u2028"},
           {"\xf3\xa0\x81\x81", "\\U000e0041"},
       })
    EXPECT_EQ(printableName(name), shown);
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  struct Case {
    std::string name, shown;
  };
  for (const auto &[name, shown] : {
           Case{"\xff\xfe", "\\xff\\xfe"},
           {"\xc3", "\\xc3"},                            // cut off
           {"\xc0\xaf", "\\xc0\\xaf"},                   // longer than it need be
           {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},          // overlong, too
           {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          // half of a pair of UTF-16
           {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, // beyond the last character
       })
    EXPECT_EQ(printableName(name), shown);
}

TEST(Printable, CutsLongNamesBetweenCharacters) {
  EXPECT_EQ(printableName(std::string(256, 'a')), std::string(256, 'a'));
  EXPECT_EQ(printableName(std::string(1 << 20, 'a')), std::string(253, 'a') + "...");
  const std::string cut = printableName(std::string(1000, '\x1b'));
  EXPECT_EQ(cut.size(), 63 * 4 + 3u);
  EXPECT_TRUE(cut.ends_with("\\x1b..."));
  for (const std::string &name : {cut, printableName(std::string(300, 'a'))})
    EXPECT_EQ(printableName(name), name) << "a second time";
}

TEST(Printable, KeepsTheLinesOfATextAndMakesOneLineForALog) {
  EXPECT_EQ(printableText("one\n\ttwo\x1b"), "one\n\ttwo\\x1b");
  EXPECT_EQ(printableText(std::string(1000, 'a')).size(), 1000u);
  EXPECT_EQ(printableLine("one\n\ttwo\x1b"), "one\\x0a\ttwo\\x1b");
}

TEST(Printable, AppliesToTheTextOfAPeersFault) {
  rows::Header header;
  header.body = rows::Fault{{Code::NotFound, "no\x1b[2J\nstore '" + std::string(8200, '\xff')}};
  const auto fault = std::get<rows::Fault>(rows::decode(rows::encode(header))->body);
  EXPECT_TRUE(fault.status.message.starts_with("no\\x1b[2J\nstore '\\xff\\xff"));
}

TEST(Printable, FaultIsNeverCutWithinACharacter) {
  rows::Header header;
  header.body = rows::Fault{{Code::NotFound, std::string(kMaxStatusText - 1, 'a') + "\xc3\xa4"}};
  const auto fault = std::get<rows::Fault>(rows::decode(rows::encode(header))->body);
  EXPECT_EQ(fault.status.message, std::string(kMaxStatusText - 1, 'a'));
}

} // namespace
} // namespace copse::wire
