#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace poplar {

/// Declares the functions that all kinds of stream callbacks have.
class StreamCallbackBase {
public:
  /// The result of a callback: data were available, or not yet.
  enum Result { Success, NotAvailable };

  /// Destroys the callback; the engine does so after its last call.
  virtual ~StreamCallbackBase() = default;

  /// Reports that the data of the oldest fetch or successful prefetch were consumed.
  virtual void complete() {}
  /// Reports that rows which were prefetched and not completed are discarded: their data will be
  /// requested again.
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

/// Implements a callback whose row may take several calls. While the callback has nothing to do,
/// callbacks of other streams are called, whatever `streamCallbacks.multiThreadMode` is. Callbacks
/// of other streams may run at the same time as resume(), which runs on a thread of its own.
class ResumableStreamCallback : public StreamCallback {
public:
  /// Continues to fill (host to device) or to take (device to host) the data at \p p, which is the
  /// same until the row is done.
  /// \returns NotAvailable if the row is not done; resume() is then called again soon
  virtual Result resume(void *p) = 0;

  /// Makes the engine call resume() at once, because it may have something to do. Any thread may
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

  /// Returns true if the handle was made from a callable, which may serve every replica of a
  /// stream.
  bool servesAllReplicas() const { return servesAllReplicas_; }

  ///@{

  /// Returns the callback; the handle still owns it.
  StreamCallback *get() const { return callback_.get(); }
  StreamCallback &operator*() const { return *callback_; }
  StreamCallback *operator->() const { return callback_.get(); }
  ///@}

  /// Returns the callback and gives its ownership to the caller.
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
