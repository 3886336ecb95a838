#include "ring_handshake.hpp"

#include "ring_layout.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace copse::fabric::ring {
namespace {

using wire::Code;
using wire::Status;

/// The bytes of both messages. Any change of the layout of rings, of doorbells or of the headers in
/// rings needs another version.
struct Greeting {
  char magic[12] = "copse-rings";
  std::uint32_t version = 6;
  std::uint32_t rings = 0;
  std::uint32_t slotBytes = sizeof(Slot);
  std::uint64_t ringBytes = kBytes;
};
static_assert(std::has_unique_object_representations_v<Greeting> &&
              sizeof(Greeting) <= local::kMostBytes);

bool send(int socket, const Greeting &greeting, const std::vector<int> &descriptors) {
  return local::send(socket, std::as_bytes(std::span(&greeting, 1)), descriptors);
}

Status check(const local::Message &message, std::size_t rings) {
  Greeting expected;
  expected.rings = static_cast<std::uint32_t>(rings);
  if (message.bytes.size() != sizeof expected ||
      std::memcmp(message.bytes.data(), &expected, sizeof expected) != 0 ||
      message.descriptors.size() != rings + 2)
    return {Code::BadFrame, "the peer speaks another version of rings in shared memory; run the "
                            "same release of copse everywhere"};
  return Status::success();
}

wire::Result<std::shared_ptr<Doorbell>> doorbellOf(local::Message &message, std::size_t at) {
  auto doorbell =
      Doorbell::adopt(std::move(message.descriptors[at]), std::move(message.descriptors[at + 1]));
  if (!doorbell)
    return doorbell.status();
  return std::make_shared<Doorbell>(std::move(*doorbell));
}

} // namespace

wire::Result<SharedMemory> makeMemory() { return SharedMemory::create("copse-ring", kBytes); }

bool sendHello(int socket, const std::vector<const SharedMemory *> &rings, const Doorbell &own) {
  Greeting greeting;
  greeting.rings = static_cast<std::uint32_t>(rings.size());
  std::vector<int> descriptors;
  descriptors.reserve(rings.size() + 2);
  for (const SharedMemory *ring : rings)
    descriptors.push_back(ring->descriptor());
  descriptors.push_back(own.memory());
  descriptors.push_back(own.event());
  return send(socket, greeting, descriptors);
}

bool sendWelcome(int socket, const Doorbell &own) {
  return send(socket, {}, {own.memory(), own.event()});
}

wire::Result<Hello> readHello(local::Message message, std::size_t rings) {
  if (Status status = check(message, rings); !status.ok())
    return status;
  Hello hello;
  for (std::size_t i = 0; i < rings; ++i) {
    auto memory = SharedMemory::adopt(std::move(message.descriptors[i]), kBytes);
    if (!memory)
      return memory.status();
    hello.rings.push_back(std::move(*memory));
  }
  auto doorbell = doorbellOf(message, rings);
  if (!doorbell)
    return doorbell.status();
  hello.doorbell = std::move(*doorbell);
  return hello;
}

wire::Result<std::shared_ptr<Doorbell>> readWelcome(local::Message message) {
  if (Status status = check(message, 0); !status.ok())
    return status;
  return doorbellOf(message, 0);
}

} // namespace copse::fabric::ring
