// Fuzzes headers of messages between ipuds: links over a network, and sync points.
#include "fuzzing.hpp"

#include "wire/envelope.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  const auto envelope = wire::decodeEnvelope(fuzz::bytesOf(data, size));
  if (!envelope || std::holds_alternative<wire::Foreign>(envelope->body))
    return 0;
  const auto once = wire::encode(*envelope);
  const auto again = wire::decodeEnvelope(once);
  fuzz::require(again.ok(), "what was read can be written and read again");
  fuzz::require(wire::encode(*again) == once, "it is the same then");
  return 0;
}
