// Assembles random bundles, written in random ways. However lines are broken, whatever comments
// stand in between, and whichever part comes from a macro, the words must equal the encodings.
#include "assembled.hpp"
#include "isa/text.hpp"
#include "some_operands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace copse::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;

/// Two instructions, main first.
struct Bundle {
  Instruction main, aux;
  std::string plain() const { return "{ " + isa::textOf(main) + "; " + isa::textOf(aux) + " }\n"; }
};

class Random {
public:
  explicit Random(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return random_() % n; }
  const char *oneOf(std::initializer_list<const char *> texts) {
    return texts.begin()[below(texts.size())];
  }

  /// Returns a bundle that is allowed anywhere in a program.
  Bundle bundle() {
    for (;;) {
      const Bundle some{instruction(false), instruction(true)};
      const bool hasTwo = some.main.opcode != Opcode::Invalid && some.aux.opcode != Opcode::Invalid;
      if (hasTwo && test::errorOf(some.plain(), isa::Architecture::Ipu21) == "(assembled)")
        return some;
    }
  }

private:
  Instruction instruction(bool aux) {
    Instruction some{static_cast<Opcode>(below(isa::kOpcodes)), {}};
    const isa::InstructionInfo &info = isa::infoOf(some.opcode);
    // A repeat needs a body, and the instructions after it decide whether it is allowed.
    const bool isRepeat = some.opcode == Opcode::Rpt || some.opcode == Opcode::RptZ;
    if (info.isAux() != aux || info.isSolo() || isRepeat || !info.isLegalIn(isa::Context::Worker))
      return {};
    for (unsigned i = 0; i < info.operandCount; ++i)
      some.operands[i] = test::someValue(info.operands[i], 2, random_);
    return some;
  }

  std::mt19937 random_;
};

/// Writes bundles in ways in which people might write them.
class Writer {
public:
  explicit Writer(Random &random) : random_(random) {}
  std::string definitions; ///< definitions of the macros that bundles call

  std::string write(const Bundle &bundle) {
    const std::string both =
        "{" + gap() + half(bundle.main) + separator() + half(bundle.aux) + closing() + "}";
    if (random_.below(4) != 0)
      return gap() + both + random_.oneOf({"\n", "\n\n", " // }\n", " /* { */\n", ";\n"});
    const std::string name = newName();
    return ".macro " + name + "\n" + both + "\n.endm\n" + name + "\n";
  }

private:
  std::string newName() { return "M" + std::to_string(names_++); }

  std::string blank() { return random_.oneOf({" ", "\t", "  ", " /* ; } */ ", "/* // */ "}); }
  std::string comma() {
    return random_.oneOf({",", ", ", " , ", ",\t", " /* , */, ", ", /*\"*/ "});
  }
  /// Returns a gap between two tokens of a statement.
  std::string gap() {
    return random_.oneOf({"", " ", "\n", "\n\n\t", " // nop; fnop } /*\n", "\n# it's { a note\n",
                          "/* two\n   lines } */ ", "\n;;\n"});
  }
  std::string separator() {
    return random_.oneOf({";", "\n", " ; ", " // main\n", " # main\n", " /* a */\n/* b\n */ ",
                          "\n\n\n", ";\n", ";;"});
  }
  std::string closing() {
    return random_.oneOf({"", " ", "\n", ";", " // aux\n", "\n# }\n", " /* } */ "});
  }

  /// Writes an instruction, sometimes with a macro that makes parts of it.
  std::string half(const Instruction &instruction) {
    const std::string text = isa::textOf(instruction);
    const std::size_t cut = std::min(text.find(' '), text.size());
    const std::string mnemonic = text.substr(0, cut);
    const std::vector<std::string> operands = partsOf(text.substr(cut));
    switch (random_.below(5)) {
    case 0:
      return callWithOperands(mnemonic, operands);
    case 1:
      return mnemonic.size() > 2 ? callWithMnemonic(mnemonic, operands)
                                 : mnemonic + joined(operands);
    default:
      return mnemonic + joined(operands);
    }
  }
  std::string joined(const std::vector<std::string> &operands) {
    std::string text;
    for (const std::string &operand : operands)
      text += (text.empty() ? blank() : comma()) + operand;
    return text;
  }
  static std::vector<std::string> partsOf(const std::string &operands) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < operands.size();) {
      const std::size_t end = std::min(operands.find(',', at), operands.size());
      const std::size_t begin = operands.find_first_not_of(" ,", at);
      if (begin < end)
        parts.push_back(operands.substr(begin, end - begin));
      at = end + 1;
    }
    return parts;
  }
  /// \returns a call of a macro that has an argument for each operand
  std::string callWithOperands(const std::string &mnemonic,
                               const std::vector<std::string> &operands) {
    const std::string name = newName();
    std::string parameters, uses;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::string parameter = "p" + std::to_string(i);
      parameters += " " + parameter;
      uses += (i == 0 ? " \\" : ", \\") + parameter;
    }
    definitions += ".macro " + name + parameters + "\n  " + mnemonic + uses + "\n.endm\n";
    return name + joined(operands);
  }
  /// \returns a call of a macro whose argument is the middle of the mnemonic
  std::string callWithMnemonic(const std::string &mnemonic,
                               const std::vector<std::string> &operands) {
    const std::string name = newName(), middle = mnemonic.substr(1, mnemonic.size() - 2);
    definitions += ".macro " + name + " op\n" + mnemonic.front() + "\\op\\()" + mnemonic.back() +
                   joined(operands) + "\n.endm\n";
    return name + " " + middle;
  }

  Random &random_;
  int names_ = 0;
};

TEST(AssemblerBundles, AreTheSameHoweverTheyAreWritten) {
  constexpr unsigned kPrograms = 60, kBundles = 40;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    Random random(seed);
    Writer writer(random);
    std::vector<std::uint32_t> expected;
    std::string plain, written;
    for (unsigned i = 0; i < kBundles; ++i) {
      const Bundle bundle = random.bundle();
      expected.push_back(isa::encode(bundle.main) | isa::kBundleBit);
      expected.push_back(isa::encode(bundle.aux) | isa::kBundleBit);
      plain += bundle.plain();
      written += writer.write(bundle);
    }
    ASSERT_EQ(test::words(plain, isa::Architecture::Ipu21), expected) << plain;
    ASSERT_EQ(test::words(writer.definitions + written, isa::Architecture::Ipu21), expected)
        << "seed " << seed << "\n"
        << writer.definitions << written;
  }
}

} // namespace
} // namespace copse::assembler
