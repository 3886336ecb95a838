#pragma once

#include "fabric/descriptor.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// Sockets between processes of one machine that keep the boundaries of messages and carry file
/// descriptors. None of these functions blocks.
namespace copse::fabric::local {

/// Lets only this user connect to the file that bind() will create. The kernel creates the file
/// with the mode of the socket, so other users have no access at any moment, whatever the umask.
bool closeToOthers(int socket);

/// \returns an invalid descriptor if no socket can listen at \p path; errno says why
Descriptor listen(const std::string &path);
/// Listens as listen() does, for a stream of bytes without boundaries, and without a check of the
/// peer's user.
Descriptor listenForStreams(const std::string &path);
/// Returns true if the peer is a process of this user or of root. Root has all rights of this user
/// anyway, and manages the daemons of other users.
bool isOfThisUserOrRoot(const Descriptor &connection);
/// \returns an invalid descriptor if no process listens there, or its queue is full
Descriptor connect(const std::string &path);
/// Accepts the next connection from a process of this user, and closes connections from other
/// users.
/// \returns an invalid descriptor if there is no further connection
Descriptor accept(int listener);

struct Message {
  std::vector<std::byte> bytes;
  std::vector<Descriptor> descriptors;
};
constexpr std::size_t kMostBytes = 64, kMostDescriptors = 4; ///< size of a message

/// \returns true if the message was sent
bool send(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors);

enum class Received { Message, Nothing, Ended };
Received receive(int socket, Message &message);

} // namespace copse::fabric::local
