#include "fabric/listen.hpp"

#include "local_socket.hpp"

#include "fabric/dial.hpp"
#include "fabric/endpoint.hpp"

#include <cerrno>
#include <optional>
#include <sys/types.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace copse::fabric {
namespace {

constexpr uid_t kRoot = 0; // may enter everywhere as it is, and looks after the daemons of others

/// The path of a Unix socket with a file; not of a name that the system picks, or keeps in memory.
std::optional<std::string> pathOf(const std::string &endpoint) {
  const auto parsed = Endpoint::parse(endpoint);
  if (!parsed || parsed->transport() != TransportKind::Ipc || parsed->place() == "*" ||
      parsed->place().front() == '@')
    return {};
  return parsed->place();
}

void admit(zmq::socket_t &socket, uid_t user) {
  if (zmq_setsockopt(socket.handle(), ZMQ_IPC_FILTER_UID, &user, sizeof user) != 0)
    throw zmq::error_t();
}

wire::Status cannotListen(const std::string &endpoint, const std::string &why) {
  return {wire::Code::InvalidOption, "cannot listen at '" + endpoint + "': " + why};
}

} // namespace

ListeningPlace::~ListeningPlace() {
  if (!path_.empty())
    ::unlink(path_.c_str());
}

ListeningPlace::ListeningPlace(ListeningPlace &&other) noexcept
    : endpoint_(std::exchange(other.endpoint_, {})), path_(std::exchange(other.path_, {})) {}

ListeningPlace &ListeningPlace::operator=(ListeningPlace &&other) noexcept {
  std::swap(endpoint_, other.endpoint_);
  std::swap(path_, other.path_);
  return *this;
}

wire::Result<ListeningPlace> listen(zmq::socket_t &socket, const std::string &endpoint) {
  try {
    const auto path = pathOf(endpoint);
    if (!path) {
      socket.set(zmq::sockopt::ipv6, isIpv6(endpoint));
      socket.bind(endpoint);
      return ListeningPlace(socket.get(zmq::sockopt::last_endpoint), "");
    }
    Descriptor listener = local::listenForStreams(*path);
    if (!listener)
      return cannotListen(endpoint, std::generic_category().message(errno));
    admit(socket, ::geteuid());
    admit(socket, kRoot);
    socket.set(zmq::sockopt::use_fd, listener.number());
    socket.bind(endpoint);
    (void)listener.release(); // ZeroMQ closes it; the file is left to the place
    return ListeningPlace(endpoint, *path);
  } catch (const zmq::error_t &error) {
    return cannotListen(endpoint, error.what());
  }
}

} // namespace copse::fabric
