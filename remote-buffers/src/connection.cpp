#include "connection.hpp"

#include "fabric/dial.hpp"
#include "fabric/frames.hpp"

#include <algorithm>
#include <utility>

namespace copse::remote_buffers {

namespace rows = wire::rows;
using wire::Code;
using wire::Status;

Connection::Connection(std::string endpoint, std::chrono::milliseconds timeout,
                       std::shared_ptr<const fabric::Keyring> keys)
    : endpoint_(std::move(endpoint)), timeout_(timeout), keys_(std::move(keys)) {}

wire::Result<Answer> Connection::ask(const rows::Body &body, std::span<const std::byte> payload) {
  const std::lock_guard lock(mutex_);
  if (Status status = connect(); !status.ok())
    return status;
  const auto deadline = Clock::now() + timeout_;
  std::optional<Answer> answer;
  if (send(body, payload))
    answer = receive(deadline);
  if (!answer) {
    socket_.reset(); // and with it what waits there: it must not be done much later
    return Status{Code::Timeout, "the rbufd at " + endpoint_ + " did not answer within " +
                                     std::to_string(timeout_.count()) + " ms; see whether it runs"};
  }
  if (const auto *fault = std::get_if<rows::Fault>(&answer->body)) {
    if (fault->status.ok())
      return Status{Code::BadFrame, "the rbufd at " + endpoint_ + " sent a fault without a reason"};
    return fault->status;
  }
  return std::move(*answer);
}

Status Connection::connect() {
  if (socket_)
    return Status::success();
  try {
    zmq::socket_t socket(context_, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::immediate, 1); // nothing waits for a daemon that is not there
    socket.set(zmq::sockopt::sndtimeo, static_cast<int>(timeout_.count()));
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

bool Connection::send(const rows::Body &body, std::span<const std::byte> payload) {
  const auto header = rows::encode({++request_, payload.size(), body});
  const auto flags = payload.empty() ? zmq::send_flags::none : zmq::send_flags::sndmore;
  if (!socket_->send(zmq::buffer(header.data(), header.size()), flags))
    return false;
  return payload.empty() ||
         socket_->send(zmq::buffer(payload.data(), payload.size()), zmq::send_flags::none);
}

std::optional<Answer> Connection::receive(Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    socket_->set(zmq::sockopt::rcvtimeo, static_cast<int>(std::max<long>(left.count(), 0)));
    fabric::Frames frames;
    do {
      frames.emplace_back();
      if (!socket_->recv(frames.back()))
        return {};
    } while (frames.back().more());
    auto header = rows::decode(fabric::bytesOf(frames.front()));
    const std::size_t payload = frames.size() > 1 ? frames[1].size() : 0;
    if (!header || header->request != request_ || frames.size() > 2 ||
        header->payloadBytes != payload)
      continue; // an answer that nobody waits for
    return Answer{std::move(header->body),
                  frames.size() > 1 ? std::move(frames[1]) : zmq::message_t()};
  }
}

} // namespace copse::remote_buffers
