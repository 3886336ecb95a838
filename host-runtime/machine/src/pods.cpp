#include "machine/pods.hpp"

#include "config_texts.hpp"

#include "poplar/exceptions.hpp"
#include "types/nearest_name.hpp"
#include "wire/readable_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace copse::machine {
namespace {

const std::string *builtInPod(const std::string &name) {
  const auto found = podTexts().find(name);
  return found == podTexts().end() ? nullptr : &found->second;
}

bool isPath(const std::string &name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

std::string readPodFile(const std::string &path) {
  if (const std::string why = wire::whyUnreadable(path); !why.empty())
    throw poplar::file_load_error(path + ": cannot be read: " + why + "; name the file of a pod");
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
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
  auto complete = clock::completePod(known ? *known : readPodFile(nameOrPath), builtInPod);
  if (!complete)
    throw poplar::invalid_machine_model(nameOrPath + ": " + complete.status().message);
  return *complete;
}

std::optional<std::string> podTextOfEnvironment() {
  const char *const name = std::getenv("COPSE_POD");
  if (name == nullptr || *name == '\0')
    return std::nullopt;
  return podText(name);
}

std::optional<clock::Pod> podOfEnvironment() {
  const auto text = podTextOfEnvironment();
  if (!text)
    return std::nullopt;
  return *clock::parsePod(*text);
}

types::TargetDescription inPodOfEnvironment(types::TargetDescription target) {
  if (const auto pod = podOfEnvironment()) {
    target.links.domainSize = std::min(target.links.domainSize, pod->ipusPerDomain);
    target.links.gatewayMode |= pod->gatewayLinks != clock::GatewayLinks::None;
  }
  return target;
}

} // namespace copse::machine
