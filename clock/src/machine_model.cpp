#include "clock/timing_model.hpp"
#include "constants.hpp"
#include "read_pod.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace copse::clock {
namespace {

using nlohmann::json;

/// Takes the host path from a pod, because it is a property of the system and not of the chip.
void takePod(MachineModel &model, Pod pod) {
  model.hostToIpuBytesPerSecond = pod.hostToIpuBytesPerSecond;
  model.ipuToHostBytesPerSecond = pod.ipuToHostBytesPerSecond;
  model.hostSharedBytesPerSecond = pod.hostBytesPerSecond;
  model.remoteBytesPerSecond = pod.remoteBytesPerSecond;
  model.pod = std::move(pod);
}

MachineModel read(const json &file, const std::string &text) {
  Constants from(file, text, "constant of the modelled clock");
  MachineModel model;
  model.name = from.text("name");
  from.read("tileClockHz", model.tileClockHz);
  from.readAtLeastOne("workers", model.workers);
  from.read("computeSetCycles", model.computeSetCycles);
  from.read("vertexCycles", model.vertexCycles);
  from.read("internalSyncCycles", model.internalSyncCycles);
  from.read("exchangeLatencyCycles", model.exchangeLatencyCycles);
  from.readAtLeastOne("exchangeBytesPerCycle", model.exchangeBytesPerCycle);
  from.readAtLeastOne("memcpyBytesPerCycle", model.memcpyBytesPerCycle);
  from.read("rungBytesPerSecond", model.rungBytesPerSecond);
  from.read("crossingBytesPerSecond", model.crossingBytesPerSecond);
  from.read("ladderBytesPerSecond", model.ladderBytesPerSecond);
  from.read("hopLatencyCycles", model.hopLatencyCycles);
  from.read("globalSyncCycles", model.globalSyncCycles);
  from.readZeroOrMore("syncHopSeconds", model.syncHopSeconds);
  from.read("hostToIpuBytesPerSecond", model.hostToIpuBytesPerSecond);
  from.read("ipuToHostBytesPerSecond", model.ipuToHostBytesPerSecond);
  from.read("hostSharedBytesPerSecond", model.hostSharedBytesPerSecond);
  from.read("hostSyncSeconds", model.hostSyncSeconds);
  from.read("hostCallbackSeconds", model.hostCallbackSeconds);
  if (from.has("hostRunSeconds")) // older files lack it
    from.readZeroOrMore("hostRunSeconds", model.hostRunSeconds);
  from.read("remoteBytesPerSecond", model.remoteBytesPerSecond);
  from.read("remoteLatencySeconds", model.remoteLatencySeconds);
  if (from.has("pod"))
    takePod(model, readPod(from.part("pod"), {}));
  from.refuseTheRest();
  return model;
}

} // namespace

wire::Result<MachineModel> parseMachineModel(const std::string &text) {
  try {
    return read(json::parse(text), text);
  } catch (const json::exception &error) {
    return wire::Status{wire::Code::InvalidOption,
                        std::string("machine model: the text is no JSON: ") + error.what()};
  } catch (const std::invalid_argument &error) {
    return wire::Status{wire::Code::InvalidOption, std::string("machine model: ") + error.what()};
  }
}

} // namespace copse::clock
