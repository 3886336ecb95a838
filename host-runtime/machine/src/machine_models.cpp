#include "machine/machine_models.hpp"

#include "config_texts.hpp"

#include "machine/pods.hpp"
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

// A CPU has no model of its own: it is modelled as one tile of this machine.
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

void checkSize(const clock::Pod &pod, std::uint32_t ipus) {
  if (ipus > pod.ipus)
    throw poplar::invalid_machine_model("pod '" + pod.name + "' has " + std::to_string(pod.ipus) +
                                        " IPUs, and the target " + std::to_string(ipus) +
                                        "; set COPSE_POD to a larger one");
}

void set(nlohmann::json &model, const char *key, double value) {
  model[key]["value"] = value;
  model[key]["source"] = "the target";
}

nlohmann::json chipModelOf(const types::TargetDescription &target) {
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
  return model;
}

} // namespace

std::string machineModelOf(const types::TargetDescription &target) {
  const char *const path = std::getenv("COPSE_MACHINE_MODEL");
  nlohmann::json model = path ? nlohmann::json::parse(readFile(path)) : chipModelOf(target);
  if (const auto text = podTextOfEnvironment()) {
    nlohmann::json pod = nlohmann::json::parse(*text);
    if (target.numIPUs > target.links.domainSize && target.links.domainSize > 0)
      set(pod, "ipusPerDomain", target.links.domainSize); // the option ipuLinkDomainSize
    const auto parsed = clock::parsePod(pod.dump());
    if (!parsed)
      throw poplar::invalid_machine_model("the target's IPU-Link domains of " +
                                          std::to_string(target.links.domainSize) +
                                          " IPUs: " + parsed.status().message);
    checkSize(*parsed, target.numIPUs);
    model["pod"] = std::move(pod);
  }
  return model.dump();
}

clock::TimingModel timingModelOf(const types::TargetDescription &target, std::uint32_t replicas) {
  auto machine = clock::parseMachineModel(machineModelOf(target));
  types::raiseIfFailed(machine.status());
  if (machine->pod)
    checkSize(*machine->pod, target.numIPUs * replicas);
  const auto topology = target.links.topology == poplar::IpuLinkTopology::Torus
                            ? wire::Topology::Torus
                            : wire::Topology::Mesh;
  return {std::move(*machine), topology, target.numIPUs * replicas};
}

} // namespace copse::machine
