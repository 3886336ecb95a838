// Fuzzes messages of several frames, as sockets and rings deliver them: of links over a network and
// in memory, and of sessions. The first byte selects one of these; each frame has two bytes of its
// length before it.
#include "fuzzing.hpp"
#include "link_message.hpp"

#include "ipud/session_message.hpp"
#include "wire/ring_header.hpp"

#include <algorithm>

namespace {

using namespace copse;

fabric::Frames framesOf(const std::uint8_t *data, std::size_t size) {
  fabric::Frames frames;
  while (size >= 2) {
    const std::size_t length = std::min<std::size_t>(data[0] | data[1] << 8, size - 2);
    frames.emplace_back(data + 2, length);
    data += 2 + length;
    size -= 2 + length;
  }
  if (frames.empty()) // a message has a frame, which may be empty
    frames.emplace_back();
  return frames;
}

void checkLink(const wire::Result<fabric::LinkMessage> &message) {
  if (!message)
    return;
  const auto &header = message->envelope;
  if (std::holds_alternative<wire::Packet>(header.body))
    fuzz::require(message->payload.size() == header.payloadBytes, "a packet has its payload");
  else
    fuzz::require(message->payload.size() == 0, "only packets have payloads");
}

void checkSession(const wire::Result<ipud::SessionMessage> &message) {
  if (!message)
    return;
  if (message->header.inPieces) {
    fuzz::require(message->payloads.empty(), "the raw frames of a message in pieces follow it");
    return;
  }
  fuzz::require(message->payloads.size() == message->header.frames.size(),
                "a message has the frames that it announces");
  for (std::size_t i = 0; i < message->payloads.size(); ++i)
    fuzz::require(message->payloads[i].size() == message->header.frames[i],
                  "they have their sizes");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size == 0)
    return 0;
  fabric::Frames frames = framesOf(data + 1, size - 1);
  switch (data[0] % 4) {
  case 0:
    checkLink(fabric::readMessage(std::move(frames)));
    break;
  case 1:
  case 2:
    (void)wire::ringHeaderIn(fabric::bytesOf(frames.front()));
    break;
  default:
    checkSession(ipud::unpack(std::move(frames), data[0] / 4 % 2));
  }
  return 0;
}
