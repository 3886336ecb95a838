#pragma once

#include "fabric/descriptor.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// Sockets between processes of one machine that keep the bounds of messages and carry file
/// descriptors. None of these calls blocks.
namespace copse::fabric::local {

/// Before bind(): only this user will be able to connect to the file. The kernel makes the file with
/// the mode of the socket, so there is no moment at which others can, whatever the umask.
bool closeToOthers(int socket);

/// \returns none if there cannot be one at \p path, and errno says why
Descriptor listen(const std::string &path);
/// As listen(), for a stream of bytes without bounds, and without a check of who connects.
Descriptor listenForStreams(const std::string &path);
/// Whether a process of this user, or of root, is at the other end. Root may do all that this user may,
/// and looks after daemons of others.
bool isOfThisUserOrRoot(const Descriptor &connection);
/// \returns none if nobody listens there, or its queue is full
Descriptor connect(const std::string &path);
/// The next connection of a process of this user; others are closed.
/// \returns none if there is no further one
Descriptor accept(int listener);

struct Message {
  std::vector<std::byte> bytes;
  std::vector<Descriptor> descriptors;
};
constexpr std::size_t kMostBytes = 64, kMostDescriptors = 4; ///< of a message

/// \returns whether it went
bool send(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors);

enum class Received { Message, Nothing, Ended };
Received receive(int socket, Message &message);

} // namespace copse::fabric::local
