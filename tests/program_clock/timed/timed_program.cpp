// Measures runs as programs do: timed_program CLOCK.
#include "timed_engine.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

#ifdef TIMED_OPENMP
extern "C" double omp_get_wtime();
#endif

namespace {

using namespace timed;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

long nanosecondsOf(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return at.tv_sec * 1'000'000'000 + at.tv_nsec;
}

/// Prints what the device takes for each thing, by a clock [ns].
void measure(const std::function<long(poplar::Engine &)> &now) {
  TimedEngine timed;
  const auto took = [&](const char *what, const std::function<void()> &work) {
    const long begin = now(*timed.engine);
    work();
    std::printf("%s %ld\n", what, now(*timed.engine) - begin);
  };
  took("load", [&] { timed.engine->load(timed.device); });
  took("run", [&] { timed.engine->run(kThousandTurns); });
  took("twice", [&] { timed.engine->run(kTwoThousandTurns); });
  auto &values = timed.values;
  took("write",
       [&] { timed.engine->writeTensor("large", values.data(), values.data() + kElements); });
  took("read",
       [&] { timed.engine->readTensor("large", values.data(), values.data() + kElements); });
  took("to rows", [&] { timed.engine->copyToRemoteBuffer(values.data(), "rows", 0); });
  took("from rows", [&] { timed.engine->copyFromRemoteBuffer("rows", values.data(), 0); });
  std::printf("cycles %lu\n", timed.cycles());
}

/// Prints when a run called back, since it began, and when it ended.
void measureCallbacks() {
  TimedEngine timed;
  Steady::time_point begin;
  const auto tell = [&begin](const char *what) {
    std::printf("%s %ld\n", what, static_cast<long>((Steady::now() - begin) / 1ns));
  };
  timed.engine->connectStreamToCallback("in", [&](void *) {
    tell("in");
    std::this_thread::sleep_for(2ms); // a slow host delays only itself
    tell("slept");
  });
  timed.engine->connectStreamToCallback("out", [&](void *) { tell("out"); });
  timed.engine->load(timed.device);
  begin = Steady::now();
  timed.engine->run(kStreams);
  tell("end");
}

/// Measures threads that wait beside runs.
void measureThreads() {
  TimedEngine timed;
  timed.engine->load(timed.device);
  std::atomic<long> latest{0};
  std::atomic<bool> isOver{false};
  std::atomic<int> backwards{0}, early{0};
  const auto look = [&] {
    const long before = latest.load(), now = nanosecondsOf(CLOCK_MONOTONIC);
    backwards += now < before;
    for (long seen = before; seen < now && !latest.compare_exchange_weak(seen, now);)
      ;
  };
  std::thread watches([&] {
    while (!isOver)
      look();
  });
  std::thread sleeps([&] {
    for (int i = 0; i < 20; ++i) {
      const auto begin = Steady::now();
      std::this_thread::sleep_for(3ms);
      early += Steady::now() - begin < 3ms;
    }
  });
  std::thread waits([&] {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    for (int i = 0; i < 20; ++i) {
      const auto begin = Steady::now();
      never.wait_for(lock, 3ms, [] { return false; });
      early += Steady::now() - begin < 3ms;
    }
  });
  for (int i = 0; i < 20; ++i) {
    look();
    timed.engine->run(kTwoThousandTurns);
    look();
  }
  for (std::thread *thread : {&sleeps, &waits})
    thread->join();
  isOver = true;
  watches.join();
  std::printf("backwards %d early %d\n", backwards.load(), early.load());
}

/// Waits of which the clock shows exactly what was asked for, if the host takes no time.
void measureWaits() {
  TimedEngine timed;
  timed.engine->load(timed.device);
  Steady::time_point begin = Steady::now();
  const auto tell = [&begin](const char *what) {
    std::printf("%s %ld\n", what, static_cast<long>((Steady::now() - begin) / 1ns));
    begin = Steady::now();
  };
  std::this_thread::sleep_for(3ms);
  tell("sleep");
  ::usleep(2000);
  tell("usleep");
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, 4ms, [] { return false; });
  tell("condition");
  std::promise<void> promise;
  promise.get_future().wait_for(5ms);
  tell("future");
  while (Steady::now() - begin < 1ms)
    ;
  tell("loop");
}

} // namespace

int main(int, char **words) try {
  const std::string kind = words[1];
  if (kind == "chrono")
    measure(
        [](poplar::Engine &) { return static_cast<long>(Steady::now().time_since_epoch() / 1ns); });
  if (kind == "system")
    measure([](poplar::Engine &) {
      return static_cast<long>(std::chrono::system_clock::now().time_since_epoch() / 1ns);
    });
  if (kind == "posix")
    measure([](poplar::Engine &) { return nanosecondsOf(CLOCK_MONOTONIC_RAW); });
  if (kind == "processor")
    measure([](poplar::Engine &) { return nanosecondsOf(CLOCK_PROCESS_CPUTIME_ID); });
  if (kind == "gettimeofday")
    measure([](poplar::Engine &) {
      timeval at{};
      ::gettimeofday(&at, nullptr);
      return (at.tv_sec * 1'000'000 + at.tv_usec) * 1000;
    });
  if (kind == "poplar")
    measure([](poplar::Engine &engine) {
      return static_cast<long>(engine.getTimeStamp().time_since_epoch() / 1ns);
    });
#ifdef TIMED_OPENMP
  if (kind == "openmp")
    measure([](poplar::Engine &) { return static_cast<long>(omp_get_wtime() * 1e9); });
#endif
  if (kind == "callbacks")
    measureCallbacks();
  if (kind == "threads")
    measureThreads();
  if (kind == "waits")
    measureWaits();
  if (kind == "date")
    std::printf("%ld %ld\n", static_cast<long>(::time(nullptr)), static_cast<long>(::clock()));
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
