// Fuzzes texts of endpoints, and of addresses of metrics.
#include "fuzzing.hpp"

#include "fabric/endpoint.hpp"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  using fabric::Endpoint;
  const std::string text(fuzz::textOf(data, size));
  if (const auto endpoint = Endpoint::parse(text)) {
    const auto again = Endpoint::parse(endpoint->text());
    fuzz::require(again && *again == *endpoint, "what was read can be written and read again");
    (void)fabric::interfaceOf(endpoint->place());
  }
  if (const auto reachable = Endpoint::parseReachable(text)) {
    fuzz::require(Endpoint::parse(text).ok(), "who can be reached has an endpoint");
    fuzz::require(!fabric::isLoopback(reachable->place()) ||
                      fabric::isAddress(reachable->place()) || reachable->place() == "localhost",
                  "only an address, or localhost, is known to be of this machine");
  }
  if (const auto split = fabric::splitHostPort(text))
    fuzz::require(split->second != 0 && !split->first.empty(), "a host has a name and a port");
  return 0;
}
