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

/// Answers the IPUs' row traffic from a store, on a thread of its own: a callback of the host
/// program that takes its time never keeps an IPU from its remote buffers.
///
/// Thread: any.
class RowServer {
public:
  using Send = std::function<void(std::uint32_t ipu, ipud::SessionMessage)>;

  explicit RowServer(Send send);

  /// Answers from \p store from now on.
  void use(std::shared_ptr<const Partition> partition,
           std::shared_ptr<remote_buffers::RemoteBufferStore> store);

  /// Takes a RowsRead or RowsWrite and leaves everything else.
  /// \returns whether it took it
  bool take(std::uint32_t ipu, ipud::SessionMessage &message);

private:
  void serve(std::uint32_t ipu, ipud::SessionMessage &message);
  void refuse(std::uint32_t ipu, std::uint64_t request, const std::exception &error);
  ipud::SessionMessage answer(std::uint32_t ipu, ipud::SessionMessage &message) const;

  Send send_;
  mutable locks::Mutex mutex_;
  std::shared_ptr<const Partition> partition_ COPSE_GUARDED_BY(mutex_);
  std::shared_ptr<remote_buffers::RemoteBufferStore> store_ COPSE_GUARDED_BY(mutex_);
  fabric::Reactor thread_; ///< last: ends before what it uses
};

} // namespace copse::session
