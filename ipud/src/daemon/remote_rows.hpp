#pragma once

#include "host_mailbox.hpp"

#include "fabric/keys.hpp"
#include "fabric/payload.hpp"
#include "remote_buffers/store.hpp"
#include "wire/image.hpp"
#include "wire/result.hpp"
#include "wire/session.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace copse::ipud {

/// Accesses remote buffers at an rbufd directly. Through the host, which would only forward
/// requests, each row would travel twice.
///
/// Thread: the run thread.
class RemoteRows {
public:
  /// \param keys     keys of this ipud; null: none are used
  /// \param mailbox  whose stop ends each wait; must outlive the rows
  /// \returns nothing if the plan has no store or the store cannot be reached; the host then serves
  ///   the rows
  static std::optional<RemoteRows> open(const wire::session::Configure &plan,
                                        std::shared_ptr<const fabric::Keyring> keys,
                                        const HostMailbox &mailbox);

  /// Reads this IPU's part of rows \p rows, for \p copy.
  /// \returns the errors of the host's answer; Cancelled after a stop
  wire::Result<fabric::Payload> read(const wire::RemoteCopy &copy,
                                     std::span<const std::uint32_t> rows) const;
  /// Writes rows and waits for the acknowledgement of the rbufd.
  wire::Status write(const wire::RemoteCopy &copy, std::span<const std::uint32_t> rows,
                     const fabric::Payload &payload);

private:
  RemoteRows(remote_buffers::RemoteBufferStore store, std::uint32_t replica, std::uint32_t replicas)
      : store_(std::move(store)), replica_(replica), replicas_(replicas) {}
  wire::Status placed(const wire::RemoteCopy &copy, wire::Status status) const;

  remote_buffers::RemoteBufferStore store_;
  std::uint32_t replica_, replicas_;
};

} // namespace copse::ipud
