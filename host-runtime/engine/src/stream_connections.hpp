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

/// What the host program has connected to its streams: buffers and callbacks, one per stream and
/// replica.
///
/// A callback that the machine has given up may return at any time, when these connections are
/// gone, too: what it works with is its own.
///
/// Thread: connect from the engine's thread while nothing runs; the rest is called by the machine's
/// callback threads, also after a run for a prefetch that waits.
class StreamConnections final : public session::StreamHandler {
public:
  /// \param replicas  those that this host program runs; numbers of replicas count from its first one
  StreamConnections(const compiler::CompiledProgram &executable, types::RuntimeReplicas replicas);

  /// The streams of one handle: one, or one for each replica of a graph that was replicated after
  /// it had been made.
  /// \throws poplar::stream_connection_error if there is no such stream
  std::vector<std::uint32_t> numbersOf(const std::string &handle) const;

  /// A buffer of one transfer (\p bytes empty), or a circular one of several. For a replicated
  /// stream each transfer is a row for every replica, in their order.
  /// \throws poplar::stream_connection_error
  void connectBuffer(const std::string &handle, std::byte *begin, std::optional<std::size_t> bytes);
  /// \param replica  none: for a stream that all replicas share, or for a callable that serves all
  /// of them
  void connectCallback(const std::string &handle, std::optional<unsigned> replica,
                       poplar::StreamCallbackHandle callback);
  /// Connects the streams of a host function's arguments.
  void connectHostFunction(const std::string &function, std::optional<unsigned> replica,
                           const poplar::HostCallbackHandle &callback);
  /// \throws poplar::stream_connection_error naming the first of \p uses that a replica has nothing
  /// for, or whose callback has not returned from an earlier run
  void requireConnected(std::span<const compiler::StreamUse> uses) const;
  /// Tells all callbacks of host-to-device streams.
  void invalidateAllPrefetched();
  void setPrintStream(std::ostream &stream) { print_ = &stream; }
  std::ostream &printStream() { return *print_; }
  /// The run that begins, for what its callbacks see of the time.
  void setRun(RunTime run);

  void calledAt(wire::Cycles moment) override;
  bool mayWait(Call call, std::uint32_t stream, std::uint32_t replica) const override;
  bool givesWay(std::uint32_t stream, std::uint32_t replica) const override;
  void leftToItself(std::uint32_t stream, std::uint32_t replica) override;
  void fetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override;
  bool prefetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override;
  void complete(std::uint32_t stream, std::uint32_t replica) override;
  void take(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override;
  void invalidatePrefetched(std::uint32_t stream, std::uint32_t replica) override;
  void print(std::uint32_t tensor, std::uint32_t replica, std::span<const std::byte> row) override;

private:
  /// One end: a callback, or rows of a buffer that come in turn.
  struct End {
    std::shared_ptr<poplar::StreamCallback> callback;
    std::byte *firstRow = nullptr;
    std::size_t rows = 0, rowStride = 0; ///< [bytes]
    std::size_t next = 0;
    std::vector<std::byte>
        aligned; ///< what a callback sees of a row that came off the wire at an odd address
    bool resumes = false;          ///< the callback is a ResumableStreamCallback
    bool fetchOnly = false;        ///< of the callback's functions, only fetch() is the program's
    std::atomic<bool> busy{false}; ///< the callback has been called and has not returned
    std::atomic<bool> left{false}; ///< nobody waits for its return any more
    bool connected() const { return callback || firstRow; }
    std::byte *nextRow();
  };
  using EndPtr = std::shared_ptr<End>; ///< a callback that is under way holds its own
  EndPtr endOf(std::uint32_t stream, std::uint32_t replica) const;

  /// Calls back, so that everybody can see that it is under way.
  template <class F> static auto callBack(const EndPtr &end, const F &work);

  /// [bytes] of one row of each of a host function's inputs, or outputs.
  std::vector<std::size_t> argumentBytes(const std::string &function,
                                         std::string (*streamOf)(const std::string &,
                                                                 std::size_t)) const;
  bool hasStream(const std::string &handle) const;
  /// All ends of one handle, in the order of its replicas.
  std::vector<EndPtr *> endsOf(const std::string &handle);
  std::string describe(std::uint32_t stream, std::uint32_t replica) const;

  const compiler::CompiledProgram &executable_;
  types::RuntimeReplicas replicas_;
  mutable std::mutex mutex_;              ///< guards the pointers of ends_, and run_
  std::vector<std::vector<EndPtr>> ends_; ///< shape [streams][replicas, or 1 if all share it]
  std::ostream *print_;
  RunTime run_;
};

} // namespace copse::engine
