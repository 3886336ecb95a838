#pragma once

#include "fabric/payload.hpp"
#include "remote_buffers/storage.hpp"
#include "wire/rows.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace copse::remote_buffers {

/// An answer and the raw frame that follows it.
struct Reply {
  wire::rows::Body body;
  fabric::Payload payload;
};

/// Executes the requests to an rbufd, independently of sockets.
///
/// Thread: one at a time.
class Service {
public:
  /// \param firstStore       number of the first store. Each process uses a different one, so that
  ///   hosts notice a restarted daemon
  /// \param maxMessageBytes  requests for more bytes of rows are refused
  Service(std::unique_ptr<Storage> storage, std::uint64_t firstStore,
          std::uint64_t maxMessageBytes);

  /// Allocates the payload of an answer.
  using Memory = std::function<fabric::Payload(std::size_t bytes)>;

  Reply serve(
      const wire::rows::Body &request, std::span<const std::byte> payload,
      const Memory &memory = [](std::size_t bytes) { return fabric::Payload(bytes); });

  using Clock = std::chrono::steady_clock;
  /// Deletes temporary stores that have not been used for kTemporaryLease.
  void expire(Clock::time_point now);

  /// Counters since the start of the daemon.
  struct Counts {
    struct Requests {
      std::uint64_t count = 0;
      std::chrono::nanoseconds time{0}; ///< from the request's arrival to its answer [wall-clock]
    };
    Requests opens, reads, writes;
    std::uint64_t readBytes = 0, writtenBytes = 0, faults = 0, dropped = 0;
  };
  const Counts &counts() const { return counts_; }
  std::size_t stores() const; ///< open stores
  std::size_t buffers() const { return storage_->buffers(); }
  wire::rows::Report report() const;
  void countDropped() { ++counts_.dropped; }

private:
  Reply open(const wire::rows::Open &request);
  Reply read(const wire::rows::Read &request, const Memory &memory);
  Reply write(const wire::rows::Write &request, std::span<const std::byte> payload);
  Reply fault(wire::Status status);
  Reply end(const std::string &store);
  RemoteBufferStore *find(std::uint64_t number);

  std::unique_ptr<Storage> storage_;
  std::uint64_t firstStore_, maxMessageBytes_;
  struct Opened {
    wire::rows::Open by;                    ///< an equal request gets this store again
    std::optional<RemoteBufferStore> store; ///< empty: the store was temporary and has ended
    Clock::time_point used;
  };
  void end(Opened &one);
  std::vector<Opened> stores_; ///< by number, from firstStore_
  Counts counts_;
};

} // namespace copse::remote_buffers
