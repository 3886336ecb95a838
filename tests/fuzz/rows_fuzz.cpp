// Fuzzes headers of messages between a host program and rbufd.
#include "fuzzing.hpp"

#include "wire/rows.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  const auto header = wire::rows::decode(fuzz::bytesOf(data, size));
  if (!header)
    return 0;
  const auto once = wire::rows::encode(*header);
  const auto again = wire::rows::decode(once);
  fuzz::require(again.ok(), "what was read can be written and read again");
  fuzz::require(wire::rows::encode(*again) == once, "it is the same then");
  return 0;
}
