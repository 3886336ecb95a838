#include "isa/instruction.hpp"
#include "published_encodings.hpp"

#include <gmock/gmock.h>

#include <random>

namespace copse::isa {
namespace {

using test::PublishedEncoding;
using test::publishedEncodings;

constexpr auto kNewest = Architecture::Ipu21;

TEST(IsaEncodings, IncludeEveryPublishedOneOnce) {
  const auto rows = publishedEncodings();
  ASSERT_EQ(rows.size(), 368u);
  EXPECT_EQ(kOpcodes, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const InstructionInfo &info = infoOf(static_cast<Opcode>(i));
    EXPECT_EQ(info.mnemonic, rows[i].mnemonic);
    EXPECT_EQ(info.value, rows[i].value) << info.mnemonic;
    EXPECT_EQ(info.mask, rows[i].mask) << info.mnemonic;
  }
}

/// Returns true for instructions that Mk1 has although the list does not say so: PopLibs loads
/// weights 128 bits at a time on Mk1 as well.
bool isKnownOnMk1(const PublishedEncoding &row) { return row.mnemonic == "ld128putcs"; }

TEST(IsaEncodings, KnowLaneContextAndArchitecture) {
  const auto rows = publishedEncodings();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].mnemonic + " " + rows[i].operands);
    const InstructionInfo &info = infoOf(static_cast<Opcode>(i));
    EXPECT_EQ(info.isAux(), rows[i].lane == "aux");
    EXPECT_EQ(info.isLegalIn(Context::Worker), rows[i].context.find("supervisor") != 0);
    EXPECT_EQ(info.isLegalIn(Context::Supervisor), rows[i].context.find("worker") != 0);
    EXPECT_EQ(info.isSolo(), rows[i].context.find(' ') != std::string::npos);
    EXPECT_EQ(decode(info.value, Architecture::Ipu1).opcode != Opcode::Invalid,
              rows[i].arch == "all" || isKnownOnMk1(rows[i]));
    EXPECT_EQ(decode(info.value, Architecture::Ipu2).opcode != Opcode::Invalid,
              rows[i].arch == "all" || rows[i].arch == "ipu2+");
    EXPECT_EQ(decode(info.value, kNewest).opcode, static_cast<Opcode>(i));
  }
}

/// Returns the value of a published field in a word.
std::uint32_t valueIn(const PublishedEncoding &row, const std::string &name, std::uint32_t word) {
  std::uint32_t value = 0;
  for (const auto &f : row.fields)
    if (f.name == name)
      value |= (word >> f.low & ((1U << f.width) - 1)) << f.valueLow;
  return value;
}

/// Returns a published operand's register name without file, group and suffix: "mAddr:2+=" ->
/// "Addr".
std::string fieldName(const std::string &operand) {
  return operand.substr(1, operand.find_first_of(":+@>") - 1);
}

std::vector<std::string> split(const std::string &operands) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands.compare(i, 2, ", ") == 0)
      out.emplace_back(), ++i;
    else
      out.back() += operands[i];
  return out;
}

/// Returns a random word of the row whose unused bits are zero and whose groups are aligned.
std::uint32_t randomWord(const PublishedEncoding &row, std::mt19937 &random) {
  std::uint32_t word = row.value;
  for (const auto &f : row.fields)
    word |= (static_cast<std::uint32_t>(random()) & ((1U << f.width) - 1)) << f.low;
  for (const std::string &operand : split(row.operands))
    for (const auto &f : row.fields)
      if (f.name == fieldName(operand) && operand.find_first_of("ma") == 0) {
        const auto group = operand.find(":2") != std::string::npos   ? 1U
                           : operand.find(":4") != std::string::npos ? 3U
                                                                     : 0U;
        word &= ~((group >> f.valueLow) << f.low);
      }
  return word;
}

TEST(IsaEncodings, DecodeAndEncodeAreInverse) {
  const auto rows = publishedEncodings();
  std::mt19937 random(1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int n = 0; n < 200; ++n) {
      std::uint32_t word = randomWord(rows[i], random);
      if (rows[i].mnemonic == "ld64a32")
        word &= ~0xC0U; // there are four quads
      const Instruction instruction = decode(word, kNewest);
      ASSERT_EQ(instruction.opcode, static_cast<Opcode>(i)) << rows[i].mnemonic;
      EXPECT_EQ(encode(instruction), word) << rows[i].mnemonic << " " << rows[i].operands;
      const InstructionInfo &info = infoOf(instruction.opcode);
      for (unsigned o = 0; o < info.operandCount; ++o)
        EXPECT_TRUE(encodable(info.operands[o], instruction.operands[o])) << rows[i].mnemonic;
    }
}

TEST(IsaEncodings, RegistersComeFromThePublishedBits) {
  std::mt19937 random(2);
  for (const auto &row : publishedEncodings()) {
    const auto operands = split(row.operands);
    for (int n = 0; n < 50; ++n) {
      const std::uint32_t word = randomWord(row, random);
      const Instruction instruction = decode(word, kNewest);
      ASSERT_EQ(infoOf(instruction.opcode).operandCount, operands.size()) << row.mnemonic;
      for (std::size_t o = 0; o < operands.size(); ++o) {
        const bool isRegister = operands[o].front() == 'm' || operands[o].front() == 'a';
        if (!isRegister || row.mnemonic == "ld64a32" || row.mnemonic == "rpt")
          continue;
        const OperandInfo &info = infoOf(instruction.opcode).operands[o];
        EXPECT_EQ(instruction.operands[o], valueIn(row, fieldName(operands[o]), word))
            << row.mnemonic << " " << row.operands;
        EXPECT_EQ(info.kind == OperandKind::AuxRegister, operands[o].front() == 'a');
      }
    }
  }
}

TEST(IsaEncodings, RandomWordsNeverMatchTwoRows) {
  std::mt19937 random(3);
  const auto rows = publishedEncodings();
  for (int n = 0; n < 20000; ++n) {
    const auto word = static_cast<std::uint32_t>(random()) & ~kBundleBit;
    int matches = 0;
    for (const auto &row : rows)
      matches += (word & row.mask) == row.value;
    EXPECT_LE(matches, 1) << std::hex << word;
    EXPECT_EQ(decode(word, kNewest).opcode != Opcode::Invalid, matches == 1) << std::hex << word;
  }
}

TEST(IsaEncodings, ImmediatesAreExtendedAsTheirKindSays) {
  const auto operandOf = [](std::uint32_t word, unsigned i) {
    return decode(word, kNewest).operands[i];
  };
  EXPECT_EQ(operandOf(0x2200FFFF, 2), 0xFFFFFFFFu);     // add $m0, $m0, -1
  EXPECT_EQ(operandOf(0x2000FFFF, 2), 0xFFFFu);         // addz
  EXPECT_EQ(operandOf(0x4200CFFF, 2), 0xFFF00000u);     // or with high bits
  EXPECT_EQ(operandOf(0x13190037, 1), 0xDCu + 0x40000); // brnzdec $m1, 0x400DC
  EXPECT_EQ(operandOf(0x5C08000F, 3), 0xFFFFFFF8u);     // st32step, the immediate in two pieces
  EXPECT_EQ(operandOf(0x1501F234, 2), 0x1234u);         // runall, likewise
}

TEST(IsaEncodings, MatchListingsOfMachineCode) {
  EXPECT_EQ(encode({Opcode::Setzi, {14, 0}}), 0x19E00000u);
  EXPECT_EQ(encode({Opcode::AuxSetzi, {13, 0}}), 0x1AD00000u);
  EXPECT_EQ(encode({Opcode::Get, {0, 0}}), 0x41000000u);
  EXPECT_EQ(encode({Opcode::Put, {0x70, 0}}), 0x43008070u);
  EXPECT_EQ(encode({Opcode::Ld32Z, {0, 15, 1, 0}}), 0x01F01000u);
  EXPECT_EQ(encode({Opcode::Runall, {0, 15, 0}}), 0x1500F000u);
  EXPECT_EQ(encode({Opcode::SubS, {9, 18, 1}}), 0x39190012u);
  EXPECT_EQ(encode({Opcode::St64Z, {14, 2, 15, 0}}), 0x5F20F0E0u);
}

TEST(IsaEncodings, GroupsIgnoreTheirLowBits) {
  const Instruction pair = decode(0x0930F000 | 5U << 16, kNewest); // ld64 with an odd field
  EXPECT_EQ(pair.operands[0], 4u);
  EXPECT_FALSE(encodable(infoOf(pair.opcode).operands[0], 5));
  EXPECT_TRUE(encodable(infoOf(pair.opcode).operands[0], 14));
}

TEST(IsaEncodings, RangesEndWhereEncodableDoes) {
  for (std::size_t i = 0; i < kOpcodes; ++i)
    for (const OperandInfo &operand : infoOf(static_cast<Opcode>(i)).shape()) {
      if (operand.registers != 0)
        continue;
      const auto [least, greatest] = rangeOf(operand);
      const std::int64_t step = operand.kind == OperandKind::High          ? 1 << 20
                                : operand.kind == OperandKind::CodeAddress ? 4
                                                                           : 1;
      EXPECT_TRUE(encodable(operand, static_cast<std::uint32_t>(least)));
      EXPECT_TRUE(encodable(operand, static_cast<std::uint32_t>(greatest)));
      EXPECT_FALSE(encodable(operand, static_cast<std::uint32_t>(least - step)) &&
                   operand.kind != OperandKind::High);
      if (greatest + step <= 0xFFFFFFFF) {
        EXPECT_FALSE(encodable(operand, static_cast<std::uint32_t>(greatest + step)));
      }
      if (step > 1) {
        EXPECT_FALSE(encodable(operand, 1));
      }
    }
}

TEST(IsaEncodings, AWordWithoutARowIsInvalid) {
  EXPECT_EQ(decode(0x03000000, kNewest).opcode, Opcode::Invalid);
  EXPECT_EQ(decode(0, kNewest).opcode, Opcode::Invalid);
}

TEST(IsaEncodings, SendpicpIsKnownByItsBit31) {
  EXPECT_EQ(decode(0xF0000000, kNewest).opcode, Opcode::Sendpicp);
  EXPECT_EQ(decode(0x78000000, kNewest).opcode, Opcode::Send);
  EXPECT_NE(decode(0xF0000000, Architecture::Ipu2).opcode, Opcode::Sendpicp);
  EXPECT_EQ(infoOf(Opcode::Sendpicp).bytes(), 8u);
}

} // namespace
} // namespace copse::isa
