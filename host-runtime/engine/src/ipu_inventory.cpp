#include "engine/ipu_inventory.hpp"

#include "fabric/topology.hpp"
#include "machine/pods.hpp"
#include "poplar/exceptions.hpp"
#include "types/model_description.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace copse::engine {

namespace {

constexpr unsigned kDefaultIpus = 16;

/// Returns how many IPUs a program can have. Each IPU that executes is a process.
unsigned mostIpus() {
  return types::executionOfEnvironment() == types::Execution::Full ? fabric::kMaxIpus : 1024;
}

// The IPUs that this process has attached. They are the only global state of the runtime, because
// IPUs are global, and Device objects that exclude each other do not know each other.
struct Taken {
  std::mutex mutex; // guards ipus
  std::set<unsigned> ipus;
};

Taken &taken() {
  static Taken instance;
  return instance;
}

} // namespace

unsigned ipusOfThisMachine() {
  const char *const text = std::getenv("COPSE_IPUS");
  if (!text) {
    const auto pod = machine::podOfEnvironment();
    return pod ? std::min(pod->ipus, mostIpus()) : kDefaultIpus;
  }
  unsigned ipus = 0;
  const char *const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, ipus);
  if (error != std::errc() || rest != end || ipus < 1 || ipus > mostIpus())
    throw poplar::no_environment("COPSE_IPUS is '" + std::string(text) +
                                 "'; set it to a number from 1 to " + std::to_string(mostIpus()));
  return ipus;
}

std::shared_ptr<const IpuHold> IpuHold::take(std::vector<unsigned> ipus) {
  const std::lock_guard lock(taken().mutex);
  auto &all = taken().ipus;
  if (std::any_of(ipus.begin(), ipus.end(), [&](unsigned ipu) { return all.count(ipu) > 0; }))
    return nullptr;
  all.insert(ipus.begin(), ipus.end());
  return std::shared_ptr<const IpuHold>(new IpuHold(std::move(ipus)));
}

IpuHold::~IpuHold() {
  const std::lock_guard lock(taken().mutex);
  for (const unsigned ipu : ipus_)
    taken().ipus.erase(ipu);
}

} // namespace copse::engine
