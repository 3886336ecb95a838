#include "row_server.hpp"

#include <exception>
#include <string>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;

} // namespace

RowServer::RowServer(Send send) : send_(std::move(send)), thread_("copse-rows") {}

void RowServer::use(std::shared_ptr<const Partition> partition,
                    std::shared_ptr<remote_buffers::RemoteBufferStore> store) {
  const locks::Lock lock(mutex_);
  partition_ = std::move(partition);
  store_ = std::move(store);
}

bool RowServer::take(std::uint32_t ipu, ipud::SessionMessage &message) {
  const auto &body = message.header.body;
  if (!std::holds_alternative<message::RowsRead>(body) &&
      !std::holds_alternative<message::RowsWrite>(body))
    return false;
  const std::uint64_t request = message.header.request;
  try {
    // A shared pointer, because posted functions must be copyable and payloads are not.
    auto shared = std::make_shared<ipud::SessionMessage>(std::move(message));
    thread_.post([this, ipu, shared] { serve(ipu, *shared); });
  } catch (const std::exception &error) {
    refuse(ipu, request, error);
  }
  return true;
}

void RowServer::serve(std::uint32_t ipu, ipud::SessionMessage &message) {
  const std::uint64_t request = message.header.request;
  try {
    auto reply = answer(ipu, message);
    reply.header.request = request;
    send_(ipu, std::move(reply));
  } catch (const std::exception &error) {
    refuse(ipu, request, error);
  }
}

/// Reports an exception of the standard library or ZeroMQ, which means that memory is exhausted.
/// The IPU must not wait for ever.
void RowServer::refuse(std::uint32_t ipu, std::uint64_t request, const std::exception &error) {
  send_(ipu, {{request,
               {},
               message::Fault{{Code::OutOfMemory,
                               std::string("the host program has no memory for rows of a remote "
                                           "buffer: ") +
                                   error.what()}}},
              {}});
}

ipud::SessionMessage RowServer::answer(std::uint32_t ipu, ipud::SessionMessage &message) const {
  std::string place; // in the program
  const auto outcome = [&place](Status status) {
    if (status.ok())
      return ipud::SessionMessage{{0, {}, message::Ok{}}, {}};
    status.message = place + status.message;
    return ipud::SessionMessage{{0, {}, message::Fault{std::move(status)}}, {}};
  };
  std::shared_ptr<const Partition> partition;
  std::shared_ptr<remote_buffers::RemoteBufferStore> store;
  {
    const locks::Lock lock(mutex_);
    partition = partition_;
    store = store_;
  }
  const auto *read = std::get_if<message::RowsRead>(&message.header.body);
  const auto *write = std::get_if<message::RowsWrite>(&message.header.body);
  const std::uint32_t index = read != nullptr ? read->copy : write->copy;
  const wire::RemoteCopy *copy =
      partition ? partition->remoteCopy(partition->numberOf(ipu), index) : nullptr;
  if (copy == nullptr)
    return outcome({Code::BadFrame, "the program has no remote copy " + std::to_string(index)});
  const std::uint32_t replica = partition->replicaAmongAll(partition->replicaOf(ipu));
  place = wire::headingOf(*copy, replica, partition->allReplicas());
  const auto &rows = read != nullptr ? read->rows : write->rows;
  if (rows.size() != copy->rows)
    return outcome({Code::BadFrame, "another number of rows than the program's"});
  if (write != nullptr) {
    if (message.payloads.size() != 1)
      return outcome({Code::BadFrame, "rows without their bytes"});
    return outcome(store->scatter(copy->buffer, replica, rows, copy->view.pieces,
                                  message.payloads[0].bytes()));
  }
  fabric::Payload bytes(copy->view.bytes);
  Status status =
      store->gather(copy->buffer, replica, rows, copy->view.pieces, {bytes.data(), bytes.size()});
  if (!status.ok())
    return outcome(std::move(status));
  ipud::SessionMessage reply{{0, {}, message::Rows{}}, {}};
  reply.payloads.push_back(std::move(bytes));
  return reply;
}

} // namespace copse::session
