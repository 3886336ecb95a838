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

/// An answer and the raw frame behind it.
struct Reply {
  wire::rows::Body body;
  fabric::Payload payload;
};

/// What an rbufd does with a request, whoever asks: it knows nothing of sockets.
///
/// Thread: one at a time.
class Service {
public:
  /// \param firstStore       number of the first store; another one in each process, so that a host
  ///                         notices when a daemon was started anew
  /// \param maxMessageBytes  rows of more bytes in all are refused
  Service(std::unique_ptr<Storage> storage, std::uint64_t firstStore,
          std::uint64_t maxMessageBytes);

  /// Memory for the payload of an answer.
  using Memory = std::function<fabric::Payload(std::size_t bytes)>;

  Reply serve(
      const wire::rows::Body &request, std::span<const std::byte> payload,
      const Memory &memory = [](std::size_t bytes) { return fabric::Payload(bytes); });

  using Clock = std::chrono::steady_clock;
  /// Deletes temporary stores that nobody has used for kTemporaryLease.
  void expire(Clock::time_point now);

  /// What was done since the start.
  struct Counts {
    struct Requests {
      std::uint64_t count = 0;
      std::chrono::nanoseconds time{0}; ///< from the request's arrival to its answer [wall-clock]
    };
    Requests opens, reads, writes;
    std::uint64_t readBytes = 0, writtenBytes = 0, faults = 0, dropped = 0;
  };
  const Counts &counts() const { return counts_; }
  std::size_t stores() const; ///< that are open
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
    wire::rows::Open by;                    ///< who asks for the same gets the same
    std::optional<RemoteBufferStore> store; ///< none: it was temporary, and has ended
    Clock::time_point used;
  };
  void end(Opened &one);
  std::vector<Opened> stores_; ///< by number, from firstStore_ on
  Counts counts_;
};

} // namespace copse::remote_buffers
