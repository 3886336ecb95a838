#pragma once

#include "wire/result.hpp"

#include <zmq.hpp>

#include <string>

namespace copse::fabric {

/// Where a ZeroMQ socket listens. A Unix socket can be reached by its user (and by root) only,
/// whatever the umask and the directory: its file has mode 0600 from the moment at which it exists,
/// and the user of each peer is checked. ZeroMQ does neither by itself.
///
/// Life: from listen() until the socket has been closed; then the file goes.
class ListeningPlace {
public:
  ListeningPlace() = default;
  ListeningPlace(std::string endpoint, std::string path)
      : endpoint_(std::move(endpoint)), path_(std::move(path)) {}
  ~ListeningPlace();
  ListeningPlace(ListeningPlace &&other) noexcept;
  ListeningPlace &operator=(ListeningPlace &&other) noexcept;

  /// As others connect to it, with the port that the system has picked.
  const std::string &endpoint() const { return endpoint_; }

private:
  std::string endpoint_, path_; ///< the path is empty if there is no file
};

/// Lets \p socket listen at \p endpoint, once.
/// \returns InvalidOption with what the system says, if it cannot
wire::Result<ListeningPlace> listen(zmq::socket_t &socket, const std::string &endpoint);

} // namespace copse::fabric
