#include "remote_rows.hpp"

#include "remote_buffers/client.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace copse::ipud {
namespace {

using wire::Status;

// How long an unresponsive rbufd may delay loading; the host can serve the rows instead.
constexpr std::chrono::milliseconds kOpenTimeout{1'000};

} // namespace

std::optional<RemoteRows> RemoteRows::open(const wire::session::Configure &plan,
                                           std::shared_ptr<const fabric::Keyring> keys,
                                           const HostMailbox &mailbox) {
  const wire::session::RowStore &where = plan.rowStore;
  if (where.endpoint.empty())
    return {};
  remote_buffers::ClientOptions options{where.endpoint, where.name};
  options.openTimeout = kOpenTimeout;
  options.keys = std::move(keys);
  // A stop of the last run must not cancel the load of the next one.
  const auto opened = std::make_shared<bool>(false);
  options.cancelled = [&mailbox, opened] { return *opened && mailbox.stopped(); };
  auto store = remote_buffers::openRemote(options, where.buffers, plan.replicas);
  if (!store) {
    spdlog::warn("rows of remote buffers go through the host program: {}", store.status().message);
    return {};
  }
  *opened = true;
  return RemoteRows(std::move(*store), plan.replica, plan.replicas);
}

wire::Result<fabric::Payload> RemoteRows::read(const wire::RemoteCopy &copy,
                                               std::span<const std::uint32_t> rows) const {
  fabric::Payload bytes(copy.view.bytes);
  Status status =
      store_.gather(copy.buffer, replica_, rows, copy.view.pieces, {bytes.data(), bytes.size()});
  if (!status.ok())
    return placed(copy, std::move(status));
  return bytes;
}

Status RemoteRows::write(const wire::RemoteCopy &copy, std::span<const std::uint32_t> rows,
                         const fabric::Payload &payload) {
  return placed(copy,
                store_.scatter(copy.buffer, replica_, rows, copy.view.pieces, payload.bytes()));
}

Status RemoteRows::placed(const wire::RemoteCopy &copy, Status status) const {
  if (!status.ok())
    status.message = wire::headingOf(copy, replica_, replicas_) + status.message;
  return status;
}

} // namespace copse::ipud
