#pragma once

#include "assembler/assembler.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace copse::assembler::test {

using isa::Architecture;

inline Object assembled(const std::string &source, Architecture architecture = Architecture::Ipu2) {
  return assemble(source, "test.S", architecture).object;
}

inline const Section &sectionOf(const Object &object, const std::string &name) {
  for (const Section &section : object.sections)
    if (section.name == name)
      return section;
  throw std::out_of_range("no section " + name);
}

inline std::vector<std::uint32_t> wordsOf(const Section &section) {
  std::vector<std::uint32_t> words(section.bytes.size() / 4);
  for (std::size_t i = 0; i < words.size() * 4; ++i)
    words[i / 4] |= static_cast<std::uint32_t>(section.bytes[i]) << (8 * (i % 4));
  return words;
}

/// Returns the words of .text.
inline std::vector<std::uint32_t> words(const std::string &source,
                                        Architecture architecture = Architecture::Ipu2) {
  return wordsOf(sectionOf(assembled(source, architecture), ".text"));
}

/// Returns the words of .data that "source" makes.
inline std::vector<std::uint32_t> dataWords(const std::string &source) {
  return wordsOf(sectionOf(assembled(".data\n" + source), ".data"));
}

inline std::string errorOf(const std::string &source,
                           Architecture architecture = Architecture::Ipu2) {
  try {
    assembled(source, architecture);
  } catch (const AssemblyError &e) {
    return e.what();
  }
  return "(assembled)";
}

inline const Symbol *symbolOf(const Object &object, const std::string &name) {
  for (const Symbol &symbol : object.symbols)
    if (symbol.name == name)
      return &symbol;
  return nullptr;
}

} // namespace copse::assembler::test
