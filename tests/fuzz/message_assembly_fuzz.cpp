// Fuzzes messages of a session that travel in pieces. The input is a list of messages: a byte that
// selects the kind, a byte of its size, and the bytes of a piece.
#include "fuzzing.hpp"

#include "ipud/session_message.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace copse;
namespace session = wire::session;

/// The receiver's state of an incomplete message.
struct Model {
  /// Sizes of its raw frames; empty: there is no incomplete message.
  std::vector<std::uint64_t> sizes;
  std::vector<std::byte> arrived;
};

ipud::SessionMessage messageOf(std::uint8_t kind, std::uint8_t size,
                               std::span<const std::byte> piece) {
  switch (kind % 4) {
  case 0: // pieces of one raw frame, or of two of which any may be empty
    return {{1, {size}, session::Load{}, true}, {}};
  case 1:
    return {{1, {size, static_cast<std::uint64_t>(kind / 4)}, session::Load{}, true}, {}};
  case 2: {
    fabric::Payload payload(piece.size());
    std::copy(piece.begin(), piece.end(), payload.data());
    return {{0, {}, session::Piece{}}, fabric::listOf(std::move(payload))};
  }
  default:
    return {{0, {}, session::Heartbeat{}}, {}};
  }
}

void checkWhole(const ipud::SessionMessage &message, Model &model) {
  fuzz::require(message.payloads.size() == model.sizes.size(), "all raw frames are there");
  std::vector<std::byte> all;
  for (std::size_t i = 0; i < model.sizes.size(); ++i) {
    fuzz::require(message.payloads[i].size() == model.sizes[i], "they have their sizes");
    const auto bytes = message.payloads[i].bytes();
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  fuzz::require(all == model.arrived, "they have the bytes of the pieces");
  model = {};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  ipud::MessageAssembly assembly;
  Model model;
  while (size >= 2) {
    const std::uint8_t kind = data[0];
    const std::size_t bytes = kind % 4 == 2 ? std::min<std::size_t>(data[1], size - 2) : 0;
    const auto piece = fuzz::bytesOf(data + 2, bytes);
    fabric::Frames frames;
    ipud::pack(messageOf(kind, data[1], piece), frames);
    data += 2 + bytes;
    size -= 2 + bytes;
    auto message = ipud::unpack(std::move(frames), 0);
    if (!message)
      continue;
    if (message->header.inPieces)
      model = {message->header.frames, {}};
    else if (kind % 4 == 2)
      model.arrived.insert(model.arrived.end(), piece.begin(), piece.end());
    const auto whole = assembly.put(std::move(*message));
    if (!whole)
      model = {};
    else if (whole->has_value() && kind % 4 == 2)
      checkWhole(**whole, model);
    else
      fuzz::require(whole->has_value() == (kind % 4 == 3), "a message waits for its last piece");
  }
  return 0;
}
