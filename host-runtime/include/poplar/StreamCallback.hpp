#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace poplar {

/// The calls that all ends of streams have in common.
class StreamCallbackBase {
public:
  enum Result { Success, NotAvailable };

  virtual ~StreamCallbackBase() = default;

  /// The data of the oldest fetch or successful prefetch was consumed.
  virtual void complete() {}
  /// Rows that were prefetched and not completed are void: their data will be requested again.
  virtual void invalidatePrefetched() {}
};

/// The user's end of a stream. Calls for one stream and replica come one at a time, on threads of
/// the engine. An exception of a callback ends the run, which rethrows it.
/// Source: guide, 2.6.1.
class StreamCallback : public StreamCallbackBase {
public:
  /// Host to device only: fills the data at \p p ahead of time, or returns that there is none yet.
  virtual Result prefetch(void *p) = 0;
  /// Fills (host to device) or takes (device to host) the data at \p p: the stream's number of
  /// elements.
  virtual void fetch(void *p) = 0;
};

/// A callback that never prefetches; derived classes implement fetch() only.
class LegacyStreamCallback : public StreamCallback {
public:
  Result prefetch(void *) final { return NotAvailable; }
  void complete() final {}
  void invalidatePrefetched() final {}
};

/// A callback whose row may take several calls. While it has nothing to do, callbacks of other
/// streams are called, whatever `streamCallbacks.multiThreadMode` is; they may be under way at the
/// same time as resume(), which has a thread of its own.
class ResumableStreamCallback : public StreamCallback {
public:
  /// Goes on to fill (host to device) or to take (device to host) the data at \p p, which is the
  /// same until the row is done.
  /// \returns NotAvailable if it is not: then it is called again soon
  virtual Result resume(void *p) = 0;

  /// Tells that resume() may have something to do: it is called at once, and not only soon. Any
  /// thread may call this.
  void notify();
  /// Whether the last resume() had nothing to do, and the next has not begun.
  bool isAwaiting() const;

  Result prefetch(void *) override { return NotAvailable; }
  void fetch(void *p) final;
  void complete() override {}

private:
  mutable std::mutex mutex_;
  std::condition_variable notified_;
  bool awaiting_ = false;
};

/// Owns a callback: made from a unique_ptr, or from anything that can be called with a `void *`.
class StreamCallbackHandle {
  template <typename F>
  using IfCallable = typename std::enable_if<
      !std::is_same<typename std::decay<F>::type, StreamCallbackHandle>::value,
      decltype(static_cast<void>(
          std::declval<typename std::decay<F>::type &>()(std::declval<void *>())))>::type;

public:
  template <typename C, typename = typename std::enable_if<
                            std::is_convertible<C *, StreamCallback *>::value>::type>
  StreamCallbackHandle(std::unique_ptr<C> callback) : callback_(std::move(callback)) {}

  template <typename F, typename = IfCallable<F>>
  StreamCallbackHandle(F &&callable)
      : callback_(new FetchOnly<typename std::decay<F>::type>(std::forward<F>(callable))),
        servesAllReplicas_(true) {}

  StreamCallbackHandle(StreamCallbackHandle &&) = default;
  StreamCallbackHandle &operator=(StreamCallbackHandle &&) = default;

  /// True if it was made from a callable, which may serve every replica of a stream.
  bool servesAllReplicas() const { return servesAllReplicas_; }

  StreamCallback *get() const { return callback_.get(); }
  StreamCallback &operator*() const { return *callback_; }
  StreamCallback *operator->() const { return callback_.get(); }
  std::unique_ptr<StreamCallback> release() { return std::move(callback_); }

private:
  template <typename F> class FetchOnly final : public LegacyStreamCallback {
  public:
    explicit FetchOnly(const F &f) : f_(f) {}
    explicit FetchOnly(F &&f) : f_(std::move(f)) {}
    void fetch(void *p) override { f_(p); }

  private:
    F f_;
  };

  std::unique_ptr<StreamCallback> callback_;
  bool servesAllReplicas_ = false;
};

} // namespace poplar
