#include "notice_board.hpp"

#include "fabric/dial.hpp"
#include "fabric/keys.hpp"
#include "ipud/session_message.hpp"

#include <algorithm>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using Clock = std::chrono::steady_clock;

// The limit of requests queued for a node that does not answer; more of them would gain nothing.
constexpr int kMostRequests = 4;

} // namespace

NoticeBoard::NoticeBoard(zmq::context_t &context, const std::vector<Node> &nodes,
                         const std::shared_ptr<const fabric::Keyring> &keys) {
  for (const Node &node : nodes) {
    zmq::socket_t &socket = sockets_.emplace_back(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::sndhwm, kMostRequests);
    if (keys && !keys->connect(socket, node.identity).ok())
      continue; // not a node that answers this host
    fabric::dial(socket, node.control);
  }
}

NoticeBoard::States NoticeBoard::read(const std::vector<std::uint32_t> &numbers,
                                      std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  ++round_;
  for (const std::uint32_t number : numbers)
    ask(number);
  States states;
  std::vector<std::uint32_t> waiting = numbers;
  while (!waiting.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    std::vector<zmq::pollitem_t> items;
    items.reserve(waiting.size());
    for (const std::uint32_t number : waiting)
      items.push_back({sockets_[number].handle(), 0, ZMQ_POLLIN, 0});
    if (left.count() <= 0 || zmq::poll(items, left) == 0)
      break;
    std::erase_if(waiting, [&](std::uint32_t number) { return receive(number, states); });
  }
  return states;
}

void NoticeBoard::ask(std::uint32_t number) {
  fabric::Frames frames;
  ipud::pack({{round_, {}, message::Inspect{}}, {}}, frames);
  (void)sockets_[number].send(frames.front(), zmq::send_flags::dontwait);
}

/// \returns true if the node has answered this round
bool NoticeBoard::receive(std::uint32_t number, States &states) {
  for (;;) {
    fabric::Frames frames;
    do {
      frames.emplace_back();
      if (!sockets_[number].recv(frames.back(), zmq::recv_flags::dontwait))
        return false;
    } while (frames.back().more());
    auto answer = ipud::unpack(std::move(frames), 0);
    if (!answer || answer->header.request != round_)
      continue;
    if (auto *state = std::get_if<message::State>(&answer->header.body))
      states.emplace(number, std::move(*state));
    return true;
  }
}

} // namespace copse::session
