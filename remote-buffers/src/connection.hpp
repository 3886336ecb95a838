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

/// What an rbufd answered.
struct Answer {
  wire::rows::Body body;
  zmq::message_t payload;
};

/// Asks an rbufd one thing at a time. Whoever asks waits for the answer on his own thread, for a
/// thread between them would cost more than the answer.
///
/// Thread: any; the mutex hands the socket from one to the next.
class Connection {
public:
  /// \param keys       of who asks; null: there are none
  /// \param cancelled  as ClientOptions has it
  Connection(
      std::string endpoint, std::shared_ptr<const fabric::Keyring> keys,
      std::function<bool()> cancelled = [] { return false; });

  /// \returns the answer; or
  ///   - Cancelled      who asked waits no more
  ///   - Timeout        nobody answered in time, naming the endpoint. What was asked may be done all the
  ///                    same, and may be done twice if the rbufd ends meanwhile
  ///   - InvalidOption  the endpoint makes no sense
  ///   - what a Fault says
  wire::Result<Answer> ask(const wire::rows::Body &body, std::span<const std::byte> payload,
                           std::chrono::milliseconds timeout);

private:
  using Clock = std::chrono::steady_clock;

  wire::Status connect() COPSE_REQUIRES(mutex_);
  /// Until the deadline, or until cancelled_ is to be asked again [ms].
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
  /// None: not connected yet, or given up.
  std::optional<zmq::socket_t> socket_ COPSE_GUARDED_BY(mutex_);
  std::unique_ptr<RingAsker> rings_ COPSE_GUARDED_BY(mutex_); ///< in place of the socket
  /// The rings that are there have brought an answer.
  bool answered_ COPSE_GUARDED_BY(mutex_) = false;
  /// The rbufd takes no rings of this process.
  bool refused_ COPSE_GUARDED_BY(mutex_) = false;
  std::uint64_t request_ COPSE_GUARDED_BY(mutex_) = 0; ///< the last one
};

} // namespace copse::remote_buffers
