#include "modelled_time.hpp"

#include "interposition.hpp"
#include "program_clock/program_clock.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <link.h>
#include <linux/futex.h>
#include <sched.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace copse::program_clock {
namespace {

// The date, and the time since boot, at which a host without a time of its own begins: 1 January
// 2021, one hour.
constexpr std::int64_t kFirstDay = 1'609'459'200 * kNsPerS, kUptime = 3600 * kNsPerS;

// A thread that asks so often while the clock stands still is waiting for the clock. From then on,
// each question advances it by kQuestion.
constexpr std::uint32_t kMostQuestions = 1 << 20;
constexpr std::int64_t kQuestion = 1000;

constexpr int kClocks = 12;

/// The state of the clocks. Real times are relative to the beginning of the process.
struct Position {
  std::int64_t added = 0;    ///< added by the device, and by waits on a host that takes no time
  std::int64_t device = 0;   ///< added by the device alone
  std::int64_t stopped = 0;  ///< real time at which the device's current calls began
  std::int64_t excluded = 0; ///< real time of the device's finished calls
  /// `stopped` and `excluded` in the processor's time of this process.
  std::int64_t processorStopped = 0, processorExcluded = 0;
  std::int64_t calls = 0;     ///< current calls of the device
  std::int64_t callbacks = 0; ///< current callbacks
};

/// Publishes the position so that any thread can read it without waiting, also in a signal handler:
/// there are two copies, and a change is made to the copy that is not read.
class Published {
public:
  /// Calls \p use with a consistent position; repeats the call if the position changes meanwhile.
  template <class Use> auto read(const Use &use) const {
    for (;;) {
      const std::uint64_t version = version_.load(std::memory_order_acquire);
      const Position position = load(places_[version & 1]);
      auto result = use(position);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (version_.load(std::memory_order_relaxed) == version)
        return result;
    }
  }

  template <class Change> auto change(const Change &change) {
    while (changing_.exchange(true, std::memory_order_acquire))
      ::sched_yield();
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    Position position = load(places_[version & 1]);
    auto result = change(position);
    store(position, places_[(version + 1) & 1]);
    version_.store(version + 1, std::memory_order_release);
    changing_.store(false, std::memory_order_release);
    return result;
  }

private:
  static constexpr std::size_t kWords = sizeof(Position) / sizeof(std::int64_t);
  using Place = std::array<std::atomic<std::int64_t>, kWords>;

  static Position load(const Place &place) {
    std::array<std::int64_t, kWords> words{};
    for (std::size_t i = 0; i < kWords; ++i)
      words[i] = place[i].load(std::memory_order_relaxed);
    return std::bit_cast<Position>(words);
  }
  static void store(const Position &position, Place &place) {
    const auto words = std::bit_cast<std::array<std::int64_t, kWords>>(position);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t i = 0; i < kWords; ++i)
      place[i].store(words[i], std::memory_order_relaxed);
  }

  std::array<Place, 2> places_{};
  std::atomic<std::uint64_t> version_{0};
  std::atomic<bool> changing_{false};
};

/// The addresses of a library's code.
struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool contains(const void *code) const {
    const auto at = reinterpret_cast<std::uintptr_t>(code);
    return at >= begin && at < end;
  }
};

/// A few ranges. Ranges may be added while other threads read.
struct Ranges {
  bool contain(const void *code) const {
    const std::size_t there = number.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < there; ++i)
      if (all[i].contains(code))
        return true;
    return false;
  }
  void add(Range range) {
    const std::size_t there = number.load(std::memory_order_relaxed);
    if (there == all.size() || contain(reinterpret_cast<const void *>(range.begin)))
      return;
    all[there] = range;
    number.store(there + 1, std::memory_order_release);
  }

  std::array<Range, 16> all{};
  std::atomic<std::size_t> number{0};
};

/// The state of this library. The state is complete before any constructor runs.
struct Clocks {
  bool modelled = false, summary = false;
  double host = 1;        ///< how much a second of the host advances the clocks [s]
  bool isStill = false;   ///< the host advances nothing
  std::int64_t begin = 0; ///< the real CLOCK_MONOTONIC when the process began
  std::array<std::int64_t, kClocks> origins{};
  Ranges real, python, standardLibrary;
  Published position;
  std::atomic<std::int64_t> shown{0}, processorShown{0};
  std::atomic<std::uint32_t> generation{0}; ///< counts changes; sleeping threads wait on it
  std::atomic<std::uint32_t> sleepers{0};
  std::atomic<std::int64_t> deviceTime{0}, deviceCalls{0}; ///< for the summary
  pthread_mutex_t waitsMutex = PTHREAD_MUTEX_INITIALIZER;
  ConditionWait *waits = nullptr; ///< guarded by waitsMutex
  std::atomic<std::uint32_t> waiting{0};
};
constinit Clocks known;

/// The state of one thread.
struct Thread {
  std::int64_t last = -1;      ///< the last time that it was shown
  std::uint32_t questions = 0; ///< since the clock moved
  int callbacks = 0;
  int calls = 0;
  std::int64_t processorStopped = 0, processorExcluded = 0;
};
constinit thread_local Thread thread;

[[noreturn]] void refuse(const char *variable, const char *value, const char *wanted) {
  std::fprintf(stderr, "copse: %s is '%s'; set it to %s\n", variable, value, wanted);
  std::_Exit(2);
}

/// Returns the last component of the path of this program.
std::string_view programName() {
  static std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string_view all(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return all.substr(all.rfind('/') + 1);
}

/// Daemons inherit the environment of the program that starts them, and wait in real time.
bool isDaemon(std::string_view program) { return program == "ipud" || program == "rbufd"; }

std::string_view baseName(const dl_phdr_info &object) {
  const std::string_view path = object.dlpi_name != nullptr ? object.dlpi_name : "";
  return path.empty() ? programName() : path.substr(path.rfind('/') + 1);
}

/// Calls \p use with each code segment of \p object.
template <class Use> void forCode(const dl_phdr_info &object, const Use &use) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto &part = object.dlpi_phdr[i];
    const std::uintptr_t begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0)
      use(Range{begin, begin + part.p_memsz});
  }
}

int findCallers(dl_phdr_info *object, std::size_t /*size*/, void * /*unused*/) {
  const std::string_view name = baseName(*object);
  if (name.starts_with("python") || name.starts_with("libpython"))
    forCode(*object, [](Range range) { known.python.add(range); });
  if (name.starts_with("libstdc++.so"))
    forCode(*object, [](Range range) { known.standardLibrary.add(range); });
  return 0;
}

int findReal(dl_phdr_info *object, std::size_t /*size*/, void *code) {
  const std::string_view name = baseName(*object);
  bool isReal = name.starts_with("libzmq.so") || name.starts_with("libpopdist.so");
  forCode(*object, [&](Range range) { isReal = isReal || range.contains(code); });
  if (isReal)
    forCode(*object, [](Range range) { known.real.add(range); });
  return 0;
}

void setHostTime() {
  const char *const text = std::getenv("COPSE_HOST_TIME");
  const std::string_view how = text != nullptr && *text != '\0' ? text : "real";
  if (how == "real")
    return;
  if (how == "none") {
    known.host = 0;
    known.isStill = true;
    return;
  }
  char *end = nullptr;
  known.host = std::strtod(text, &end);
  if (*end != '\0' || !std::isfinite(known.host) || known.host <= 0)
    refuse("COPSE_HOST_TIME", text, "real, none or a factor above 0");
}

void setOrigins() {
  for (clockid_t clock = 0; clock < kClocks; ++clock) {
    const bool isDate = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
                        clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
    known.origins[static_cast<std::size_t>(clock)] =
        !known.isStill ? realTime(clock) : (isDate ? kFirstDay : kUptime);
  }
}

void initialise() {
  const char *const kind = std::getenv("COPSE_CLOCK");
  if (kind == nullptr || *kind == '\0' || std::string_view(kind) == "real" ||
      isDaemon(programName()))
    return;
  if (std::string_view(kind) != "modelled")
    refuse("COPSE_CLOCK", kind, "modelled or real");
  setHostTime();
  setOrigins();
  const char *const summary = std::getenv("COPSE_CLOCK_SUMMARY");
  known.summary = summary != nullptr && std::string_view(summary) == "1";
  known.begin = realTime(CLOCK_MONOTONIC);
  ::dl_iterate_phdr(findCallers, nullptr);
  known.modelled = true;
}

std::int64_t hostTime(std::int64_t real) {
  if (known.isStill)
    return 0;
  return known.host == 1 ? real : static_cast<std::int64_t>(known.host * static_cast<double>(real));
}

std::int64_t sinceBegin() { return realNow() - known.begin; }

std::int64_t timeAt(const Position &position, std::int64_t real) {
  return position.added + hostTime(real - position.excluded);
}

/// Returns the time.
std::int64_t timeAt(const Position &position) {
  return timeAt(position, position.calls > 0 ? position.stopped : sinceBegin());
}

std::int64_t noLessThan(std::atomic<std::int64_t> &shown, std::int64_t time) {
  std::int64_t before = shown.load(std::memory_order_relaxed);
  while (before < time)
    if (shown.compare_exchange_weak(before, time, std::memory_order_relaxed))
      return time;
  return before;
}

std::int64_t currentTime() {
  return noLessThan(known.shown,
                    known.position.read([](const Position &position) { return timeAt(position); }));
}

void moveTo(Position &position, std::int64_t time, bool byDevice) {
  const std::int64_t by = time - timeAt(position);
  if (by <= 0)
    return;
  position.added += by;
  position.device += byDevice ? by : 0;
}

long futex(int operation, std::uint32_t value, const timespec *time) {
  using Syscall = long(long, void *, int, std::uint32_t, const timespec *, void *, std::uint32_t);
  static constinit RealFunction<Syscall> real("syscall");
  return real(SYS_futex, static_cast<void *>(&known.generation), operation, value, time,
              static_cast<void *>(nullptr), 0U);
}

/// Wakes all sleeping threads, so that they check the clock again.
void changed() {
  known.generation.fetch_add(1);
  if (known.sleepers.load() > 0)
    (void)futex(FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr);
}

/// Waits for the next change.
/// \param time  longest wait; below 0: no limit
/// \returns 0, or the error of the system
int waitForChange(std::uint32_t generation, std::int64_t time) {
  const timespec left{time / kNsPerS, time % kNsPerS};
  return futex(FUTEX_WAIT_PRIVATE, generation, time < 0 ? nullptr : &left) == 0 ? 0 : errno;
}

} // namespace

void notifyWaits(std::int64_t time) {
  if (known.waiting.load() == 0)
    return;
  pthread_mutex_lock(&known.waitsMutex);
  for (const ConditionWait *wait = known.waits; wait != nullptr; wait = wait->next_)
    if (wait->deadline_ <= time)
      pthread_cond_broadcast(wait->condition_);
  pthread_mutex_unlock(&known.waitsMutex);
}

ConditionWait::ConditionWait(pthread_cond_t *condition, std::int64_t deadline)
    : condition_(condition), deadline_(deadline), next_(nullptr), link_(nullptr) {
  pthread_mutex_lock(&known.waitsMutex);
  next_ = known.waits;
  link_ = &known.waits;
  if (next_ != nullptr)
    next_->link_ = &next_;
  known.waits = this;
  known.waiting.fetch_add(1);
  pthread_mutex_unlock(&known.waitsMutex);
}

ConditionWait::~ConditionWait() {
  pthread_mutex_lock(&known.waitsMutex);
  *link_ = next_;
  if (next_ != nullptr)
    next_->link_ = link_;
  known.waiting.fetch_sub(1);
  pthread_mutex_unlock(&known.waitsMutex);
}

bool isModelled() {
  enum : int { kUnknown, kBegun, kKnown };
  static constinit std::atomic<int> state{kUnknown};
  if (state.load(std::memory_order_acquire) == kKnown)
    return known.modelled;
  // Until the end of initialise(), a read of a clock, on this thread or another, returns the real
  // time.
  int expected = kUnknown;
  if (!state.compare_exchange_strong(expected, kBegun))
    return false;
  initialise();
  state.store(kKnown, std::memory_order_release);
  return known.modelled;
}

bool keepsReal(const void *caller) { return known.real.contain(caller); }

bool isPython(const void *caller) { return known.python.contain(caller); }

bool isStandardLibrary(const void *caller) { return known.standardLibrary.contain(caller); }

std::int64_t realNow() { return realTime(CLOCK_MONOTONIC); }

std::int64_t origin(clockid_t clock) { return known.origins[static_cast<std::size_t>(clock)]; }

std::int64_t now() {
  std::int64_t time = currentTime();
  if (time != thread.last) {
    thread.last = time;
    thread.questions = 0;
    return time;
  }
  if (++thread.questions < kMostQuestions)
    return time;
  thread.questions = kMostQuestions;
  const bool moved = known.position.change([](Position &position) {
    if (position.calls > 0 && thread.callbacks == 0)
      return false; // the device is still working
    position.added += kQuestion;
    return true;
  });
  if (moved) {
    changed();
    time = currentTime();
  }
  return thread.last = time;
}

std::int64_t processorTime(clockid_t clock) {
  if (clock == CLOCK_THREAD_CPUTIME_ID) {
    const std::int64_t real = thread.calls > 0 ? thread.processorStopped : realTime(clock);
    const auto device =
        known.position.read([](const Position &position) { return position.device; });
    return device + hostTime(real - thread.processorExcluded);
  }
  const std::int64_t time = known.position.read([](const Position &position) {
    const std::int64_t real =
        position.calls > 0 ? position.processorStopped : realTime(CLOCK_PROCESS_CPUTIME_ID);
    return position.device + hostTime(real - position.processorExcluded);
  });
  return noLessThan(known.processorShown, time);
}

std::int64_t realWait(std::int64_t left) {
  // On a host that is slower than this machine, no thread waits for longer than the program wants.
  return known.host <= 1
             ? left
             : static_cast<std::int64_t>(std::ceil(static_cast<double>(left) / known.host));
}

Waited afterWait(std::int64_t deadline) {
  const Waited waited = known.position.change([&](Position &position) {
    if (timeAt(position) >= deadline)
      return Waited::Enough;
    if (position.calls > 0) // a callback may wait for this thread, and the device for the callback
      return position.callbacks > 0 ? Waited::Enough : Waited::TooShort;
    if (known.host >= 1)
      return Waited::TooShort;
    moveTo(position, deadline, false);
    return Waited::Enough;
  });
  changed();
  return waited;
}

int sleepUntil(std::int64_t deadline) {
  struct Sleeper {
    Sleeper() { known.sleepers.fetch_add(1); }
    ~Sleeper() { known.sleepers.fetch_sub(1); }
  } const sleeper;
  std::int64_t left = realWait(deadline - currentTime());
  for (;;) {
    const std::uint32_t generation = known.generation.load();
    if (currentTime() >= deadline)
      return 0;
    const bool hostRuns = known.position.read(
        [](const Position &position) { return position.calls == 0 || position.callbacks > 0; });
    const std::int64_t before = realNow();
    if (waitForChange(generation, hostRuns ? left : -1) == EINTR)
      return EINTR;
    if (!hostRuns)
      continue;
    left -= realNow() - before;
    if (left > 0)
      continue;
    if (afterWait(deadline) == Waited::Enough)
      return 0;
    left = realWait(deadline - currentTime());
  }
}

namespace {

std::int64_t beginCall() {
  if (thread.calls++ == 0)
    thread.processorStopped = realTime(CLOCK_THREAD_CPUTIME_ID);
  const std::int64_t time = known.position.change([](Position &position) {
    if (position.calls++ == 0) {
      position.stopped = sinceBegin();
      position.processorStopped = realTime(CLOCK_PROCESS_CPUTIME_ID);
    }
    moveTo(position, known.shown.load(), false); // another thread may have read the clock later
    return timeAt(position);
  });
  changed();
  return noLessThan(known.shown, time);
}

void reach(std::int64_t time) {
  known.position.change([&](Position &position) {
    moveTo(position, time, true);
    return 0;
  });
  changed();
  notifyWaits(time);
}

void endCall(std::int64_t time, std::int64_t device) {
  known.deviceTime.fetch_add(device);
  known.deviceCalls.fetch_add(1);
  if (--thread.calls == 0)
    thread.processorExcluded += realTime(CLOCK_THREAD_CPUTIME_ID) - thread.processorStopped;
  known.position.change([&](Position &position) {
    moveTo(position, time, true);
    if (--position.calls == 0) {
      position.excluded += sinceBegin() - position.stopped;
      position.processorExcluded += realTime(CLOCK_PROCESS_CPUTIME_ID) - position.processorStopped;
    }
    return 0;
  });
  changed();
  notifyWaits(time);
}

void changeCallbacks(int by) {
  thread.callbacks += by;
  known.position.change([by](Position &position) { return position.callbacks += by; });
  changed();
}

void enterCallback() { changeCallbacks(1); }
void leaveCallback() { changeCallbacks(-1); }

void keepReal(const void *code) { ::dl_iterate_phdr(findReal, const_cast<void *>(code)); }

std::int64_t steady() { return now() + origin(CLOCK_MONOTONIC); }
std::int64_t dateOfBegin() { return origin(CLOCK_REALTIME); }

constexpr Interface kInterface{Interface::kVersion, beginCall, reach,  endCall,    enterCallback,
                               leaveCallback,       keepReal,  steady, dateOfBegin};

/// Sets the clocks before the program begins.
[[gnu::constructor]] void begin() { (void)isModelled(); }

/// Prints at the end of the program where its time went.
[[gnu::destructor]] void writeSummary() {
  if (!known.modelled || !known.summary || known.deviceCalls.load() == 0)
    return;
  const auto seconds = [](std::int64_t time) {
    return static_cast<double>(time) / static_cast<double>(kNsPerS);
  };
  const std::int64_t real = sinceBegin();
  const std::int64_t emulator =
      known.position.read([](const Position &position) { return position.excluded; });
  std::fprintf(stderr,
               "copse: the device took %.6g s of modelled time in %lld calls; really, the program "
               "took %.6g s, "
               "of which the emulator took %.6g s (%.0f %%) and the program's own code %.6g s\n",
               seconds(known.deviceTime.load()), static_cast<long long>(known.deviceCalls.load()),
               seconds(real), seconds(emulator),
               real > 0 ? 100 * static_cast<double>(emulator) / static_cast<double>(real) : 0,
               seconds(real - emulator));
}

} // namespace

} // namespace copse::program_clock

extern "C" __attribute__((visibility("default"))) const copse::program_clock::Interface *
copse_program_clock() { // NOLINT(readability-identifier-naming): Interface::kSymbol
  using namespace copse::program_clock;
  return isModelled() ? &kInterface : nullptr;
}
