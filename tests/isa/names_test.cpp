#include "isa/csr.hpp"
#include "isa/exception.hpp"
#include "isa/registers.hpp"

#include <gmock/gmock.h>

namespace copse::isa {
namespace {

TEST(IsaRegisters, AreNamedAsInTheAssemblyLanguage) {
  const struct {
    const char *text;
    RegisterName name;
  } cases[] = {
      {"m0", {false, 0, 1}},
      {"m15", {false, 15, 1}},
      {"a7", {true, 7, 1}},
      {"a0:1", {true, 0, 2}},
      {"m2:3", {false, 2, 2}},
      {"a4:7", {true, 4, 4}},
      {"a14:15", {true, 14, 2}},
      {"azeros", {true, 14, 2}},
      {"azero", {true, 15, 1}},
      {"mzero", {false, 15, 1}},
      {"bp", {false, 8, 1}},
      {"fp", {false, 9, 1}},
      {"lr", {false, 10, 1}},
      {"sp", {false, 11, 1}},
      {"mworker_base", {false, 12, 1}},
      {"ap1", {true, 2, 2}},
      {"ap15", {true, 14, 2}},
      {"aq1", {true, 4, 4}},
      {"mp2", {false, 4, 2}},
      {"a1:3", {true, 1, 3}},
      {"a5:7", {true, 5, 3}},
      {"mvertex_base", {false, 13, 1}},
  };
  for (const auto &c : cases)
    EXPECT_EQ(registerNamed(c.text), c.name) << c.text;
}

TEST(IsaRegisters, RefuseInvalidNames) {
  for (const char *text : {"", "m", "m16", "a16", "a1:2", "a2:4", "a0:2", "m0:", "m00", "m1:3",
                           "b3", "a0:1:2", "ap", "apx", "ap16", "m0:1x", "a3:0", "zero"})
    EXPECT_FALSE(registerNamed(text)) << text;
}

TEST(IsaRegisters, EveryNameReadsBack) {
  for (const bool isAux : {false, true})
    for (std::uint8_t count : {1, 2, 4})
      for (std::uint8_t first = 0; first < 16; first = static_cast<std::uint8_t>(first + count)) {
        const RegisterName name{isAux, first, count};
        EXPECT_EQ(registerNamed(textOf(name).substr(1)), name) << textOf(name);
      }
}

TEST(IsaCsrs, AreFoundByIndexAndName) {
  for (const Context context : {Context::Supervisor, Context::Worker})
    for (const CsrInfo &csr : csrsOf(context)) {
      EXPECT_EQ(csrAt(context, csr.index, Architecture::Ipu21), &csr) << csr.name;
      EXPECT_EQ(csrNamed(context, csr.name, Architecture::Ipu21), &csr) << csr.name;
    }
  EXPECT_EQ(csrAt(Context::Worker, 0x30, Architecture::Ipu21), nullptr);
  EXPECT_EQ(csrNamed(Context::Worker, "SSR", Architecture::Ipu21), nullptr);
  EXPECT_EQ(csrNamed(Context::Worker, "FP_SCL", Architecture::Ipu2), nullptr);
  EXPECT_EQ(csrAt(Context::Worker, 0x10A, Architecture::Ipu2), nullptr);
}

TEST(IsaExceptions, HaveTheArchitecturesNumbersAndNames) {
  EXPECT_EQ(static_cast<int>(Exception::InvalidInstruction), 12);
  EXPECT_EQ(nameOf(Exception::InvalidInstruction), "TEXCPT_INVALID_INSTR");
  int debug = 0;
  for (int i = 0; i < 16; ++i) {
    EXPECT_THAT(std::string(nameOf(static_cast<Exception>(i))), ::testing::StartsWith("TEXCPT_"));
    debug += isDebug(static_cast<Exception>(i));
  }
  EXPECT_EQ(debug, 6);
}

} // namespace
} // namespace copse::isa
