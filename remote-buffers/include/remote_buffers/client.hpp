#pragma once

#include "remote_buffers/store.hpp"
#include "wire/result.hpp"
#include "wire/rows.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::fabric {
class Keyring;
}

namespace copse::remote_buffers {

/// How a client reaches its store at an rbufd.
struct ClientOptions {
  std::string endpoint; ///< endpoint of an rbufd, which may be started later
  std::string store;    ///< name of the store; equal names and handles mean the same rows
  std::chrono::milliseconds timeout{10'000}; ///< longest wait for one answer [wall-clock]
  /// The longest wait for the first answer, if different from timeout.
  std::optional<std::chrono::milliseconds> openTimeout{};
  /// The cluster's keys, with which this process identifies itself; null: none are used.
  std::shared_ptr<const fabric::Keyring> keys{};
  /// Called several times a second while a request waits for its answer. If it returns true, the
  /// request fails with Cancelled.
  std::function<bool()> cancelled = [] { return false; };
  /// True: this process keeps a temporary store in use and ends it when it closes the store. False:
  /// another process does.
  bool owns = false;
};

/// Opens buffers that an rbufd keeps, as a store like any other. If the daemon is restarted, the
/// store reconnects to it; a temporary store is lost then, and requests return Disconnected.
/// \returns Timeout naming the endpoint if rbufd does not answer, or the daemon's own error. Later
///   requests to the store return these errors too
wire::Result<RemoteBufferStore> openRemote(const ClientOptions &options,
                                           std::vector<BufferShape> shapes, std::uint32_t replicas);

/// Returns the counters of the rbufd at \p endpoint, which count from its start.
wire::Result<std::vector<wire::rows::Counter>>
askCounters(const std::string &endpoint, std::chrono::milliseconds timeout,
            const std::shared_ptr<const fabric::Keyring> &keys = {});

} // namespace copse::remote_buffers
