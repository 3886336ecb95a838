// Fuzzes machine models, which an ipud gets as text from its host.
#include "clock/timing_model.hpp"
#include "fuzzing.hpp"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  const auto model = clock::parseMachineModel(std::string(fuzz::textOf(data, size)));
  if (!model)
    return 0;
  // An accepted model must be usable in calculations.
  const clock::TimingModel timing(*model, wire::Topology::Torus, 4);
  wire::ComputeSet set;
  set.tiles = {{0, 0, 2}};
  set.vertices = {{0, 0, 100}, {8, 0, 200}};
  static_cast<void>(timing.computeSet(set, {wire::CodeletFunction{}}));
  wire::Exchange exchange;
  exchange.flows = {{0, 1, 4096}};
  static_cast<void>(timing.externalExchange(exchange, 0, 0, 2, 2));
  static_cast<void>(timing.syncLatency({wire::IpuId{0}, wire::IpuId{3}}));
  static_cast<void>(timing.hostTransfer(wire::Direction{}, {4096, 8192, 8192}, true));
  static_cast<void>(timing.remoteCopy({4096, 4096, 4096}));
  return 0;
}
