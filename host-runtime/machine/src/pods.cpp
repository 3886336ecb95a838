#include "machine/pods.hpp"

#include "config_texts.hpp"

#include "poplar/exceptions.hpp"
#include "types/nearest_name.hpp"
#include "wire/environment.hpp"
#include "wire/readable_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

namespace copse::machine {
namespace {

const std::string *builtInPod(const std::string &name) {
  const auto found = podTexts().find(name);
  return found == podTexts().end() ? nullptr : &found->second;
}

bool isPath(const std::string &name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

constexpr std::string_view kNoPod = "none";

/// The systems that a user of some number of IPUs would have, ascending. Systems of 1,024 IPUs and
/// more were never sold.
struct System {
  std::uint32_t ipus;
  const char *gc200, *bow;
};
constexpr std::array kSystems{
    System{4, "pod4", "bow-pod4"},          System{16, "pod16", "bow-pod16"},
    System{64, "pod64", "bow-pod64"},       System{128, "pod128", "bow-pod128"},
    System{256, "pod256", "bow-pod256"},    System{1024, "pod1024", "bow-pod1024"},
    System{4096, "pod4096", "bow-pod4096"},
};
constexpr std::uint32_t kLargestWithoutGateways = 64, kIpusOfC2x8 = 16;

/// Returns the name of the system that a user of \p ipus IPUs of \p target would have; empty if
/// there is none.
std::string defaultPodOf(const types::TargetDescription &target, std::uint32_t ipus) {
  if (target.machineModel == "gc2")
    return ipus <= kIpusOfC2x8 ? "c2x8" : "";
  if (target.machineModel.empty()) // a CPU
    return "";
  // Several IPU-Link domains, which the target may ask for, need gateways.
  const std::uint32_t domain = target.links.domainSize;
  const std::uint32_t least = ipus > domain && domain > 0 ? kLargestWithoutGateways + 1 : 1;
  const auto found = std::ranges::find_if(
      kSystems, [&](const System &system) { return system.ipus >= std::max(ipus, least); });
  const System &system = found == kSystems.end() ? kSystems.back() : *found;
  return target.machineModel == "bow" ? system.bow : system.gc200;
}

/// Returns the name of the pod that \p ipus IPUs of \p target are in; empty if they are in none.
std::string podNameOf(const types::TargetDescription &target, std::uint32_t ipus) {
  std::string named = wire::environmentVariable("COPSE_POD");
  if (named.empty())
    named = target.pod;
  if (!named.empty())
    return named == kNoPod ? "" : named;
  return wire::environmentVariable("COPSE_MACHINE_MODEL").empty() ? defaultPodOf(target, ipus) : "";
}

void checkSize(const clock::Pod &pod, std::uint32_t ipus) {
  if (ipus > pod.ipus)
    throw poplar::invalid_machine_model("pod '" + pod.name + "' has " + std::to_string(pod.ipus) +
                                        " IPUs, and the target " + std::to_string(ipus) +
                                        "; set COPSE_POD to a larger one");
}

std::string readPodFile(const std::string &path) {
  if (const std::string why = wire::whyUnreadable(path); !why.empty())
    throw poplar::file_load_error(path + ": cannot be read: " + why + "; name the file of a pod");
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string complete(const std::string &name, const std::string &text) {
  auto complete = clock::completePod(text, builtInPod);
  if (!complete)
    throw poplar::invalid_machine_model(name + ": " + complete.status().message);
  return *complete;
}

/// Completes a pod of Copse's own once, because its text never changes, and a program asks for its
/// pod once for each device that it finds.
std::string completedOnce(const std::string &name, const std::string &text) {
  static std::mutex mutex; // guards known
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [entry, isNew] = known.try_emplace(name);
  if (isNew)
    entry->second = complete(name, text);
  return entry->second;
}

using nlohmann::json;

/// Divides \p pod into the IPU-Link domains that \p target asks for, if \p ipus are several.
void setDomains(json &pod, const types::TargetDescription &target, std::uint32_t ipus) {
  const std::uint32_t domain = target.links.domainSize;
  if (ipus > domain && domain > 0 && domain < pod["ipusPerDomain"]["value"])
    pod["ipusPerDomain"] = {{"value", domain}, {"unit", "IPUs"}, {"source", "the target"}};
}

/// Leaves out the hosts of \p pod that run no host program. A host program of the target's
/// instanceSize uses the host on which it runs, and no other.
void setHosts(json &pod, const types::TargetDescription &target) {
  const std::uint32_t instance = target.links.instanceSize;
  if (instance == 0)
    return;
  const std::uint32_t ipus = pod["ipus"]["value"], known = pod["hosts"]["value"];
  const std::uint32_t machines = ipus / pod["ipusPerMachine"]["value"].get<std::uint32_t>();
  std::uint32_t hosts = std::clamp(ipus / instance, 1u, known);
  while (machines % hosts != 0) // each host has equally many machines
    --hosts;
  pod["hosts"] = {{"value", hosts}, {"unit", "hosts"}, {"source", "the target"}};
}

} // namespace

std::vector<std::string> podNames() {
  std::vector<std::string> names;
  for (const auto &entry : podTexts())
    names.push_back(entry.first);
  return names;
}

std::string podText(const std::string &nameOrPath) {
  const std::string *const known = builtInPod(nameOrPath);
  if (known == nullptr && !isPath(nameOrPath)) {
    const std::vector<std::string> names = podNames();
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw poplar::invalid_machine_model("there is no pod '" + nameOrPath + "'" +
                                        types::suggestionOrList(nameOrPath, views));
  }
  return known ? completedOnce(nameOrPath, *known) : complete(nameOrPath, readPodFile(nameOrPath));
}

std::optional<clock::Pod> podOfEnvironment() {
  const std::string name = wire::environmentVariable("COPSE_POD");
  if (name.empty() || name == kNoPod)
    return std::nullopt;
  return *clock::parsePod(podText(name));
}

std::optional<std::string> podTextOf(const types::TargetDescription &target, std::uint32_t ipus) {
  const std::string name = podNameOf(target, ipus);
  if (name.empty())
    return std::nullopt;
  json pod = json::parse(podText(name));
  setDomains(pod, target, ipus);
  setHosts(pod, target);
  std::string text = pod.dump();
  const auto parsed = clock::parsePod(text);
  if (!parsed)
    throw poplar::invalid_machine_model("the target's IPU-Link domains of " +
                                        std::to_string(target.links.domainSize) +
                                        " IPUs: " + parsed.status().message);
  checkSize(*parsed, ipus);
  return text;
}

std::optional<clock::Pod> podOf(const types::TargetDescription &target) {
  const auto text = podTextOf(target, target.numIPUs);
  if (!text)
    return std::nullopt;
  return *clock::parsePod(*text);
}

types::TargetDescription inItsPod(types::TargetDescription target) {
  if (const auto pod = podOf(target)) {
    target.links.domainSize = std::min(target.links.domainSize, pod->ipusPerDomain);
    target.links.gatewayMode |= pod->gatewayLinks != clock::GatewayLinks::None;
  }
  return target;
}

} // namespace copse::machine
