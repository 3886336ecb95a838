// Codelets for system tests, written against wire/codelet_abi.hpp as popc would generate them.
#include <cstdint>

namespace {

std::uint32_t *at(void *state, std::uint32_t address) {
  constexpr std::uintptr_t kSlotMask = (std::uintptr_t{1} << 21) - 1;
  return reinterpret_cast<std::uint32_t *>((reinterpret_cast<std::uintptr_t>(state) & ~kSlotMask) +
                                           address);
}

std::uint32_t field(void *state, unsigned index) {
  return static_cast<std::uint32_t *>(state)[index];
}

} // namespace

extern "C" {

extern const char __copseModuleInfo[];
const char __copseModuleInfo[] = "slotBits=21;cpu=x86-64";

/// State: address of a word, and what is added to it.
bool add(void *state, unsigned) {
  *at(state, field(state, 0)) += field(state, 1);
  return true;
}

/// State: addresses of two words. The first becomes 31 times itself plus the second.
bool fold(void *state, unsigned) {
  std::uint32_t &word = *at(state, field(state, 0));
  word = word * 31 + *at(state, field(state, 1));
  return true;
}

/// State: address of a word. Traps if it is not 0.
bool trapUnlessZero(void *state, unsigned) {
  if (*at(state, field(state, 0)) != 0)
    __builtin_trap();
  return true;
}

bool never(void *, unsigned) {
  for (volatile bool on = true; on;) {
  }
  return true;
}
}
