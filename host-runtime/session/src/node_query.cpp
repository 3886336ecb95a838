#include "session/node_query.hpp"

#include "fabric/dial.hpp"
#include "fabric/keys.hpp"
#include "ipud/session_message.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kRequest = 1; // the only request of its connection

void send(zmq::socket_t &socket, message::Body body) {
  fabric::Frames frames;
  ipud::pack({{kRequest, {}, std::move(body)}, {}}, frames);
  socket.send(frames.front(), zmq::send_flags::dontwait);
}

/// Returns the answer's body; nothing if none has arrived by \p deadline.
std::optional<message::Body> receive(zmq::socket_t &socket, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    socket.set(zmq::sockopt::rcvtimeo, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    fabric::Frames frames;
    do {
      frames.emplace_back();
      if (!socket.recv(frames.back()))
        return {};
    } while (frames.back().more());
    auto answer = ipud::unpack(std::move(frames), 0);
    if (answer && answer->header.request == kRequest)
      return std::move(answer->header.body);
  }
}

wire::Result<message::Body> ask(zmq::context_t &context, const NodeAddress &node,
                                message::Body request, std::chrono::milliseconds timeout) {
  try {
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    if (node.keys != nullptr)
      if (Status status = node.keys->connect(socket, node.name); !status.ok())
        return status;
    fabric::dial(socket, node.control);
    send(socket, std::move(request));
    auto answer = receive(socket, Clock::now() + timeout);
    if (!answer)
      return Status{Code::Timeout, "the ipud at " + node.control + " does not answer within " +
                                       std::to_string(timeout.count()) + " ms" +
                                       fabric::hintAtKeys(node.keys, node.name)};
    return std::move(*answer);
  } catch (const zmq::error_t &error) {
    return Status{Code::InvalidOption, "cannot ask '" + node.control + "': " + error.what()};
  }
}

Status unexpected(const std::string &endpoint) {
  return {Code::BadFrame, "what is at " + endpoint + " is no ipud of this version"};
}

/// Sends a request that is answered by Ok.
Status request(zmq::context_t &context, const NodeAddress &node, message::Body body,
               std::chrono::milliseconds timeout) {
  const auto answer = ask(context, node, std::move(body), timeout);
  if (!answer)
    return answer.status();
  if (const auto *fault = std::get_if<message::Fault>(&*answer))
    return fault->status;
  return std::holds_alternative<message::Ok>(*answer) ? Status::success()
                                                      : unexpected(node.control);
}

} // namespace

NodeAddress nodeAt(const cluster::Cluster &cluster, std::size_t ipu, const fabric::Keyring *keys) {
  return {cluster.ipus[ipu].control.address, keys, fabric::nameOfIpu(ipu)};
}

wire::Result<message::State> inspectNode(zmq::context_t &context, const NodeAddress &node,
                                         std::chrono::milliseconds timeout) {
  auto answer = ask(context, node, message::Inspect{}, timeout);
  if (!answer)
    return answer.status();
  if (auto *state = std::get_if<message::State>(&*answer))
    return std::move(*state);
  return unexpected(node.control);
}

Status injectError(zmq::context_t &context, const NodeAddress &node, wire::TileAddress where,
                   std::chrono::milliseconds timeout) {
  return request(context, node, message::InjectError{where.tile, where.address}, timeout);
}

Status resetNode(zmq::context_t &context, const NodeAddress &node,
                 std::chrono::milliseconds timeout) {
  return request(context, node, message::Reset{}, timeout);
}

} // namespace copse::session
