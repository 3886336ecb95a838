#include "engine/ipu_inventory.hpp"

#include "fabric/topology.hpp"
#include "machine/pods.hpp"
#include "poplar/exceptions.hpp"
#include "types/environment.hpp"
#include "types/model_description.hpp"

#include <algorithm>
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

// The IPUs that this process has attached. This list is the only global state of the runtime,
// because IPUs are global, and Device objects that exclude each other do not know each other.
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
  const unsigned most = mostIpus();
  const auto ipus = static_cast<unsigned>(
      types::requireEnvironment(wire::numberOfEnvironment("COPSE_IPUS", 1, most, 0)));
  if (ipus > 0)
    return ipus;
  const auto pod = machine::podOfEnvironment();
  return pod ? std::min(pod->ipus, most) : kDefaultIpus;
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
