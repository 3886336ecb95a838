#include "service.hpp"

#include <algorithm>

namespace copse::remote_buffers {

namespace rows = wire::rows;
using wire::Code;
using wire::Status;

namespace {

template <class F> Reply counted(Service::Counts::Requests &requests, const F &work) {
  const auto begin = std::chrono::steady_clock::now();
  Reply reply = work();
  ++requests.count;
  requests.time += std::chrono::steady_clock::now() - begin;
  return reply;
}

} // namespace

Service::Service(std::unique_ptr<Storage> storage, std::uint64_t firstStore,
                 std::uint64_t maxMessageBytes)
    : storage_(std::move(storage)), firstStore_(firstStore), maxMessageBytes_(maxMessageBytes) {}

Reply Service::serve(const rows::Body &request, std::span<const std::byte> payload,
                     const Memory &memory) {
  if (const auto *wanted = std::get_if<rows::Open>(&request))
    return counted(counts_.opens, [&] { return open(*wanted); });
  if (const auto *wanted = std::get_if<rows::Read>(&request))
    return counted(counts_.reads, [&] { return read(*wanted, memory); });
  if (const auto *wanted = std::get_if<rows::Write>(&request))
    return counted(counts_.writes, [&] { return write(*wanted, payload); });
  if (std::holds_alternative<rows::Counters>(request))
    return {report(), {}};
  return fault({Code::BadFrame, "the message is a reply, not a request"});
}

rows::Report Service::report() const {
  return {{{"stores", stores()},
           {"buffers", storage_->buffers()},
           {"opens", counts_.opens.count},
           {"reads", counts_.reads.count},
           {"writes", counts_.writes.count},
           {"readBytes", counts_.readBytes},
           {"writtenBytes", counts_.writtenBytes},
           {"faults", counts_.faults},
           {"dropped", counts_.dropped}}};
}

/// Opens a store. A request without buffers ends a temporary store instead.
Reply Service::open(const rows::Open &request) {
  if (isTemporary(request.name) && request.buffers.empty())
    return end(request.name);
  const auto known = std::find_if(stores_.begin(), stores_.end(), [&](const Opened &one) {
    return one.store && one.by == request;
  });
  const auto number = firstStore_ + static_cast<std::uint64_t>(known - stores_.begin());
  if (known != stores_.end()) {
    known->used = Clock::now();
    return {rows::Opened{number}, {}};
  }
  auto store = storage_->open(request.name, request.buffers, request.replicas);
  if (!store)
    return fault(store.status());
  stores_.push_back({request, std::move(*store), Clock::now()});
  return {rows::Opened{number}, {}};
}

Reply Service::end(const std::string &store) {
  for (Opened &one : stores_)
    if (one.store && one.by.name == store)
      end(one);
  return {rows::Ok{}, {}};
}

void Service::end(Opened &one) {
  one.store.reset();
  storage_->remove(one.by.name);
}

void Service::expire(Clock::time_point now) {
  for (Opened &one : stores_)
    if (one.store && isTemporary(one.by.name) && now - one.used > kTemporaryLease)
      end(one);
}

std::size_t Service::stores() const {
  return static_cast<std::size_t>(std::count_if(
      stores_.begin(), stores_.end(), [](const Opened &one) { return one.store.has_value(); }));
}

Reply Service::read(const rows::Read &request, const Memory &memory) {
  RemoteBufferStore *store = find(request.store);
  if (store == nullptr)
    return {rows::UnknownStore{}, {}};
  std::uint64_t bytes = 0;
  for (const RowPart &part : request.parts) {
    if (part.bytes > maxMessageBytes_ - bytes)
      return fault({Code::InvalidOption, "more than " + std::to_string(maxMessageBytes_) +
                                             " bytes are asked for at once; raise the daemon's "
                                             "maxMessageBytes"});
    bytes += part.bytes;
  }
  Reply reply{rows::Rows{}, memory(bytes)};
  if (Status status = store->readParts(request.buffer, request.replica, request.parts,
                                       {reply.payload.data(), bytes});
      !status.ok())
    return fault(std::move(status));
  counts_.readBytes += bytes;
  return reply;
}

Reply Service::write(const rows::Write &request, std::span<const std::byte> payload) {
  RemoteBufferStore *store = find(request.store);
  if (store == nullptr)
    return {rows::UnknownStore{}, {}};
  if (Status status = store->writeParts(request.buffer, request.replica, request.parts, payload);
      !status.ok())
    return fault(std::move(status));
  counts_.writtenBytes += payload.size();
  return {rows::Ok{}, {}};
}

Reply Service::fault(Status status) {
  ++counts_.faults;
  return {rows::Fault{std::move(status)}, {}};
}

RemoteBufferStore *Service::find(std::uint64_t number) {
  const std::uint64_t index = number - firstStore_; // wraps around to a large number
  if (index >= stores_.size() || !stores_[index].store)
    return nullptr;
  stores_[index].used = Clock::now();
  return &*stores_[index].store;
}

} // namespace copse::remote_buffers
