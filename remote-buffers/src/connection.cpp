#include "connection.hpp"

#include "fabric/dial.hpp"
#include "fabric/endpoint.hpp"
#include "fabric/frames.hpp"

#include <algorithm>
#include <utility>

namespace copse::remote_buffers {

namespace rows = wire::rows;
using wire::Code;
using wire::Status;

namespace {
// The delay after which a cancelled request notices that it was cancelled.
constexpr std::chrono::milliseconds kSlice{100};
} // namespace

Connection::Connection(std::string endpoint, std::shared_ptr<const fabric::Keyring> keys,
                       std::function<bool()> cancelled)
    : endpoint_(std::move(endpoint)), keys_(std::move(keys)), cancelled_(std::move(cancelled)) {}

wire::Result<Answer> Connection::ask(const rows::Body &body, std::span<const std::byte> payload,
                                     std::chrono::milliseconds timeout) {
  const locks::Lock lock(mutex_);
  const auto deadline = Clock::now() + timeout;
  std::optional<Answer> answer;
  for (bool again = true; again && !answer;) {
    if (Status status = connect(); !status.ok())
      return status;
    if (send(body, payload, deadline))
      answer = receive(deadline);
    // Retry, in case the rbufd was restarted.
    again = !answer && rings_ && rings_->ended();
    // Disconnecting also drops queued requests, which must not be executed much later.
    if (!answer)
      disconnect();
  }
  answered_ = answered_ || answer;
  if (!answer) {
    if (cancelled_())
      return Status{Code::Cancelled, "the request to the rbufd at " + endpoint_ + " was cancelled"};
    return Status{Code::Timeout, "the rbufd at " + endpoint_ + " did not answer within " +
                                     std::to_string(timeout.count()) + " ms; see whether it runs" +
                                     fabric::hintAtKeys(keys_.get(), fabric::kRbufdName)};
  }
  if (const auto *fault = std::get_if<rows::Fault>(&answer->body)) {
    if (fault->status.ok())
      return Status{Code::BadFrame, "the rbufd at " + endpoint_ + " sent a fault without a reason"};
    return fault->status;
  }
  return std::move(*answer);
}

void Connection::disconnect() {
  refused_ = refused_ || (rings_ && rings_->ended() && !answered_);
  rings_.reset();
  socket_.reset();
}

/// Connects through shared memory if the rbufd is on this machine and no keys are used.
bool Connection::dialRings() {
  const auto place = fabric::Endpoint::parse(endpoint_);
  const auto path = place && !keys_ && !refused_ ? fabric::ringPathOf(*place) : std::nullopt;
  if (!path)
    return false;
  rings_ = RingAsker::dial(*path);
  answered_ = false;
  return rings_ != nullptr;
}

Status Connection::connect() {
  if (rings_ && rings_->ended())
    disconnect();
  if (socket_ || rings_ || dialRings())
    return Status::success();
  try {
    zmq::socket_t socket(context_, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    // Queue nothing for a daemon that is not running.
    socket.set(zmq::sockopt::immediate, 1);
    if (keys_)
      if (Status status = keys_->connect(socket, fabric::kRbufdName); !status.ok())
        return status;
    fabric::dial(socket, endpoint_);
    socket_ = std::move(socket);
  } catch (const zmq::error_t &error) {
    return {Code::InvalidOption, "cannot connect to an rbufd at '" + endpoint_ +
                                     "': " + error.what() +
                                     "; give an endpoint of ZeroMQ such as "
                                     "ipc:///run/rbufd or tcp://127.0.0.1:7471"};
  }
  return Status::success();
}

int Connection::nextWait(Clock::time_point deadline) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return cancelled_() ? 0 : static_cast<int>(std::clamp<long>(left.count(), 0, kSlice.count()));
}

bool Connection::send(const rows::Body &body, std::span<const std::byte> payload,
                      Clock::time_point deadline) {
  const auto header = rows::encode({++request_, payload.size(), body});
  if (rings_)
    return sendOverRings(header, payload, deadline);
  const auto flags = payload.empty() ? zmq::send_flags::none : zmq::send_flags::sndmore;
  for (;;) {
    const int wait = nextWait(deadline);
    socket_->set(zmq::sockopt::sndtimeo, wait);
    if (socket_->send(zmq::buffer(header.data(), header.size()), flags))
      break;
    if (wait == 0)
      return false;
  }
  return payload.empty() ||
         socket_->send(zmq::buffer(payload.data(), payload.size()), zmq::send_flags::none);
}

bool Connection::sendOverRings(const std::vector<std::byte> &header,
                               std::span<const std::byte> payload, Clock::time_point deadline) {
  fabric::Frames frames;
  frames.emplace_back(header.data(), header.size());
  if (!payload.empty()) {
    fabric::Payload copy = rings_->payload(payload.size());
    std::copy(payload.begin(), payload.end(), copy.data());
    frames.push_back(std::move(copy).toFrame());
  }
  for (;;) {
    const int wait = nextWait(deadline);
    if (rings_->send(frames, Clock::now() + std::chrono::milliseconds(wait)))
      return true;
    if (wait == 0 || rings_->ended())
      return false;
  }
}

/// \returns the next message, if one comes within \p wait [ms]
std::optional<fabric::Frames> Connection::nextMessage(int wait) {
  if (rings_)
    return rings_->receive(Clock::now() + std::chrono::milliseconds(wait));
  socket_->set(zmq::sockopt::rcvtimeo, wait);
  fabric::Frames frames;
  frames.emplace_back();
  if (!socket_->recv(frames.back()))
    return {};
  // All frames of a message arrive together.
  while (frames.back().more()) {
    frames.emplace_back();
    (void)socket_->recv(frames.back());
  }
  return frames;
}

std::optional<Answer> Connection::receive(Clock::time_point deadline) {
  for (;;) {
    const int wait = nextWait(deadline);
    auto frames = nextMessage(wait);
    if (!frames) {
      if (wait == 0 || (rings_ && rings_->ended()))
        return {};
      continue;
    }
    auto header = rows::decode(fabric::bytesOf(frames->front()));
    const std::size_t payload = frames->size() > 1 ? (*frames)[1].size() : 0;
    if (!header || header->request != request_ || frames->size() > 2 ||
        header->payloadBytes != payload)
      continue; // an answer to an abandoned request
    return Answer{std::move(header->body),
                  frames->size() > 1 ? std::move((*frames)[1]) : zmq::message_t()};
  }
}

} // namespace copse::remote_buffers
