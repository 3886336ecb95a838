#pragma once

#include "locks/mutex.hpp"
#include "ring_asker.hpp"

#include "fabric/keys.hpp"
#include "wire/result.hpp"
#include "wire/rows.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace copse::remote_buffers {

/// An answer of an rbufd.
struct Answer {
  wire::rows::Body body;
  zmq::message_t payload;
};

/// Sends requests to an rbufd, one at a time. The calling thread itself waits for the answer,
/// because a hop over another thread would cost more than the answer.
///
/// Thread: any; the mutex passes the socket from one thread to the next.
class Connection {
public:
  /// \param keys       with which this process identifies itself; null: none are used
  /// \param cancelled  see ClientOptions
  Connection(
      std::string endpoint, std::shared_ptr<const fabric::Keyring> keys,
      std::function<bool()> cancelled = [] { return false; });

  /// Sends a request and waits for its answer.
  /// \returns the answer; or
  ///   - Cancelled      the caller no longer waits
  ///   - Timeout        no answer arrived in time; the message names the endpoint. The request may
  ///                    still be executed, and may be executed twice if the rbufd ends meanwhile
  ///   - InvalidOption  the endpoint is malformed
  ///   - the error of a Fault answer
  wire::Result<Answer> ask(const wire::rows::Body &body, std::span<const std::byte> payload,
                           std::chrono::milliseconds timeout);

private:
  using Clock = std::chrono::steady_clock;

  wire::Status connect() COPSE_REQUIRES(mutex_);
  /// Returns the time until the deadline, but no longer than until cancelled_ is to be called again
  /// [ms].
  int nextWait(Clock::time_point deadline) const;
  bool send(const wire::rows::Body &body, std::span<const std::byte> payload,
            Clock::time_point deadline) COPSE_REQUIRES(mutex_);
  std::optional<Answer> receive(Clock::time_point deadline) COPSE_REQUIRES(mutex_);
  bool sendOverRings(const std::vector<std::byte> &header, std::span<const std::byte> payload,
                     Clock::time_point deadline) COPSE_REQUIRES(mutex_);
  std::optional<fabric::Frames> nextMessage(int wait) COPSE_REQUIRES(mutex_);
  void disconnect() COPSE_REQUIRES(mutex_);
  bool dialRings() COPSE_REQUIRES(mutex_);

  std::string endpoint_;
  std::shared_ptr<const fabric::Keyring> keys_;
  std::function<bool()> cancelled_;
  locks::Mutex mutex_;
  zmq::context_t context_{1};
  /// Empty until the first connection, and after a failed one.
  std::optional<zmq::socket_t> socket_ COPSE_GUARDED_BY(mutex_);
  std::unique_ptr<RingAsker> rings_ COPSE_GUARDED_BY(mutex_); ///< used instead of the socket
  /// The current rings have delivered an answer.
  bool answered_ COPSE_GUARDED_BY(mutex_) = false;
  /// The rbufd refuses rings from this process.
  bool refused_ COPSE_GUARDED_BY(mutex_) = false;
  std::uint64_t request_ COPSE_GUARDED_BY(mutex_) = 0; ///< number of the last request
};

} // namespace copse::remote_buffers
