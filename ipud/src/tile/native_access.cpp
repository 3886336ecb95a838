#include "tile/native_access.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace copse::ipud {
namespace {

/// An instruction's prefixes, whatever the encoding, and its opcode.
struct Opcode {
  enum class Map : std::uint8_t { OneByte, TwoBytes, With38, With3A };
  Map map = Map::OneByte;
  std::uint8_t code = 0;
  std::uint8_t operands = 0; ///< the following byte, which is a part of some opcodes
  std::uint8_t prefix = 0;   ///< 0x66, 0xF2 or 0xF3; 0: none
  bool wide = false;         ///< W: 64-bit operands
  unsigned vector = 16;      ///< size of its vector registers [bytes]

  unsigned integer() const { return wide ? 8 : prefix == 0x66 ? 2 : 4; }
  unsigned register32() const { return wide ? 8 : 4; }
  /// Returns the size of an operand of an instruction that has a form for each of the four number
  /// types.
  unsigned number() const { return prefix == 0xF3 ? 4 : prefix == 0xF2 ? 8 : vector; }
};

// Indexed by the prefix number of vector encodings.
constexpr std::uint8_t kPrefixes[] = {0, 0x66, 0xF3, 0xF2};

bool isOneOf(std::uint8_t code, std::initializer_list<std::uint8_t> codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

/// Decodes the encodings with two (0xC5), three (0xC4) or four (0x62) bytes before the opcode.
Opcode vectorOpcode(const std::uint8_t *at) {
  Opcode result;
  std::uint8_t last = at[1];
  unsigned map = 1, length = 2;
  if (at[0] != 0xC5) {
    map = at[1] & 7U;
    last = at[2];
    length = at[0] == 0xC4 ? 3 : 4;
    result.wide = (last & 0x80) != 0;
  }
  result.map = static_cast<Opcode::Map>(std::min(map, 3U));
  result.prefix = kPrefixes[last & 3U];
  const unsigned doublings = length == 4 ? at[3] >> 5 & 3U : last >> 2 & 1U;
  result.vector = 16U << std::min(doublings, 2U);
  result.code = at[length];
  result.operands = at[length + 1];
  return result;
}

Opcode opcodeAt(const std::uint8_t *at) {
  Opcode result;
  for (;; ++at) {
    if (*at == 0x66 || *at == 0xF2 || *at == 0xF3)
      result.prefix = result.prefix == 0 || *at != 0x66 ? *at : result.prefix;
    else if (!isOneOf(*at, {0xF0, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0x67}))
      break;
  }
  if (*at == 0xC4 || *at == 0xC5 || *at == 0x62)
    return vectorOpcode(at);
  if ((*at & 0xF0) == 0x40)
    result.wide = (*at++ & 8) != 0;
  if (*at == 0x0F) {
    ++at;
    result.map = Opcode::Map::TwoBytes;
    if (*at == 0x38 || *at == 0x3A)
      result.map = *at++ == 0x38 ? Opcode::Map::With38 : Opcode::Map::With3A;
  }
  result.code = at[0];
  result.operands = at[1];
  return result;
}

NativeAccess store(unsigned bytes) { return {bytes, true}; }
NativeAccess load(unsigned bytes) { return {bytes, false}; }

NativeAccess oneByte(const Opcode &o) {
  if (isOneOf(o.code, {0x88, 0xC6, 0xA4, 0xAA}))
    return store(1);
  if (isOneOf(o.code, {0x89, 0xC7, 0xA5, 0xAB}))
    return store(o.integer());
  if (o.code >= 0xD8 && o.code <= 0xDF)
    return load(16); // x87
  if (o.code == 0x63)
    return load(4);
  const bool counts = (o.operands & 0x38) < 0x10;
  if (o.code == 0x8F || (o.code == 0xFF && !counts))
    return load(8); // calls, jumps and the stack use 64 bits whatever the prefixes
  const bool ofBytes = o.code < 0x40   ? o.code % 2 == 0
                       : o.code < 0x80 ? false
                                       : isOneOf(o.code, {0x80, 0x84, 0x86, 0x8A, 0xA6, 0xAC, 0xAE,
                                                          0xC0, 0xD0, 0xD2, 0xF6, 0xFE});
  return load(ofBytes ? 1 : o.integer());
}

NativeAccess twoBytes(const Opcode &o) {
  switch (o.code) {
  case 0x11:
    return store(o.number());
  case 0x13:
  case 0x17:
  case 0xD6:
    return store(8);
  case 0x29:
  case 0x2B:
  case 0x7F:
  case 0xE7:
    return store(o.vector);
  case 0x7E:
    return o.prefix == 0xF3 ? load(8) : store(o.register32());
  case 0xC3:
    return store(o.register32());
  case 0x5B:
    return load(o.vector);
  case 0x10:
  case 0xC2:
    return load(o.number());
  case 0x12:
    return load(o.prefix == 0 || o.prefix == 0x66 ? 8 : o.vector);
  case 0x16:
    return load(o.prefix == 0xF3 ? o.vector : 8);
  case 0x2A:
  case 0x6E:
    return load(o.register32());
  case 0x2C:
  case 0x2D:
    return load(o.number());
  case 0x2E:
  case 0x2F:
    return load(o.prefix == 0x66 ? 8 : 4);
  case 0x5A:
    return load(o.prefix == 0 ? o.vector / 2 : o.number());
  case 0xE6:
    return load(o.prefix == 0xF3 ? o.vector / 2 : o.vector);
  case 0xB0:
  case 0xB6:
  case 0xBE:
  case 0xC0:
    return load(1);
  case 0xB7:
  case 0xBF:
  case 0xC4:
    return load(2);
  case 0xC7:
    return load(16);
  default:
    break;
  }
  if (o.code >= 0x90 && o.code <= 0x9F)
    return store(1);
  if (o.code >= 0x51 && o.code <= 0x5F)
    return load(o.number());
  if ((o.code >= 0x40 && o.code <= 0x4F) ||
      isOneOf(o.code, {0xA3, 0xA4, 0xA5, 0xAB, 0xAC, 0xAD, 0xAF, 0xB1, 0xB3, 0xB8, 0xBA, 0xBB, 0xBC,
                       0xBD, 0xC1}))
    return load(o.integer());
  return load(o.vector);
}

NativeAccess with38(const Opcode &o) {
  // The widening factors of the codes from 0x20 and 0x30 on.
  constexpr std::array<unsigned, 6> kExtends{2, 4, 8, 2, 4, 2};
  if ((o.code >= 0x20 && o.code <= 0x25) || (o.code >= 0x30 && o.code <= 0x35))
    return load(o.vector / kExtends[o.code & 15U]);
  if (o.code >= 0x96 && o.code <= 0xBF) { // fused products: odd codes from 9 on are scalar
    const bool scalar = (o.code & 15U) >= 9 && o.code % 2 != 0;
    return load(scalar ? o.register32() : o.vector);
  }
  switch (o.code) {
  case 0x13:
    return load(o.vector / 2);
  case 0x18:
  case 0x58:
    return load(4);
  case 0x19:
  case 0x59:
  case 0x90: // gathers fault element by element
  case 0x91:
  case 0x92:
  case 0x93:
    return load(8);
  case 0x1A:
  case 0x5A:
    return load(16);
  case 0x78:
    return load(1);
  case 0x79:
    return load(2);
  case 0x2E:
  case 0x2F:
  case 0x8E:
    return store(o.vector);
  case 0xF0:
    return load(o.prefix == 0xF2 ? 1 : o.integer());
  case 0xF1:
    return o.prefix == 0xF2 ? load(o.integer()) : store(o.integer());
  case 0xF2:
  case 0xF3:
  case 0xF5:
  case 0xF6:
  case 0xF7:
    return load(o.register32());
  default:
    return load(o.vector);
  }
}

NativeAccess with3A(const Opcode &o) {
  switch (o.code) {
  case 0x14:
    return store(1);
  case 0x15:
    return store(2);
  case 0x16:
    return store(o.register32());
  case 0x17:
    return store(4);
  case 0x19:
  case 0x39:
    return store(16);
  case 0x1D:
    return store(o.vector / 2);
  case 0x20:
    return load(1);
  case 0x0A:
  case 0x21:
    return load(4);
  case 0x0B:
    return load(8);
  case 0x22:
  case 0xF0:
    return load(o.register32());
  case 0x18:
  case 0x38:
    return load(16);
  default:
    return load(o.vector);
  }
}

} // namespace

NativeAccess nativeAccessOf(const std::uint8_t *instruction) {
  const Opcode opcode = opcodeAt(instruction);
  switch (opcode.map) {
  case Opcode::Map::OneByte:
    return oneByte(opcode);
  case Opcode::Map::TwoBytes:
    return twoBytes(opcode);
  case Opcode::Map::With38:
    return with38(opcode);
  case Opcode::Map::With3A:
    break;
  }
  return with3A(opcode);
}

} // namespace copse::ipud
