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

struct ClientOptions {
  std::string endpoint; ///< of an rbufd, which need not be there yet
  std::string store;    ///< name of the store: buffers of one name and handle are the same rows
  std::chrono::milliseconds timeout{10'000}; ///< longest wait for one answer [wall-clock]
  std::optional<std::chrono::milliseconds> openTimeout{}; ///< for the first one, if it is another
  std::shared_ptr<const fabric::Keyring> keys{};          ///< of who asks; null: there are none
  /// Asked several times a second by who waits for an answer: whether he shall wait no more. He
  /// gets Cancelled then.
  std::function<bool()> cancelled = [] { return false; };
  /// A temporary store is kept in use, and ends with what was opened; else somebody else does that.
  bool owns = false;
};

/// Buffers that an rbufd keeps, as a store like any other. A daemon that ended and came back in
/// between is found again; but what was in a temporary store is lost then: Disconnected.
/// \returns Timeout naming the endpoint when nobody answers; else what the daemon says. So does
///          everything that the store is asked for later.
wire::Result<RemoteBufferStore> openRemote(const ClientOptions &options,
                                           std::vector<BufferShape> shapes, std::uint32_t replicas);

/// What the rbufd at \p endpoint has counted since it started.
wire::Result<std::vector<wire::rows::Counter>>
askCounters(const std::string &endpoint, std::chrono::milliseconds timeout,
            const std::shared_ptr<const fabric::Keyring> &keys = {});

} // namespace copse::remote_buffers
