#pragma once

#include "processor/core.hpp"

#include <bit>
#include <cstring>
#include <initializer_list>

/// Access to tile memory by the rules of the architecture.
namespace copse::ipud {

/// One of several memory accesses of an instruction.
struct Access {
  std::uint32_t address, bytes;
  bool mustInterleave = false;
};

/// Returns the first word with a parity error that \p access touches; null if there is none.
const std::uint32_t *errorIn(const Core &core, const Access &access);

/// Checks the accesses of one instruction: populated memory, region, alignment, clashes between
/// accesses and with instruction fetch, parity.
/// \param stores  the last access is a store; all others are loads
/// \returns None if all are allowed; otherwise the faulting address is stored in \p core
isa::Exception checkAccesses(Core &core, const MicroOp &step,
                             std::initializer_list<Access> accesses, bool stores);

bool allowedSlowly(Core &core, const MicroOp &step, const Access &access, bool stores);

/// Returns true if an access of \p Bytes at \p address is in the window, where all aligned accesses
/// are allowed.
template <unsigned Bytes> inline bool isInWindow(const Core &core, std::uint32_t address) {
  constexpr unsigned kShift = std::countr_zero(Bytes);
  const std::uint32_t begin = Bytes == 16 ? core.interleaved : core.windowBegin;
  return std::rotr(address - begin, kShift) < core.windowLimit[kShift];
}
/// Returns true if an access of \p Bytes at \p address is allowed; otherwise raises the exception.
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

/// Returns the memory element of a populated address. Elements of the interleaved region are in
/// pairs.
std::uint32_t elementOf(const Chip &chip, std::uint32_t address);

/// \returns false if \p address is misaligned or not executable
bool isExecutable(const Chip &chip, std::uint32_t address);

} // namespace copse::ipud
