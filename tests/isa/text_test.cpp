#include "isa/text.hpp"

#include <gmock/gmock.h>

namespace copse::isa {
namespace {

std::string textOfWord(std::uint32_t word) { return textOf(decode(word, Architecture::Ipu21)); }

TEST(IsaText, SpellsInstructionsLikeTheLanguage) {
  const struct {
    std::uint32_t word;
    const char *text;
  } cases[] = {
      {0x19E00000, "nop"},
      {0x1AD00000, "fnop"},
      {0x01F01000, "ld32 $m0, $mzero, $m1, 0"},
      {0x1500F000, "runall $m0, $mzero, 0"},
      {0x13190037, "brnzdec $m1, 0x400dc"},
      {0x39190012, "sub $m9, 18, $m1"},
      {0x37190012, "subz $m9, 18, $m1"},
      {0x5F20F0E0, "st64 $azeros, $m2, $mzero, 0"},
      {0x2010FFFF, "add $m0, $m1, 0xffff"},
      {0x20100001, "addz $m0, $m1, 1"},
      {0x41000001, "get $m0, 1"},
      {0x41000070, "get $m0, $DBG_DATA"},
      {0x51008001, "uput $FP_CLR, $a0"},
      {0x58080003 | 2U << 20 | 4U << 12 | 6U << 4, "f32v2add $a6:7, $a2:B, $a4:5"},
      {0x58080001, "f16v2add $a0, $a0:BL, $a0"},
      {0x46000000 | 2U << 4 | 4U << 12 | 15U << 20 | 5,
       "ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 5"},
      {0x45000A00 | 1U << 12 | 2U << 20 | 3U << 16, "ldd16a32 $a0, $m1++, $m2, $m3@"},
      {0x45000900 | 3U << 12 | 2U << 16, "ldb16b16 $a0:1, $m0, $m2++, $m3>>"},
      {0x47000703 | 1U << 4 | 1U << 12, "ld64a32 $a5:7, $m1++, $m0, $m0"},
      {0x00000000, "(invalid)"},
  };
  for (const auto &c : cases)
    EXPECT_EQ(textOfWord(c.word), c.text);
}

TEST(IsaText, AMnemonicHasAllItsForms) {
  EXPECT_EQ(formsOf("ld32").size(), 4u);
  EXPECT_EQ(formsOf("f16v4add").size(), 3u);
  EXPECT_TRUE(formsOf("ld33").empty());
  EXPECT_TRUE(formsOf("").empty());
}

} // namespace
} // namespace copse::isa
