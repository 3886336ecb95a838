#include "control_socket.hpp"

#include <bit>
#include <utility>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using wire::Code;
using wire::Status;

// Silence is measured in beats, not in time: when this whole machine was suspended, both sides
// missed the same ones.
constexpr int kBeatsPerTimeout = 4;

fabric::Frames framesFor(const std::string &peer, SessionMessage message) {
  fabric::Frames frames;
  frames.emplace_back(peer.data(), peer.size());
  pack(std::move(message), frames);
  return frames;
}

} // namespace

ControlSocket::ControlSocket(fabric::Reactor &reactor, zmq::context_t &context,
                             std::shared_ptr<spdlog::logger> log)
    : reactor_(reactor), socket_(reactor, context, zmq::socket_type::router), timer_(reactor.io()),
      log_(std::move(log)) {
  socket_.socket().set(zmq::sockopt::router_mandatory, 1);
}

wire::Result<std::string> ControlSocket::bind(const std::string &endpoint) {
  return socket_.bind(endpoint);
}

void ControlSocket::open(session::Welcome welcome, Handlers handlers, HostWatch watch) {
  watch_ = watch;
  welcome_ = std::move(welcome);
  handlers_ = std::move(handlers);
  socket_.watch([this](fabric::Frames frames) { receive(std::move(frames)); }, [this] { flush(); });
}

void ControlSocket::post(session::Header header, std::vector<fabric::Payload> payloads) {
  // A shared pointer, for Asio's handlers must be copyable to be posted as functions, and payloads
  // are not.
  auto message =
      std::make_shared<SessionMessage>(SessionMessage{std::move(header), std::move(payloads)});
  reactor_.post([this, message, session = answering_] {
    if (session == session_)
      send(std::move(*message));
  });
}

void ControlSocket::receive(fabric::Frames frames) {
  const std::string peer = frames.front().to_string();
  auto message = unpack(std::move(frames), 1);
  if (!message)
    return drop(message.status().message);
  if (std::holds_alternative<session::Hello>(message->header.body))
    return greet(peer, message->header);
  if (peer != host_)
    return drop("a message from a peer that does not hold this ipud");
  silentBeats_ = 0;
  if (!std::holds_alternative<session::Heartbeat>(message->header.body))
    handlers_.onMessage(std::move(*message));
}

void ControlSocket::greet(const std::string &peer, const session::Header &header) {
  if (!host_.empty() && host_ != peer)
    return answer(
        peer, header.request,
        session::Fault{{Code::Disconnected, "another host holds this ipud; detach there first"}});
  const auto &hello = std::get<session::Hello>(header.body);
  const bool fresh = host_.empty();
  host_ = peer;
  silentBeats_ = 0;
  beatInterval_ = std::chrono::milliseconds(std::max(hello.heartbeatMs, 40U)) / kBeatsPerTimeout;
  answer(peer, header.request, welcome_);
  if (fresh) {
    timer_.expires_after(beatInterval_);
    timer_.async_wait([this](const asio::error_code &error) {
      if (!error)
        beat();
    });
  }
}

void ControlSocket::send(SessionMessage message) {
  if (host_.empty())
    return;
  waiting_.push_back(framesFor(host_, std::move(message)));
  flush();
}

void ControlSocket::answer(const std::string &peer, std::uint64_t request, session::Body body) {
  auto frames = framesFor(peer, {{request, {}, std::move(body)}, {}});
  if (socket_.send(frames) != fabric::Sent::Ok)
    drop("an answer that a peer does not take");
}

void ControlSocket::flush() {
  while (!waiting_.empty()) {
    switch (socket_.send(waiting_.front())) {
    case fabric::Sent::Full:
      return;                       // called again when there is room
    case fabric::Sent::Unreachable: // its silence will be noticed; nothing else can be done with
                                    // the message
      [[fallthrough]];
    case fabric::Sent::Ok:
      waiting_.pop_front();
    }
  }
}

void ControlSocket::beat() {
  if (++silentBeats_ > kBeatsPerTimeout && watch_ == HostWatch::Heartbeats) {
    log_->warn("the host has been silent for {} ms; the session ends",
               (beatInterval_ * kBeatsPerTimeout).count());
    host_.clear();
    waiting_.clear();
    ++session_;
    handlers_.onLost({Code::Disconnected, "the host fell silent"});
    return;
  }
  send({{0, {}, session::Heartbeat{}}, {}});
  timer_.expires_after(beatInterval_);
  timer_.async_wait([this](const asio::error_code &error) {
    if (!error)
      beat();
  });
}

void ControlSocket::drop(const std::string &why) {
  // Every one counts; a flood of them does not flood the log.
  if (std::has_single_bit(++dropped_))
    log_->warn("dropped {} messages so far, the last one: {}", dropped_, why);
}

} // namespace copse::ipud
