#include "ipu_link.hpp"

#include "fabric/endpoint.hpp"
#include "session/ipud_process.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace copse::session {
namespace {

using wire::Code;

} // namespace

IpuLink::IpuLink(fabric::Reactor &reactor, zmq::context_t &context, std::string who,
                 int pidDescriptor, std::chrono::milliseconds lease, Handlers handlers)
    : reactor_(reactor), socket_(reactor, context, zmq::socket_type::dealer), timer_(reactor.io()),
      process_(reactor.io()), who_(std::move(who)), lease_(lease),
      heartbeats_(ipud::heartbeatsFor(lease)), handlers_(std::move(handlers)) {
  if (pidDescriptor >= 0)
    process_.assign(pidDescriptor);
}

IpuLink::~IpuLink() {
  if (process_.is_open())
    process_.release();
}

wire::Status IpuLink::connect(const std::string &endpoint, const fabric::Keyring *keys,
                              const std::string &name) {
  if (wire::Status status = dial(endpoint, keys, name); !status.ok())
    return status;
  if (process_.is_open())
    watchProcess();
  beatSoon();
  return wire::Status::success();
}

wire::Status IpuLink::dial(const std::string &endpoint, const fabric::Keyring *keys,
                           const std::string &name) {
  const auto onMessage = [this](fabric::Frames frames) { receive(std::move(frames)); };
  const auto place = fabric::Endpoint::parse(endpoint);
  if (const auto path = place ? fabric::ringPathOf(*place) : std::nullopt; path && keys == nullptr)
    rings_ = fabric::RingSocket::dial(reactor_, *path);
  if (rings_) {
    rings_->watch(
        {onMessage, [this] { flush(); }, [this](const wire::Status &why) { ringsEnded(why); }});
    return wire::Status::success();
  }
  cutsMessages_ = place && place->transport() != fabric::TransportKind::Inproc;
  hint_ = fabric::hintAtKeys(keys, name);
  if (keys != nullptr)
    if (wire::Status status = keys->connect(socket_.socket(), name); !status.ok())
      return status;
  if (wire::Status status = socket_.connect(endpoint); !status.ok())
    return status;
  socket_.watch(onMessage, [this] { flush(); });
  return wire::Status::success();
}

void IpuLink::ringsEnded(const wire::Status &why) {
  // If the process has ended, the process watch reports a better reason.
  if (why.code != Code::Disconnected || !process_.is_open())
    lose(why.message);
}

void IpuLink::send(ipud::SessionMessage message) {
  auto pieces =
      cutsMessages_ ? ipud::piecesOf(std::move(message)) : ipud::listOf(std::move(message));
  std::vector<fabric::Frames> packed(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    ipud::pack(std::move(pieces[i]), packed[i]);
  const locks::Lock lock(mutex_);
  if (lost_)
    return;
  std::move(packed.begin(), packed.end(), std::back_inserter(waiting_));
  sendWaiting();
}

void IpuLink::flush() {
  const locks::Lock lock(mutex_);
  sendWaiting();
}

void IpuLink::sendWaiting() {
  while (!waiting_.empty() && sendNow(waiting_.front()) == fabric::Sent::Ok)
    waiting_.pop_front();
}

fabric::Sent IpuLink::sendNow(fabric::Frames &frames) {
  return rings_ ? rings_->send(frames) : socket_.send(frames);
}

void IpuLink::receive(fabric::Frames frames) {
  auto message = ipud::unpack(std::move(frames), 0);
  if (!message)
    return lose("it does not speak our protocol: " + message.status().message);
  silentBeats_ = 0;
  isHeard_ = true;
  hint_.clear();
  auto whole = assembly_.put(std::move(*message));
  if (!whole)
    return lose(whole.status().message);
  if (whole->has_value())
    handle(std::move(**whole));
}

void IpuLink::handle(ipud::SessionMessage message) {
  if (const auto *ending = std::get_if<wire::session::Ending>(&message.header.body))
    return lose(ending->status.message);
  if (!isLost() && !std::holds_alternative<wire::session::Heartbeat>(message.header.body))
    handlers_.onMessage(std::move(message));
}

bool IpuLink::isLost() {
  const locks::Lock lock(mutex_);
  return lost_;
}

void IpuLink::watchProcess() {
  process_.async_wait(asio::posix::stream_descriptor::wait_read,
                      [this, present = whilePresent()](const asio::error_code &error) {
                        if (!error && !present.expired())
                          lose("the process " + howItEnded(process_.native_handle()));
                      });
}

void IpuLink::beatSoon() {
  timer_.expires_after(heartbeats_.interval);
  timer_.async_wait([this, present = whilePresent()](const asio::error_code &error) {
    if (!error && !present.expired())
      beat();
  });
}

void IpuLink::beat() {
  if (++silentBeats_ > heartbeats_.perLease) {
    const std::string lease = std::to_string(lease_.count()) + " ms";
    return isHeard_ ? lose("it has been silent for " + lease)
                    : reportLost(who_ + " has not answered within " + lease + hint_);
  }
  send({{0, {}, wire::session::Heartbeat{}}, {}});
  beatSoon();
}

void IpuLink::lose(const std::string &why) {
  reportLost(who_ + " is gone: " + why + "; load the program again to replace it");
}

void IpuLink::reportLost(std::string message) {
  {
    const locks::Lock lock(mutex_);
    if (std::exchange(lost_, true))
      return;
    waiting_.clear();
  }
  timer_.cancel();
  handlers_.onLost({Code::Disconnected, std::move(message)});
}

} // namespace copse::session
