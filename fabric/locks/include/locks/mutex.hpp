#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

/// Annotations of clang's thread-safety analysis, which the preset `clang` checks as errors; other
/// compilers see nothing. Source: clang's documentation, "Thread Safety Analysis".
#if defined(__clang__)
#define COPSE_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define COPSE_THREAD_ANNOTATION(x)
#endif

/// On a member: it is read and written with \p mutex held.
#define COPSE_GUARDED_BY(mutex) COPSE_THREAD_ANNOTATION(guarded_by(mutex))
/// On a function or a lambda: its caller holds \p mutex.
#define COPSE_REQUIRES(...) COPSE_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
/// On a function or a lambda whose lock the analysis cannot follow; a comment says why.
#define COPSE_NOT_ANALYSED COPSE_THREAD_ANNOTATION(no_thread_safety_analysis)

/// Mutexes with annotations. libstdc++'s mutexes have no annotations, so clang's analysis ignores
/// them; these classes wrap them in annotated types.
namespace copse::locks {

class COPSE_THREAD_ANNOTATION(capability("mutex")) Mutex {
public:
  Mutex() = default;
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

private:
  friend class Lock;
  std::mutex mutex_;
};

/// Holds a mutex for its lifetime, except between unlock() and lock().
class COPSE_THREAD_ANNOTATION(scoped_lockable) Lock {
public:
  explicit Lock(Mutex &mutex) COPSE_THREAD_ANNOTATION(acquire_capability(mutex))
      : lock_(mutex.mutex_) {}
  ~Lock() COPSE_THREAD_ANNOTATION(release_capability()) {}
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

  void lock() COPSE_THREAD_ANNOTATION(acquire_capability()) { lock_.lock(); }
  void unlock() COPSE_THREAD_ANNOTATION(release_capability()) { lock_.unlock(); }

private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

/// std::condition_variable for a Lock, with its names. A predicate is called with the mutex held,
/// and says so itself: [this]() COPSE_REQUIRES(mutex_) { return ready_; }.
class Condition {
public:
  void notify_one() { changed_.notify_one(); }
  void notify_all() { changed_.notify_all(); }

  void wait(Lock &lock) { changed_.wait(lock.lock_); }
  template <class Predicate> void wait(Lock &lock, Predicate predicate) {
    changed_.wait(lock.lock_, predicate);
  }
  std::cv_status wait_for(Lock &lock, std::chrono::nanoseconds time) {
    return changed_.wait_for(lock.lock_, time);
  }
  template <class Predicate>
  bool wait_for(Lock &lock, std::chrono::nanoseconds time, Predicate predicate) {
    return changed_.wait_for(lock.lock_, time, predicate);
  }
  std::cv_status wait_until(Lock &lock, std::chrono::steady_clock::time_point deadline) {
    return changed_.wait_until(lock.lock_, deadline);
  }
  template <class Predicate>
  bool wait_until(Lock &lock, std::chrono::steady_clock::time_point deadline, Predicate predicate) {
    return changed_.wait_until(lock.lock_, deadline, predicate);
  }

private:
  std::condition_variable changed_;
};

} // namespace copse::locks
