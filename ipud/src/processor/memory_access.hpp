#pragma once

#include "processor/core.hpp"

#include <bit>
#include <cstring>
#include <initializer_list>

/// Accesses to tile memory by the rules of the architecture.
namespace copse::ipud {

/// One memory access of an instruction that makes several.
struct Access {
  std::uint32_t address, bytes;
  bool mustInterleave = false;
};

/// The first word with a parity error that \p access touches; null if none.
const std::uint32_t *errorIn(const Core &core, const Access &access);

/// Checks the accesses of one instruction: populated, region, alignment, clashes between them and
/// with instruction fetch, parity.
/// \returns None if all are allowed; the address at fault is left in \p core
/// \param stores  the last of them does; all others load
isa::Exception checkAccesses(Core &core, const MicroOp &step,
                             std::initializer_list<Access> accesses, bool stores);

bool allowedSlowly(Core &core, const MicroOp &step, const Access &access, bool stores);

/// Whether one access of \p Bytes at \p address is in the window, where all aligned ones are
/// allowed.
template <unsigned Bytes> inline bool isInWindow(const Core &core, std::uint32_t address) {
  constexpr unsigned kShift = std::countr_zero(Bytes);
  const std::uint32_t begin = Bytes == 16 ? core.interleaved : core.windowBegin;
  return std::rotr(address - begin, kShift) < core.windowLimit[kShift];
}
/// Whether one access of \p Bytes at \p address is allowed; raises what is wrong if not.
template <unsigned Bytes, bool Stores = false>
inline bool allowed(Core &core, const MicroOp &step, std::uint32_t address) {
  if (isInWindow<Bytes>(core, address)) [[likely]]
    return true;
  return allowedSlowly(core, step, {address, Bytes, Bytes == 16}, Stores);
}

template <class T> inline T loaded(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T> inline void stored(std::byte *at, T value) {
  std::memcpy(at, &value, sizeof value);
}

/// Memory element of a populated address. Elements of the interleaved region come in pairs.
std::uint32_t elementOf(const Chip &chip, std::uint32_t address);

/// Fetches a word of code.
/// \returns false if \p address is misaligned or not executable
bool isExecutable(const Chip &chip, std::uint32_t address);

} // namespace copse::ipud
