#include "control_socket.hpp"

#include "wire/printable.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using wire::Code;
using wire::Status;

// The limits of a host's lease: long enough that heartbeats do not flood the network, short enough
// that a host that is gone does not hold an IPU for hours.
constexpr std::uint32_t kShortestLeaseMs = 40, kLongestLeaseMs = 600'000;
constexpr std::chrono::milliseconds kLastWords{200}; // for unsent messages when the ipud ends

fabric::Frames framesFor(const std::string &peer, SessionMessage message) {
  fabric::Frames frames;
  frames.emplace_back(peer.data(), peer.size());
  pack(std::move(message), frames);
  return frames;
}

} // namespace

ControlSocket::ControlSocket(fabric::Reactor &reactor, zmq::context_t &context,
                             std::shared_ptr<spdlog::logger> log,
                             std::shared_ptr<fabric::Refusals> refusals)
    : socket_(reactor, context, {}, std::move(refusals)), timer_(reactor.io()),
      log_(std::move(log)) {}

void ControlSocket::useKeys(std::shared_ptr<const fabric::Keyring> keys) {
  socket_.useKeys(std::move(keys), {fabric::Role::Host});
}

wire::Result<std::string> ControlSocket::bind(const std::string &endpoint) {
  return socket_.bind(endpoint);
}

void ControlSocket::open(Handlers handlers, HostWatch watch) {
  watch_ = watch;
  handlers_ = std::move(handlers);
  socket_.watchEnds([this](const std::string &peer) { connectionEnded(peer); });
  socket_.watch([this](fabric::Frames frames) { receive(std::move(frames)); }, [this] { flush(); },
                [this](const std::string &why) { drop(why); });
}

void ControlSocket::post(session::Header header, std::vector<fabric::Payload> payloads) {
  const locks::Lock lock(mutex_);
  if (answering_ != session_ || host_.empty())
    return;
  sendToHost({std::move(header), std::move(payloads)});
}

fabric::Payload ControlSocket::payload(std::size_t bytes) {
  std::string host;
  {
    const locks::Lock lock(mutex_);
    host = host_;
  }
  return socket_.payloadTo(host, bytes);
}

void ControlSocket::receive(fabric::Frames frames) {
  const std::string peer = frames.front().to_string();
  auto message = unpack(std::move(frames), 1);
  if (!message)
    return drop(message.status().message);
  if (std::holds_alternative<session::Hello>(message->header.body))
    return greet(peer, message->header);
  if (std::holds_alternative<session::Inspect>(message->header.body))
    return inspect(peer, message->header.request);
  if (std::holds_alternative<session::Reset>(message->header.body))
    return reset(peer, message->header.request);
  if (const auto *error = std::get_if<session::InjectError>(&message->header.body)) {
    handlers_.onInject(*error);
    return answer(peer, message->header.request, session::Ok{});
  }
  if (peer != host_)
    return drop("a message from a peer that does not hold this ipud");
  silentBeats_ = 0;
  ++heard_;
  auto whole = assembly_.put(std::move(*message));
  if (!whole)
    return drop(whole.status().message);
  if (whole->has_value())
    receiveOfHost(std::move(**whole));
}

void ControlSocket::receiveOfHost(SessionMessage message) {
  if (std::holds_alternative<session::Detach>(message.header.body))
    return detach(message.header.request);
  if (auto *announced = std::get_if<session::Announce>(&message.header.body))
    return announce(message.header.request, std::move(announced->share));
  if (!std::holds_alternative<session::Heartbeat>(message.header.body))
    handlers_.onMessage(std::move(message));
}

void ControlSocket::greet(const std::string &peer, const session::Header &header) {
  const auto &hello = std::get<session::Hello>(header.body);
  // The host dropped its session and reconnected before the ipud noticed.
  if (!host_.empty() && host_ != peer && hello.token != 0 && hello.token == token_)
    end({Code::Cancelled, "the host has started a new session"});
  if (!host_.empty() && host_ != peer)
    return answer(peer, header.request,
                  session::Fault{{Code::Held, "another host program holds this IPU: " + holder_ +
                                                  "; detach there, or wait for its end"}});
  const bool fresh = host_.empty();
  {
    const locks::Lock lock(mutex_);
    host_ = peer;
  }
  socket_.allow(peer, true); // images and rows have any size
  holder_ = hello.host.empty() ? "one that does not say its name" : wire::printableName(hello.host);
  token_ = hello.token;
  silentBeats_ = 0;
  heartbeats_ = heartbeatsFor(
      std::chrono::milliseconds(std::clamp(hello.heartbeatMs, kShortestLeaseMs, kLongestLeaseMs)));
  answer(peer, header.request, session::Welcome{});
  if (fresh) {
    share_.reset();
    log_->info("held by {}", holder_);
    beatSoon();
  }
}

void ControlSocket::beatSoon() {
  timer_.expires_after(heartbeats_.interval);
  timer_.async_wait([this](const asio::error_code &error) {
    if (!error)
      beat();
  });
}

void ControlSocket::detach(std::uint64_t request) {
  const std::string peer = host_;
  end({Code::Cancelled, "the host has detached"});
  log_->info("free again: {} has detached", holder_);
  answer(peer, request, session::Ok{});
}

void ControlSocket::connectionEnded(const std::string &peer) {
  if (peer != host_ || host_.empty() || watch_ != HostWatch::Heartbeats)
    return;
  log_->warn("the connection of the host, {}, has ended; so has the session", holder_);
  end({Code::Disconnected, "the host program has ended"});
}

void ControlSocket::end(const Status &why) {
  timer_.cancel();
  socket_.allow(host_, false);
  {
    const locks::Lock lock(mutex_);
    host_.clear();
    waiting_.clear();
    ++session_;
  }
  heard_ = 0;
  assembly_.clear();
  // The other host programs must be able to learn why a failed program ended.
  if (share_ && share_->stage != session::ShareStage::Failed)
    share_.reset();
  handlers_.onEnd(why);
}

void ControlSocket::reset(const std::string &peer, std::uint64_t request) {
  if (!host_.empty()) {
    log_->warn("taken from {} by a reset", holder_);
    const Status why{Code::Disconnected, "the IPU was reset, by gc-reset"};
    send({{0, {}, session::Ending{why}}, {}});
    end(why);
  }
  handlers_.onReset();
  answer(peer, request, session::Ok{});
}

void ControlSocket::sayEnding(const Status &why) {
  send({{0, {}, session::Ending{why}}, {}});
  socket_.drain(host_, kLastWords);
}

void ControlSocket::inspect(const std::string &peer, std::uint64_t request) {
  session::State state = handlers_.onInspect();
  state.holder = holder();
  state.sessions = session_ + (host_.empty() ? 0 : 1);
  state.heard = heard_;
  state.share = share_;
  answer(peer, request, std::move(state));
}

void ControlSocket::announce(std::uint64_t request, session::Share share) {
  share_ = std::move(share);
  answer(host_, request, session::Ok{});
}

void ControlSocket::send(SessionMessage message) {
  const locks::Lock lock(mutex_);
  if (host_.empty())
    return;
  sendToHost(std::move(message));
}

void ControlSocket::sendToHost(SessionMessage message) {
  auto pieces = fabric::PeerSockets::isStream(host_) ? piecesOf(std::move(message))
                                                     : listOf(std::move(message));
  for (SessionMessage &piece : pieces)
    waiting_.push_back(framesFor(host_, std::move(piece)));
  sendWaiting();
}

void ControlSocket::answer(const std::string &peer, std::uint64_t request, session::Body body) {
  auto frames = framesFor(peer, {{request, {}, std::move(body)}, {}});
  if (socket_.send(frames) != fabric::Sent::Ok)
    drop("an answer that a peer does not take");
}

void ControlSocket::flush() {
  const locks::Lock lock(mutex_);
  sendWaiting();
}

void ControlSocket::sendWaiting() {
  while (!waiting_.empty()) {
    switch (socket_.send(waiting_.front())) {
    case fabric::Sent::Full:
      return;                       // called again when there is room
    case fabric::Sent::Unreachable: // its silence will be noticed; drop the message
      [[fallthrough]];
    case fabric::Sent::Ok:
      waiting_.pop_front();
    }
  }
}

void ControlSocket::beat() {
  if (host_.empty())
    return; // the timer had fired before the session ended
  if (++silentBeats_ > heartbeats_.perLease && watch_ == HostWatch::Heartbeats) {
    log_->warn("the host, {}, has been silent for {} ms; the session ends", holder_,
               (heartbeats_.interval * heartbeats_.perLease).count());
    return end({Code::Disconnected, "the host fell silent"});
  }
  if (const auto progress = handlers_.onBeat())
    send({{0, {}, *progress}, {}});
  else
    send({{0, {}, session::Heartbeat{}}, {}});
  beatSoon();
}

void ControlSocket::drop(const std::string &why) {
  // Every dropped message is counted, but few are logged, so that a flood does not fill the log.
  if (const std::uint64_t count = ++dropped_; std::has_single_bit(count))
    log_->warn("dropped {} messages so far, the last one: {}", count, why);
}

} // namespace copse::ipud
