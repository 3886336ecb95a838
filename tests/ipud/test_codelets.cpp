// Native codelets for the tests, written against wire/codelet_abi.hpp as popc would generate them.
// The build defines MODULE_INFO, so that modules for another slot size or CPU come from the same
// file.
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::uintptr_t kSlotMask = (std::uintptr_t{1} << 21) - 1;

/// Native pointer to an address of the tile that \p state lies on.
template <class T> T *at(void *state, std::uint32_t address) {
  return reinterpret_cast<T *>((reinterpret_cast<std::uintptr_t>(state) & ~kSlotMask) + address);
}

const std::uint32_t *words(void *state) { return static_cast<const std::uint32_t *>(state); }

int deepen(volatile int *below) {
  volatile int here[1024];
  here[0] = *below + 1;
  return deepen(here) + here[0];
}

} // namespace

extern "C" {

extern const char __copseModuleInfo[];
const char __copseModuleInfo[] = MODULE_INFO;

bool empty(void *, unsigned) { return true; }

/// State: address of an int.
bool addOne(void *state, unsigned) {
  ++*at<std::int32_t>(state, words(state)[0]);
  return true;
}

/// State: address of an int.
bool isPositive(void *state, unsigned) { return *at<std::int32_t>(state, words(state)[0]) > 0; }

/// State: address of an int, a limit, address of the predicate word: int < limit.
bool isLess(void *state, unsigned) {
  const auto *const s = words(state);
  *at<std::uint32_t>(state, s[2]) =
      *at<std::int32_t>(state, s[0]) < static_cast<std::int32_t>(s[1]) ? 1 : 0;
  return true;
}

/// State: address and count of ints, address of their sum.
bool sum(void *state, unsigned) {
  const auto *const s = words(state);
  std::int32_t total = 0;
  for (std::uint32_t i = 0; i < s[1]; ++i)
    total += at<std::int32_t>(state, s[0])[i];
  *at<std::int32_t>(state, s[2]) = total;
  return true;
}

/// A MultiVertex. State: address of one int per worker.
bool addWorker(void *state, unsigned worker) {
  at<std::int32_t>(state, words(state)[0])[worker] += static_cast<std::int32_t>(worker) + 1;
  return worker != 7;
}

/// A MultiVertex whose worker 4 faults.
bool faultOnWorker4(void *, unsigned worker) {
  if (worker == 4)
    __builtin_trap();
  return true;
}

/// State: offset from the slot's start, which may be anywhere.
bool readAt(void *state, unsigned) {
  return *at<volatile std::uint32_t>(state, words(state)[0]) != 1;
}

bool readNull(void *, unsigned) {
  std::uint32_t *volatile none = nullptr;
  return *none != 1;
}

/// State: two ints, of which the first is divided by the second.
bool divide(void *state, unsigned) {
  auto *const s = static_cast<volatile std::int32_t *>(state);
  s[0] = s[0] / s[1];
  return true;
}

bool illegal(void *, unsigned) { __builtin_trap(); }

bool breakpoint(void *, unsigned) {
  __asm__ volatile("int3");
  return true;
}

bool giveUp(void *, unsigned) { std::abort(); }

bool throwSomething(void *, unsigned) { throw 1; }

bool overflowStack(void *, unsigned) {
  volatile int start = 0;
  return deepen(&start) != 0;
}

bool forever(void *, unsigned) {
  for (volatile bool on = true; on;) {
  }
  return true;
}
}
