#pragma once

#include "session/machine.hpp"
#include "wire/session.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace copse::session {

/// Reads what other host programs have announced at the ipuds that they hold.
///
/// Thread: one at a time.
class NoticeBoard {
public:
  /// \param keys  keys of this host; null: none are used
  /// \throws zmq::error_t  for a node with a malformed endpoint
  NoticeBoard(zmq::context_t &context, const std::vector<Node> &nodes,
              const std::shared_ptr<const fabric::Keyring> &keys);

  using States = std::map<std::uint32_t, wire::session::State>;
  /// Asks the nodes \p numbers, which are indices into the nodes.
  /// \returns the answers that arrive within \p timeout, by number
  States read(const std::vector<std::uint32_t> &numbers, std::chrono::milliseconds timeout);

private:
  void ask(std::uint32_t number);
  bool receive(std::uint32_t number, States &states);

  std::vector<zmq::socket_t> sockets_; ///< by node
  std::uint64_t round_ = 0; ///< number of the requests; answers to earlier rounds are ignored
};

} // namespace copse::session
