#include "control/tile_fault_text.hpp"

#include "control/parity_checks.hpp"
#include "isa/text.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace copse::ipud {
namespace {

/// Returns the last of \p items that starts at or before \p address; null if there is none.
template <class T> const T *lastBefore(const std::vector<T> &items, std::uint32_t address) {
  const auto after = std::ranges::upper_bound(items, address, {}, &T::address);
  return after == items.begin() ? nullptr : &*std::prev(after);
}

bool holds(const wire::CodeSection &section, std::uint32_t tile, std::uint32_t address) {
  return address >= section.address && address - section.address < section.bytes &&
         std::ranges::binary_search(section.tiles, tile);
}

void writeRegisters(std::ostream &out, const char *name, std::span<const std::uint32_t> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    out << (i % 8 == 0 ? "\n  " : " ") << "$" << name << std::dec << i << "=" << std::hex
        << std::showbase << values[i];
}

bool isAboutMemory(isa::Exception type) {
  return type == isa::Exception::InvalidAddress || type == isa::Exception::Conflict;
}

} // namespace

CodePlace placeOf(const wire::Image &image, std::uint32_t tile, std::uint32_t address) {
  const auto section = std::ranges::find_if(
      image.code, [&](const wire::CodeSection &s) { return holds(s, tile, address); });
  return section == image.code.end() ? CodePlace{} : placeIn(*section, image, address);
}

CodePlace placeIn(const wire::CodeSection &section, const wire::Image &image,
                  std::uint32_t address) {
  CodePlace place;
  if (const auto *const symbol = lastBefore(section.symbols, address)) {
    std::ostringstream text;
    text << symbol->name;
    if (address != symbol->address)
      text << "+" << std::hex << std::showbase << address - symbol->address;
    place.symbol = text.str();
  }
  if (const auto *const line = lastBefore(section.lines, address))
    place.source = image.sourceFiles[line->file] + ":" + std::to_string(line->line);
  return place;
}

std::string placeText(const wire::Image &image, std::uint32_t tile, std::uint32_t address) {
  const CodePlace place = placeOf(image, tile, address);
  return place.source.empty() ? place.symbol : place.symbol + " (" + place.source + ")";
}

/// Describes the native function at \p address; empty if there is none.
std::string nativeText(const wire::Image &image, std::uint32_t address) {
  for (const wire::CodeletFunction &function : image.functions)
    if (!wire::isTileCode(function.kind) && function.entry == address && address != 0)
      return "the address of native code '" + function.vertexType + "'";
  return {};
}

std::string mnemonicOf(std::uint32_t word, wire::Architecture architecture) {
  const auto opcode = isa::decode(word, architecture).opcode;
  return opcode == isa::Opcode::Invalid ? "(invalid)" : std::string(isa::infoOf(opcode).mnemonic);
}

std::string instructionText(const std::array<std::uint32_t, 2> &words,
                            wire::Architecture architecture) {
  const auto textOf = [&](std::uint32_t word) {
    return isa::textOf(isa::decode(word, architecture));
  };
  const bool isBundle = (words[0] & isa::kBundleBit) != 0;
  return isBundle ? "{ " + textOf(words[0]) + "; " + textOf(words[1]) + " }" : textOf(words[0]);
}

std::string hexadecimal(std::uint32_t address) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%05x", address);
  return text;
}

std::string tileFaultText(const wire::Image &image, const TileFault &fault, std::uint32_t tile) {
  std::ostringstream text;
  if (fault.type == isa::Exception::None)
    text << "it did not end within its limit of cycles";
  else
    text << isa::nameOf(fault.type);
  text << " at " << std::hex << std::showbase << fault.pc;
  if (const auto native = nativeText(image, fault.pc); fault.place.empty() && !native.empty()) {
    text << ", " << native;
  } else {
    if (!fault.place.empty())
      text << " in inline assembly at " << fault.place;
    else if (const auto place = placeText(image, tile, fault.pc); !place.empty())
      text << " in " << place;
    text << ": " << instructionText(fault.words, image.architecture);
  }
  if (isAboutMemory(fault.type))
    text << ", memory address " << fault.address;
  if (fault.type == isa::Exception::MemoryError)
    text << ", " << memoryErrorText(fault.address);
  if (fault.inRepeat)
    text << ", in a repeat";
  text << "\nregisters:";
  writeRegisters(text, "m", fault.m);
  if (fault.context != kSupervisor)
    writeRegisters(text, "a", fault.a);
  return text.str();
}

} // namespace copse::ipud
