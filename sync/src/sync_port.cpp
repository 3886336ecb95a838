#include "sync_port.hpp"

#include "wire/ipu_names.hpp"

#include <spdlog/spdlog.h>

#include <cassert>
#include <cerrno>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace copse::sync {

namespace {

/// Returns datagram sockets for processes of one machine, to avoid the hops over ZeroMQ's threads.
std::unique_ptr<MessageSockets> socketsFor(zmq::context_t &context,
                                           const fabric::Endpoint &endpoint,
                                           std::shared_ptr<const fabric::Keyring> keys,
                                           std::shared_ptr<fabric::Refusals> refusals) {
  return endpoint.transport() == fabric::TransportKind::Ipc
             ? makeLocalSockets()
             : makeZmqSockets(context, std::move(keys), std::move(refusals));
}

} // namespace

SyncPort::Impl::Impl(zmq::context_t &context)
    : context_(context), wakeUp_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wakeUp_ < 0)
    throw std::system_error(errno, std::generic_category(), "eventfd");
}

SyncPort::Impl::~Impl() { close(wakeUp_); }

wire::Status SyncPort::Impl::bind(const fabric::Endpoint &endpoint,
                                  std::shared_ptr<const fabric::Keyring> keys,
                                  std::shared_ptr<fabric::Refusals> refusals) {
  keys_ = std::move(keys);
  sockets_ = socketsFor(context_, endpoint, keys_, std::move(refusals));
  return sockets_->bind(endpoint);
}

void SyncPort::Impl::connect(wire::IpuId self, std::map<wire::IpuId, fabric::Endpoint> endpoints,
                             std::uint32_t epoch, std::map<wire::IpuId, std::string> names) {
  sockets_->closeConnections();
  self_ = self;
  names_ = std::move(names);
  endpoints_ = std::move(endpoints);
  reset(epoch);
}

void SyncPort::Impl::stop(wire::Status status) {
  assert(!status.ok());
  const locks::Lock lock(mutex_);
  if (!stopped_.ok())
    return;
  stopped_ = std::move(status);
  isStopped_ = true;
  // Writing fails only if the counter is full; the descriptor is then readable anyway.
  (void)eventfd_write(wakeUp_, 1);
  for (const auto &[group, memory] : memories_)
    memory->alert();
}

void SyncPort::Impl::meetsIn(wire::SyncGroup group, std::shared_ptr<GroupMemory> memory) {
  const locks::Lock lock(mutex_);
  if (memory)
    memories_[group] = std::move(memory);
  else
    memories_.erase(group);
}

void SyncPort::Impl::reset(std::uint32_t epoch) {
  {
    const locks::Lock lock(mutex_);
    stopped_ = wire::Status::success();
    isStopped_ = false;
    eventfd_t ignored;
    (void)eventfd_read(wakeUp_, &ignored); // fails if stop() was not called
  }
  epoch_ = epoch;
  for (auto &[group, member] : groups_)
    member.onReset();
}

wire::Status SyncPort::Impl::stopped() {
  if (!isStopped_)
    return wire::Status::success();
  const locks::Lock lock(mutex_);
  return stopped_;
}

void SyncPort::Impl::enlist(wire::SyncGroup group, Handler onMessage, Reset onReset) {
  assert(!groups_.contains(group));
  groups_[group] = {std::move(onMessage), std::move(onReset)};
}

void SyncPort::Impl::dismiss(wire::SyncGroup group) {
  groups_.erase(group);
  meetsIn(group, nullptr);
}

wire::Status SyncPort::Impl::open(wire::IpuId peer) {
  if (sockets_->isOpen(peer))
    return wire::Status::success();
  const auto endpoint = endpoints_.find(peer);
  if (endpoint == endpoints_.end())
    return {wire::Code::InvalidOption, wire::nameOf(self_) + " has no sync endpoint of ipu " +
                                           std::to_string(peer.value) +
                                           ", which is in one of its groups"};
  return sockets_->open(peer, endpoint->second, nameAmongKeys(peer));
}

void SyncPort::Impl::send(wire::IpuId peer, wire::Envelope envelope,
                          std::shared_ptr<const fabric::SharedMemory> attached) {
  envelope.epoch = epoch_;
  envelope.from = self_;
  envelope.to = peer;
  sockets_->send(peer, wire::encode(envelope), std::move(attached));
}

void SyncPort::Impl::poll(Clock::time_point deadline) {
  // One of the messages may be the one that the caller waits for.
  if (receiveAll())
    return;
  sockets_->wait(wakeUp_, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
  receiveAll();
}

void SyncPort::Impl::answer() {
  receiveAll();
  sockets_->wait(wakeUp_, std::chrono::milliseconds(0)); // sends what is queued
}

bool SyncPort::Impl::receiveAll() {
  bool any = false;
  while (receiveOne())
    any = true;
  return any;
}

bool SyncPort::Impl::receiveOne() {
  auto received = sockets_->receive();
  if (!received)
    return false;
  if (received->whole)
    dispatch(std::move(*received));
  else
    malformed("it is too long, or has several frames");
  return true;
}

std::string SyncPort::Impl::nameAmongKeys(wire::IpuId ipu) const {
  const auto found = names_.find(ipu);
  return found == names_.end() ? "" : found->second;
}

void SyncPort::Impl::dispatch(MessageSockets::Received message) {
  const auto envelope = wire::decodeEnvelope(message.bytes);
  if (!envelope)
    return malformed(envelope.status().message);
  const auto *arrive = std::get_if<wire::SyncArrive>(&envelope->body);
  const auto *leave = std::get_if<wire::SyncLeave>(&envelope->body);
  if (arrive == nullptr && leave == nullptr)
    return malformed("it is not a message of sync points");
  if (envelope->to != self_)
    return malformed("it is for ipu " + std::to_string(envelope->to.value));
  if (keys_ && message.sender != nameAmongKeys(envelope->from))
    return malformed(message.sender + " speaks for ipu " + std::to_string(envelope->from.value));
  if (envelope->epoch != epoch_)
    return;
  const auto group = groups_.find(arrive != nullptr ? arrive->group : leave->group);
  if (group != groups_.end())
    group->second.onMessage(*envelope, std::move(message.attached));
}

void SyncPort::Impl::malformed(const std::string &why) {
  const std::uint64_t count = ++malformed_;
  // Log the 1st, 2nd, 4th, 8th, ... only, so that a flood does not fill the log.
  if ((count & (count - 1)) == 0)
    spdlog::warn("ipu {}: dropped a sync message, number {}: {}", self_.value, count, why);
}

SyncPort::SyncPort(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SyncPort::~SyncPort() = default;

wire::Result<std::unique_ptr<SyncPort>> SyncPort::bind(zmq::context_t &context,
                                                       const fabric::Endpoint &endpoint,
                                                       std::shared_ptr<const fabric::Keyring> keys,
                                                       std::shared_ptr<fabric::Refusals> refusals) {
  auto impl = std::make_unique<Impl>(context);
  if (wire::Status status = impl->bind(endpoint, std::move(keys), std::move(refusals));
      !status.ok())
    return status;
  return std::unique_ptr<SyncPort>(new SyncPort(std::move(impl)));
}

const fabric::Endpoint &SyncPort::endpoint() const { return impl_->endpoint(); }

void SyncPort::connect(wire::IpuId self, const std::map<wire::IpuId, fabric::Endpoint> &endpoints,
                       std::uint32_t epoch, const std::map<wire::IpuId, std::string> &names) {
  impl_->connect(self, endpoints, epoch, names);
}

void SyncPort::stop(wire::Status status) { impl_->stop(std::move(status)); }
void SyncPort::reset(std::uint32_t epoch) { impl_->reset(epoch); }
void SyncPort::answer() { impl_->answer(); }
std::uint64_t SyncPort::malformed() const { return impl_->malformed(); }

} // namespace copse::sync
