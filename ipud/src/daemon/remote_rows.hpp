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

/// The rows of remote buffers at an rbufd, reached without the host: its row server would only pass
/// on what is asked, and a row would travel twice.
///
/// Thread: the run thread's.
class RemoteRows {
public:
  /// \param keys     of this ipud; null: there are none
  /// \param mailbox  whose stop ends each wait; outlives the rows
  /// \returns none if the plan has no store, or if it cannot be reached: the host is asked then
  static std::optional<RemoteRows> open(const wire::session::Configure &plan,
                                        std::shared_ptr<const fabric::Keyring> keys,
                                        const HostMailbox &mailbox);

  /// This IPU's part of rows \p rows, for \p copy.
  /// \returns as the host's answer would say it; Cancelled after a stop
  wire::Result<fabric::Payload> read(const wire::RemoteCopy &copy,
                                     std::span<const std::uint32_t> rows) const;
  /// \returns when the rbufd has acknowledged them
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
