#include "remote_buffers/client.hpp"

#include "connection.hpp"

#include "fabric/frames.hpp"
#include "remote_buffers/storage.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace copse::remote_buffers {
namespace {

namespace rows = wire::rows;
using wire::Code;
using wire::Status;

Status unexpected() {
  return {Code::BadFrame,
          "the rbufd sent an unexpected reply; check that it is of the same version"};
}

/// A store opened at an rbufd, shared by its buffers.
class RemoteStore {
public:
  RemoteStore(const ClientOptions &options, rows::Open plan)
      : endpoint_(options.endpoint), connection_(options.endpoint, options.keys, options.cancelled),
        timeout_(options.timeout), plan_(std::move(plan)) {}
  ~RemoteStore() {
    if (!owner_.joinable())
      return;
    owner_.request_stop();
    owner_.join();
    // If the daemon does not answer, the store ends with its lease.
    try {
      (void)connection_.ask(rows::Open{plan_.name, plan_.replicas, {}}, {}, kEndTimeout);
    } catch (const std::exception &) { // out of memory: the lease ends the store
    }
  }

  /// Keeps the store in use from now on, and ends it when this object is destroyed.
  void own() {
    owner_ = std::jthread([this](const std::stop_token &stop) {
      std::mutex mutex;
      std::condition_variable_any changed;
      std::unique_lock lock(mutex);
      while (!changed.wait_for(lock, stop, kKeepInUse, [&] { return stop.stop_requested(); }))
        (void)connection_.ask(rows::Read{{number_, 0, 0, {}}}, {}, timeout_);
    });
  }

  Status open(std::chrono::milliseconds timeout) {
    auto answer = connection_.ask(plan_, {}, timeout);
    if (!answer)
      return answer.status();
    const auto *opened = std::get_if<rows::Opened>(&answer->body);
    if (opened == nullptr)
      return unexpected();
    number_ = opened->store;
    return Status::success();
  }

  /// \tparam Request  Read or Write
  template <class Request>
  wire::Result<Answer> ask(Request request, std::span<const std::byte> payload = {}) {
    request.store = number_;
    auto answer = connection_.ask(request, payload, timeout_);
    if (!answer || !std::holds_alternative<rows::UnknownStore>(answer->body))
      return answer;
    if (isTemporary(plan_.name))
      return Status{Code::Disconnected,
                    "the rbufd at " + endpoint_ +
                        " does not have the rows of this program any more: it was started anew, or "
                        "heard nothing for " +
                        std::to_string(kTemporaryLease.count()) +
                        " minutes; load the program again, or have rows kept by a name "
                        "(COPSE_RBUFD_NAME)"};
    // The daemon was restarted since the store was opened.
    if (Status status = open(timeout_); !status.ok())
      return status;
    request.store = number_;
    return connection_.ask(request, payload, timeout_);
  }

private:
  static constexpr std::chrono::minutes kKeepInUse{1};
  static constexpr std::chrono::seconds kEndTimeout{1};

  const std::string endpoint_;
  Connection connection_;
  const std::chrono::milliseconds timeout_;
  const rows::Open plan_;
  std::atomic<std::uint64_t> number_{0};
  std::jthread owner_; ///< keeps a temporary store in use; last member, as it uses the connection
};

class RemoteBuffer : public Buffer {
public:
  RemoteBuffer(std::shared_ptr<RemoteStore> store, std::uint32_t number, BufferShape shape,
               std::uint32_t replicas)
      : Buffer(std::move(shape), replicas), store_(std::move(store)), number_(number) {}

  Status read(std::uint32_t replica, std::span<const RowPart> parts,
              std::span<std::byte> bytes) override {
    auto answer = store_->ask(rows::Read{access(replica, parts)});
    if (!answer)
      return answer.status();
    const auto got = fabric::bytesOf(answer->payload);
    if (!std::holds_alternative<rows::Rows>(answer->body) || got.size() != bytes.size())
      return unexpected();
    std::copy(got.begin(), got.end(), bytes.begin());
    return Status::success();
  }

  Status write(std::uint32_t replica, std::span<const RowPart> parts,
               std::span<const std::byte> bytes) override {
    auto answer = store_->ask(rows::Write{access(replica, parts)}, bytes);
    if (!answer)
      return answer.status();
    return std::holds_alternative<rows::Ok>(answer->body) ? Status::success() : unexpected();
  }

private:
  rows::Access access(std::uint32_t replica, std::span<const RowPart> parts) const {
    return {0, number_, replica, {parts.begin(), parts.end()}};
  }

  std::shared_ptr<RemoteStore> store_;
  std::uint32_t number_; ///< number of the buffer in its store
};

} // namespace

wire::Result<RemoteBufferStore>
openRemote(const ClientOptions &options, std::vector<BufferShape> shapes, std::uint32_t replicas) {
  auto store = std::make_shared<RemoteStore>(options, rows::Open{options.store, replicas, shapes});
  if (Status status = store->open(options.openTimeout.value_or(options.timeout)); !status.ok())
    return status;
  if (options.owns && isTemporary(options.store))
    store->own();
  std::vector<std::shared_ptr<Buffer>> buffers;
  buffers.reserve(shapes.size());
  for (BufferShape &shape : shapes)
    buffers.push_back(std::make_shared<RemoteBuffer>(
        store, static_cast<std::uint32_t>(buffers.size()), std::move(shape), replicas));
  return RemoteBufferStore(std::move(buffers), replicas);
}

wire::Result<std::vector<rows::Counter>>
askCounters(const std::string &endpoint, std::chrono::milliseconds timeout,
            const std::shared_ptr<const fabric::Keyring> &keys) {
  auto answer = Connection(endpoint, keys).ask(rows::Counters{}, {}, timeout);
  if (!answer)
    return answer.status();
  auto *report = std::get_if<rows::Report>(&answer->body);
  if (report == nullptr)
    return unexpected();
  return std::move(report->counters);
}

} // namespace copse::remote_buffers
