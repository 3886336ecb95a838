#include "machine/machine_models.hpp"

#include "config_texts.hpp"

#include "machine/pods.hpp"
#include "poplar/exceptions.hpp"
#include "types/raise.hpp"
#include "wire/environment.hpp"
#include "wire/readable_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace copse::machine {

namespace {

// A CPU has no model of its own: it is modelled as one tile of this machine.
constexpr const char *kModelOfCpu = "gc200";

std::string readFile(const std::string &path) {
  if (const std::string why = wire::whyUnreadable(path); !why.empty())
    throw poplar::file_load_error(path + " (COPSE_MACHINE_MODEL): cannot be read: " + why +
                                  "; name the file of a machine model");
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (const auto model = clock::parseMachineModel(text); !model)
    throw poplar::invalid_machine_model(path + " (COPSE_MACHINE_MODEL): " + model.status().message);
  return text;
}

void set(nlohmann::json &model, const char *key, double value) {
  model[key]["value"] = value;
  model[key]["source"] = "the target";
}

/// Returns the part of a target's sync between IPUs that does not depend on their distance. The
/// target's figure includes the wire between two IPUs, both ways, which the model adds by hops.
double fixedSyncCycles(const nlohmann::json &model, const types::TileFigures &tile) {
  const double hop = model.at("syncHopSeconds").at("value");
  const double wire = std::ceil(2 * hop * tile.clockFrequency);
  return std::max(0.0, tile.globalSyncCycles - wire);
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
    set(model, "globalSyncCycles", fixedSyncCycles(model, target.tile));
  }
  if (!target.syncDelays)
    for (const char *key : {"internalSyncCycles", "globalSyncCycles", "syncHopSeconds"})
      set(model, key, 0);
  return model;
}

} // namespace

std::string machineModelOf(const types::TargetDescription &target, std::uint32_t replicas) {
  const std::string path = wire::environmentVariable("COPSE_MACHINE_MODEL");
  nlohmann::json model = path.empty() ? chipModelOf(target) : nlohmann::json::parse(readFile(path));
  if (const auto pod = podTextOf(target, target.numIPUs * replicas))
    model["pod"] = nlohmann::json::parse(*pod);
  return model.dump();
}

clock::TimingModel timingModelOf(const types::TargetDescription &target, std::uint32_t replicas) {
  auto machine = clock::parseMachineModel(machineModelOf(target, replicas));
  types::raiseIfFailed(machine.status());
  const auto topology = target.links.topology == poplar::IpuLinkTopology::Torus
                            ? wire::Topology::Torus
                            : wire::Topology::Mesh;
  return {std::move(*machine), topology, target.numIPUs * replicas};
}

} // namespace copse::machine
