// Native codelets for the tests, written against wire/codelet_abi.hpp as popc would generate them.
// The build defines MODULE_INFO, so that modules for another slot size or CPU come from the same
// file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

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

long __copseCycleOffset = 0; // ipud sets it

bool empty(void *, unsigned) { return true; }

/// State: what it counts [worker cycles].
bool count(void *state, unsigned) {
  auto *const cycles = reinterpret_cast<std::uint64_t *>(
      static_cast<char *>(__builtin_thread_pointer()) + __copseCycleOffset);
  *cycles += words(state)[0];
  return true;
}

/// State: address of an int.
bool addOne(void *state, unsigned) {
  ++*at<std::int32_t>(state, words(state)[0]);
  return true;
}

/// A MultiVertex. State: address of a word per worker, which gets the number that $WSR has, and 16
/// times the worker's argument.
bool tellWorker(void *state, unsigned worker);

/// Called by tile code: the sum of $m0 to $m3 in $m0, $a0 * $a5 in $a0.
bool sumAndProduct(void *registers, unsigned) {
  struct {
    std::uint32_t m[4];
    float a[6];
  } r;
  std::memcpy(&r, registers, sizeof r);
  r.m[0] += r.m[1] + r.m[2] + r.m[3];
  r.a[0] *= r.a[5];
  std::memcpy(registers, &r, sizeof r);
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
bool throwAnError(void *, unsigned) { throw std::out_of_range("no such row"); }

bool overflowStack(void *, unsigned) {
  volatile int start = 0;
  return deepen(&start) != 0;
}

bool forever(void *, unsigned) {
  for (volatile bool on = true; on;) {
  }
  return true;
}

// Loops as compilers write them: loads of all sizes. State: addresses of numbers, their count,
// address of as many results. NAME reads all of the first; only accumulate reads the others.
#define LOOP(NAME, FROM, TO, STATEMENT)                                                            \
  bool NAME(void *state, unsigned) {                                                               \
    const auto *const s = words(state);                                                            \
    const auto *__restrict from = at<const FROM>(state, s[0]);                                     \
    auto *__restrict to = at<TO>(state, s[2]);                                                     \
    const std::uint32_t count = s[1];                                                              \
    for (std::uint32_t i = 0; i < count; ++i)                                                      \
      STATEMENT;                                                                                   \
    return true;                                                                                   \
  }
#define LOOPS(NAME, FROM, TO, STATEMENT)                                                           \
  LOOP(NAME, FROM, TO, STATEMENT)                                                                  \
  __attribute__((target("avx2,fma,f16c"))) LOOP(NAME##Wide, FROM, TO, STATEMENT)
LOOPS(copyWords, std::int32_t, std::int32_t, to[i] = from[i])
LOOPS(copyShorts, std::int16_t, std::int16_t, to[i] = static_cast<std::int16_t>(from[i] + 1))
LOOPS(copyBytes, std::int8_t, std::int8_t, to[i] = static_cast<std::int8_t>(from[i] ^ 3))
LOOPS(extendBytes, std::int8_t, std::int32_t, to[i] = from[i])
LOOPS(extendShorts, std::uint16_t, std::uint64_t, to[i] = from[i])
LOOPS(convert, std::int32_t, double, to[i] = from[i] * 0.5)
LOOPS(scale, float, float, to[i] = from[i] * 3.0F)
LOOPS(narrow, double, float, to[i] = static_cast<float>(from[i]) + 1.0F)
LOOPS(divideAll, double, double, to[i] = 1.0 / from[i])
LOOPS(isSmall, float, bool, to[i] = from[i] < 1.0F)
LOOPS(accumulate, std::int32_t, std::int32_t, to[i] += from[i])
LOOP(volatileCopy, volatile std::uint16_t, std::uint16_t, to[i] = from[i])
LOOP(copyMemory, std::byte, std::byte, if (i == 0) std::memcpy(to, from, count))

/// State: an address, a count; sets as many words. The same for bytes, by one string instruction.
bool fillWords(void *state, unsigned) {
  const auto *const s = words(state);
  for (std::uint32_t i = 0; i < s[1]; ++i)
    at<std::uint32_t>(state, s[0])[i] = i;
  return true;
}
bool fillBytes(void *state, unsigned) {
  const auto *const s = words(state);
  void *to = at<std::byte>(state, s[0]);
  std::size_t count = s[1];
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(7) : "memory");
  return true;
}
bool copyString(void *state, unsigned) {
  const auto *const s = words(state);
  const void *from = at<std::byte>(state, s[0]);
  void *to = at<std::byte>(state, s[2]);
  std::size_t count = s[1];
  __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
  return true;
}

// Set by ipud, as wire/codelet_abi.hpp says.
__attribute__((visibility("default"))) void (*__copseMatrix)(unsigned word, void *words);
__attribute__((visibility("default"))) void (*__copseLoadWeights)(unsigned index, unsigned groups);
__attribute__((visibility("default"))) void (*__copseWriteRegister)(unsigned index, unsigned value);
__attribute__((visibility("default"))) unsigned (*__copseReadRegister)(unsigned index);
__attribute__((visibility("default"))) unsigned long long *(*__copseGenerator)();

bool tellWorker(void *state, unsigned worker) {
  constexpr unsigned kStatus = 1;
  at<std::uint32_t>(state, words(state)[0])[worker] = __copseReadRegister(kStatus) + 16 * worker;
  return true;
}

/// A MultiVertex. State: address of two words per worker, which get a random number.
bool draw(void *state, unsigned worker) {
  const auto rotated = [](unsigned long long x, int by) { return x << by | x >> (64 - by); };
  unsigned long long s[2], bits[2]; // xoroshiro128aox, two steps for each draw
  std::memcpy(s, __copseGenerator(), sizeof s);
  for (unsigned long long &word : bits) {
    const unsigned long long sum = s[0] ^ s[1], both = s[0] & s[1];
    word = sum ^ (rotated(both, 1) | rotated(both, 2));
    s[0] = rotated(s[0], 55) ^ sum ^ sum << 14;
    s[1] = rotated(sum, 36);
  }
  std::memcpy(__copseGenerator(), s, sizeof s);
  std::memcpy(at<std::uint32_t>(state, words(state)[0]) + 2 * worker, bits, 8);
  return true;
}

/// Called by tile code: $FP_CTL in $m0, which then becomes 0.
bool clearControl(void *registers, unsigned) {
  constexpr unsigned kControl = 0x102;
  static_cast<std::uint32_t *>(registers)[0] = __copseReadRegister(kControl);
  __copseWriteRegister(kControl, 0);
  return true;
}

/// State: address of the weights, whether two are loaded at once, the instruction's word with 0 as
/// immediate, their count, addresses of as many immediates, of the words of x and partials of each,
/// of a wire::MatrixWords, of the results; $FP_INFMT and 256 times $FP_SCL, if not 0.
bool matrix(void *state, unsigned) {
  const auto *const s = words(state);
  constexpr unsigned kWeightAddress = 0x50, kWeights = 64;
  const unsigned groups = s[1] != 0 ? 2 : 1;
  __copseWriteRegister(kWeightAddress, s[0]);
  if (s[8] != 0) {
    constexpr unsigned kFpInitialFormat = 0x31, kFpFormat = 0x109, kFpScale = 0x10A;
    __copseWriteRegister(kFpInitialFormat, s[8] & 1); // of the weights
    __copseWriteRegister(kFpFormat, s[8] & 2);
    __copseWriteRegister(kFpScale, s[8] >> 8);
  }
  for (unsigned i = 0; i < kWeights; i += groups)
    __copseLoadWeights(i, groups);
  auto *const io = at<std::uint32_t>(state, s[6]);
  constexpr unsigned kInput = 33, kResult = 37; // words of MatrixWords
  for (std::uint32_t i = 0; i < s[3]; ++i) {
    std::memcpy(io + kInput, at<std::uint32_t>(state, s[5]) + 4 * i, 16);
    __copseMatrix(s[2] | at<std::uint32_t>(state, s[4])[i], io);
    std::memcpy(at<std::uint32_t>(state, s[7]) + 2 * i, io + kResult, 8);
  }
  return true;
}
}
