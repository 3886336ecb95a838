#pragma once

#include "machine/partition_clocks.hpp"
#include "session/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace copse::engine {

/// The host's side of streams that move no data. A program's callbacks do what its own code relies
/// on: they count, take times, or wake threads. Each callback is therefore called as an execution
/// would call it, at the modelled moment of its transfer. Rows from the device are zeros, except
/// for the values of the clock that the program has read. Streams with buffers need no call.
///
/// Thread: the thread of run().
class ModelledRows final : public machine::HostRows {
public:
  /// \param program      must outlive this object, and so must \p words
  /// \param tellOfZeros  called when the host program gets a row from the device
  ModelledRows(const session::Program &program, const machine::ClockWords &words,
               std::function<void()> tellOfZeros)
      : program_(program), words_(words), tellOfZeros_(std::move(tellOfZeros)) {}

  /// Begins a run: prefetches rows of the streams that program \p index uses.
  /// \param handler  must live until the end of the run
  void beginRun(std::uint32_t index, wire::Cycles start, session::StreamHandler &handler);
  /// Drops the rows of a stream that were prefetched.
  void drop(std::uint32_t stream, session::StreamHandler &handler);

  bool isReady(std::uint32_t stream, std::uint32_t replica, wire::Cycles now) override;
  void transferred(std::uint32_t exchange, std::size_t transfer, std::uint32_t replica,
                   wire::Cycles end) override;
  std::uint64_t calls() const override { return calls_; }

  /// Returns true if the rows of a stream are prefetched, in the current run.
  bool mayPrefetch(std::uint32_t stream, std::uint32_t replica) const;
  /// Returns where the last call was made, for messages.
  std::string place() const;

private:
  using Call = session::StreamHandler::Call;
  /// The rows of one stream and replica that are filled, but not complete.
  struct Feed {
    std::uint32_t rows = 0;
    bool isPrefetched = false; ///< the oldest of them was prefetched
    bool refused = false;      ///< the last prefetch had no data
  };

  std::uint32_t ownerOf(std::uint32_t stream, std::uint32_t replica) const;
  void fill(std::uint32_t stream, std::uint32_t replica, wire::Cycles now);
  void complete(std::uint32_t stream, std::uint32_t replica, wire::Cycles end);
  void take(std::uint32_t exchange, std::size_t transfer, std::uint32_t replica, wire::Cycles end);
  session::StreamHandler &callAt(std::uint32_t stream, std::uint32_t replica, wire::Cycles now);
  std::span<std::byte> row(std::uint32_t stream);

  const session::Program &program_;
  const machine::ClockWords &words_;
  std::function<void()> tellOfZeros_;
  session::StreamHandler *handler_ = nullptr;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Feed> feeds_; ///< by stream and replica
  std::vector<std::byte> row_;
  std::uint64_t calls_ = 0;
  std::uint32_t lastStream_ = 0, lastReplica_ = 0; ///< stream and replica of the last call
};

} // namespace copse::engine
