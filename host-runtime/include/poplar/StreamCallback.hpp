#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace poplar {

/// Holds the calls that all ends of streams have in common.
class StreamCallbackBase {
public:
  /// The answers of a callback: data is there, or not yet.
  enum Result { Success, NotAvailable };

  /// Destroys the callback; the engine does so after its last call.
  virtual ~StreamCallbackBase() = default;

  /// Tells that the data of the oldest fetch or successful prefetch was consumed.
  virtual void complete() {}
  /// Tells that rows which were prefetched and not completed are void: their data will be requested
  /// again.
  virtual void invalidatePrefetched() {}
};

/// Provides or takes the data of a stream: derive from this class, and give a std::unique_ptr to
/// Engine::connectStreamToCallback(). Calls for one stream and replica come one at a time, on
/// threads of the engine. An exception of a callback ends the run, which passes it on. See User
/// guide, 2.6.1.
class StreamCallback : public StreamCallbackBase {
public:
  /// Fills the data at \p p ahead of time, or returns that there are no data yet. Called for
  /// streams to the device only.
  virtual Result prefetch(void *p) = 0;
  /// Fills (host to device) or takes (device to host) the data at \p p, which has the stream's
  /// number of elements of one replica.
  virtual void fetch(void *p) = 0;
};

/// Implements a callback that never prefetches; derived classes implement fetch() only.
class LegacyStreamCallback : public StreamCallback {
public:
  /// Returns that there is nothing to prefetch.
  Result prefetch(void *) final { return NotAvailable; }
  /// Does nothing.
  void complete() final {}
  /// Does nothing.
  void invalidatePrefetched() final {}
};

/// Implements a callback whose row may take several calls. While it has nothing to do, callbacks of
/// other streams are called, whatever `streamCallbacks.multiThreadMode` is; they may be under way
/// at the same time as resume(), which has a thread of its own.
class ResumableStreamCallback : public StreamCallback {
public:
  /// Goes on to fill (host to device) or to take (device to host) the data at \p p, which is the
  /// same until the row is done.
  /// \returns NotAvailable if the row is not done: then it is called again soon
  virtual Result resume(void *p) = 0;

  /// Tells that resume() may have something to do, so that it is called at once. Any thread may
  /// call this.
  void notify();
  /// Returns true if the last resume() had nothing to do, and the next has not begun.
  bool isAwaiting() const;

  /// Returns that there is nothing to prefetch.
  Result prefetch(void *) override { return NotAvailable; }
  /// Calls resume() until the row is done.
  void fetch(void *p) final;
  /// Does nothing.
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
  /// Takes over a callback object.
  template <typename C, typename = typename std::enable_if<
                            std::is_convertible<C *, StreamCallback *>::value>::type>
  StreamCallbackHandle(std::unique_ptr<C> callback) : callback_(std::move(callback)) {}

  /// Wraps a callable, which is called for each fetch.
  template <typename F, typename = IfCallable<F>>
  StreamCallbackHandle(F &&callable)
      : callback_(new FetchOnly<typename std::decay<F>::type>(std::forward<F>(callable))),
        servesAllReplicas_(true) {}

  ///@{

  /// Takes over another handle's callback.
  StreamCallbackHandle(StreamCallbackHandle &&) = default;
  StreamCallbackHandle &operator=(StreamCallbackHandle &&) = default;
  ///@}

  /// Returns true if it was made from a callable, which may serve every replica of a stream.
  bool servesAllReplicas() const { return servesAllReplicas_; }

  ///@{

  /// Returns the callback, which the handle keeps.
  StreamCallback *get() const { return callback_.get(); }
  StreamCallback &operator*() const { return *callback_; }
  StreamCallback *operator->() const { return callback_.get(); }
  ///@}

  /// Returns the callback, which the caller owns then.
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
