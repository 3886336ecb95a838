// Fuzzes headers of messages between a host program and an ipud.
#include "fuzzing.hpp"

#include "wire/session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  const auto header = wire::session::decode(fuzz::bytesOf(data, size));
  if (!header)
    return 0;
  const auto once = wire::session::encode(*header);
  const auto again = wire::session::decode(once);
  fuzz::require(again.ok(), "what was read can be written and read again");
  fuzz::require(wire::session::encode(*again) == once, "it is the same then");
  return 0;
}
