// Fuzzes the first message on a connection with rings: a number of descriptors, the kind of each,
// and the bytes.
#include "fuzzing.hpp"
#include "ring_handshake.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace {

using namespace copse;
using namespace copse::fabric;

/// Returns a descriptor that a peer may pass, of kind \p kind.
Descriptor descriptorOf(std::uint8_t kind) {
  static const auto memory = ring::makeMemory();
  static const auto doorbell = Doorbell::create();
  const auto copyOf = [](int number) { return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, 0)); };
  switch (kind % 7) {
  case 0:
    return copyOf(memory->descriptor());
  case 1:
    return copyOf(doorbell->memory());
  case 2:
    return copyOf(doorbell->event());
  case 3:
    return Descriptor(::eventfd(0, EFD_CLOEXEC)); // a write to it may wait
  case 4:
    return Descriptor(::open("/dev/zero", O_RDWR | O_CLOEXEC));
  case 5:
    return Descriptor(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  default:
    return Descriptor();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size < 2)
    return 0;
  const std::size_t rings = data[0] % 3;
  const std::size_t count =
      std::min<std::size_t>(data[1] % (local::kMostDescriptors + 1), size - 2);
  local::Message message;
  for (std::size_t i = 0; i < count; ++i)
    message.descriptors.push_back(descriptorOf(data[2 + i]));
  const auto bytes = fuzz::bytesOf(data + 2 + count, size - 2 - count);
  message.bytes.assign(bytes.begin(), bytes.end());
  if (data[0] < 128) {
    const auto hello = ring::readHello(std::move(message), rings);
    fuzz::require(!hello || (hello->rings.size() == rings && hello->doorbell != nullptr),
                  "a hello has its rings and a doorbell");
    if (hello)
      hello->doorbell->wake(true);
  } else if (const auto doorbell = ring::readWelcome(std::move(message))) {
    (*doorbell)->wake(true);
  }
  return 0;
}
