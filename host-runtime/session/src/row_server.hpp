#pragma once

#include "locks/mutex.hpp"
#include "partition.hpp"

#include "fabric/reactor.hpp"
#include "ipud/session_message.hpp"
#include "remote_buffers/store.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

namespace copse::session {

/// Serves the IPUs' requests for remote buffers from a store, on its own thread, so that a slow
/// callback of the host program never delays them.
///
/// Thread: any.
class RowServer {
public:
  using Send = std::function<void(std::uint32_t ipu, ipud::SessionMessage)>;

  explicit RowServer(Send send);

  /// Serves from \p store from now on.
  void use(std::shared_ptr<const Partition> partition,
           std::shared_ptr<remote_buffers::RemoteBufferStore> store);

  /// Takes a RowsRead or RowsWrite, and leaves other messages.
  /// \returns true if it took the message
  bool take(std::uint32_t ipu, ipud::SessionMessage &message);

private:
  void serve(std::uint32_t ipu, ipud::SessionMessage &message);
  void refuse(std::uint32_t ipu, std::uint64_t request, const std::exception &error);
  ipud::SessionMessage answer(std::uint32_t ipu, ipud::SessionMessage &message) const;

  Send send_;
  mutable locks::Mutex mutex_;
  std::shared_ptr<const Partition> partition_ COPSE_GUARDED_BY(mutex_);
  std::shared_ptr<remote_buffers::RemoteBufferStore> store_ COPSE_GUARDED_BY(mutex_);
  fabric::Reactor thread_; ///< last: ends before the members that it uses
};

} // namespace copse::session
