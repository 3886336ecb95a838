#pragma once

#include "program_time.hpp"

#include "compiler/executable.hpp"
#include "compiler/executable_impl.hpp"
#include "poplar/HostFunction.hpp"
#include "poplar/StreamCallback.hpp"
#include "session/machine.hpp"
#include "types/engine_options.hpp"

#include <atomic>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace copse::engine {

/// The buffers and callbacks that the host program has connected to its streams, one per stream and
/// replica.
///
/// A callback that the machine has abandoned may return at any time, even after this object is
/// gone; therefore it shares ownership of the data that it works with.
///
/// Thread: connect from the engine's thread while nothing runs. All other functions are called by
/// the machine's callback threads, and after a run by a prefetch that is still waiting.
class StreamConnections final : public session::StreamHandler {
public:
  /// \param replicas  that this host program runs; replicas are numbered from the first of them
  StreamConnections(const compiler::CompiledProgram &executable, types::RuntimeReplicas replicas);

  /// Returns the streams of one handle: one, or one per replica of a graph that was replicated
  /// after it was built.
  /// \throws poplar::stream_connection_error if there is no such stream
  std::vector<std::uint32_t> numbersOf(const std::string &handle) const;

  /// Connects a buffer for one transfer (\p bytes empty), or a circular buffer for several. For a
  /// replicated stream, each transfer is a row for every replica in order.
  /// \throws poplar::stream_connection_error
  void connectBuffer(const std::string &handle, std::byte *begin, std::optional<std::size_t> bytes);
  /// \param replica  empty: the stream is shared by all replicas, or one callable serves all of
  ///   them
  void connectCallback(const std::string &handle, std::optional<unsigned> replica,
                       poplar::StreamCallbackHandle callback);
  /// Connects the streams of a host function's arguments.
  void connectHostFunction(const std::string &function, std::optional<unsigned> replica,
                           const poplar::HostCallbackHandle &callback);
  /// \throws poplar::stream_connection_error naming the first of \p uses for which a replica has no
  ///   connection, or whose callback has not returned from an earlier run
  void requireConnected(std::span<const compiler::StreamUse> uses) const;
  /// Invalidates the prefetched rows of all callbacks of host-to-device streams.
  void invalidateAllPrefetched();
  void setPrintStream(std::ostream &stream) { print_ = &stream; }
  std::ostream &printStream() { return *print_; }
  /// Sets the times of the run that begins, for its callbacks.
  void setRun(RunTime run);
  /// Returns the program's time at a moment of the current run [ns].
  std::int64_t timeAt(wire::Cycles moment) const;

  void calledAt(wire::Cycles moment) override;
  std::uint64_t programTime() const override;
  void began(wire::Cycles start, std::uint64_t programTime) override;
  bool mayWait(Call call, std::uint32_t stream, std::uint32_t replica) const override;
  bool yields(std::uint32_t stream, std::uint32_t replica) const override;
  void abandoned(std::uint32_t stream, std::uint32_t replica) override;
  void fetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override;
  bool prefetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override;
  void complete(std::uint32_t stream, std::uint32_t replica) override;
  void take(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override;
  void invalidatePrefetched(std::uint32_t stream, std::uint32_t replica) override;
  void print(std::uint32_t tensor, std::uint32_t replica, std::span<const std::byte> row) override;

private:
  /// One end of a stream: a callback, or the rows of a buffer, used in turn.
  struct End {
    std::shared_ptr<poplar::StreamCallback> callback;
    std::byte *firstRow = nullptr;
    std::size_t rows = 0, rowStride = 0; ///< [bytes]
    std::size_t next = 0;
    /// An aligned copy of a row that was received at a misaligned address, for a callback.
    std::vector<std::byte> aligned;
    bool resumes = false;   ///< the callback is a ResumableStreamCallback
    bool fetchOnly = false; ///< the program overrides only fetch() of the callback's functions
    std::atomic<bool> busy{false}; ///< a call of the callback has not returned yet
    std::atomic<bool> left{false}; ///< the call was abandoned
    bool connected() const { return callback || firstRow; }
    std::byte *nextRow();
  };
  /// Shared, because an ongoing callback needs its end to stay alive.
  using EndPtr = std::shared_ptr<End>;
  EndPtr endOf(std::uint32_t stream, std::uint32_t replica) const;

  /// Calls the callback, and marks it as busy meanwhile.
  template <class F> static auto callBack(const EndPtr &end, const F &work);

  /// Returns the size [bytes] of one row of each input or output of a host function.
  std::vector<std::size_t> argumentBytes(const std::string &function,
                                         std::string (*streamOf)(const std::string &,
                                                                 std::size_t)) const;
  bool hasStream(const std::string &handle) const;
  /// Returns all ends of one handle, in the order of its replicas.
  std::vector<EndPtr *> endsOf(const std::string &handle);
  std::string describe(std::uint32_t stream, std::uint32_t replica) const;

  const compiler::CompiledProgram &executable_;
  types::RuntimeReplicas replicas_;
  mutable std::mutex mutex_; ///< guards the pointers of ends_, and run_
  /// Shape [streams][replicas, or 1 if all share the stream].
  std::vector<std::vector<EndPtr>> ends_;
  std::ostream *print_;
  RunTime run_;
};

} // namespace copse::engine
