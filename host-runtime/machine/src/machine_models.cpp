#include "machine/machine_models.hpp"

#include "config_texts.hpp"

#include "poplar/exceptions.hpp"
#include "types/raise.hpp"
#include "wire/readable_file.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace copse::machine {

namespace {

// A CPU has no model of its own: its modelled time is that of one tile of this machine.
constexpr const char *kModelOfCpu = "gc200";

std::string readFile(const char *path) {
  if (const std::string why = wire::whyUnreadable(path); !why.empty())
    throw poplar::file_load_error(std::string(path) + " (COPSE_MACHINE_MODEL): cannot be read: " +
                                  why + "; name the file of a machine model");
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (const auto model = clock::parseMachineModel(text); !model)
    throw poplar::invalid_machine_model(std::string(path) +
                                        " (COPSE_MACHINE_MODEL): " + model.status().message);
  return text;
}

void set(nlohmann::json &model, const char *key, double value) {
  model[key]["value"] = value;
  model[key]["source"] = "the target";
}

} // namespace

std::string machineModelOf(const types::TargetDescription &target) {
  if (const char *const path = std::getenv("COPSE_MACHINE_MODEL"))
    return readFile(path);
  const std::string name = target.machineModel.empty() ? kModelOfCpu : target.machineModel;
  const auto found = configTexts().find(name);
  if (found == configTexts().end())
    throw poplar::invalid_machine_model("there is no machine model '" + name + "'");
  nlohmann::json model = nlohmann::json::parse(found->second);
  if (target.targetType != poplar::TargetType::CPU) {
    set(model, "tileClockHz", target.tile.clockFrequency);
    set(model, "workers", target.tile.workers);
    set(model, "exchangeBytesPerCycle", target.tile.exchangeBytesPerCycle);
    set(model, "memcpyBytesPerCycle", target.tile.memcpyBytesPerCycle);
    set(model, "globalSyncCycles", target.tile.globalSyncCycles);
  }
  if (!target.syncDelays)
    for (const char *key : {"internalSyncCycles", "globalSyncCycles", "syncHopSeconds"})
      set(model, key, 0);
  return model.dump();
}

clock::TimingModel timingModelOf(const types::TargetDescription &target, std::uint32_t replicas) {
  auto machine = clock::parseMachineModel(machineModelOf(target));
  types::raiseIfFailed(machine.status());
  const auto topology = target.links.topology == poplar::IpuLinkTopology::Torus
                            ? wire::Topology::Torus
                            : wire::Topology::Mesh;
  return {std::move(*machine), topology, target.numIPUs * replicas};
}

} // namespace copse::machine
