#pragma once

#include "doorbell.hpp"
#include "local_socket.hpp"

#include "fabric/shared_memory.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <memory>
#include <vector>

/// The first message of each side of a connection with rings (PROTOCOL.md, section 2). The side
/// that connects creates all rings; each side passes its doorbell.
namespace copse::fabric::ring {

/// Size of every ring, control part and blocks [bytes].
inline constexpr std::size_t kBytes = std::size_t{32} << 20;

wire::Result<SharedMemory> makeMemory();

/// \returns true if the message was sent
bool sendHello(int socket, const std::vector<const SharedMemory *> &rings, const Doorbell &own);
bool sendWelcome(int socket, const Doorbell &own);

struct Hello {
  std::vector<SharedMemory> rings;
  std::shared_ptr<Doorbell> doorbell;
};
/// \param rings  how many rings the hello must have
/// \returns BadFrame for any other message
wire::Result<Hello> readHello(local::Message message, std::size_t rings);
wire::Result<std::shared_ptr<Doorbell>> readWelcome(local::Message message);

} // namespace copse::fabric::ring
