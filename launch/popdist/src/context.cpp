#include <charconv>
#include <cstdlib>
#include <cstring>
#include <popdist/context.hpp>

namespace popdist {
namespace {

constexpr const char *kTotal = "POPDIST_NUM_TOTAL_REPLICAS";
constexpr const char *kLocal = "POPDIST_NUM_LOCAL_REPLICAS";

/// Returns the number in a variable of the environment.
unsigned numberIn(const char *name, unsigned fallback, unsigned least) {
  const char *const text = std::getenv(name);
  if (text == nullptr)
    return fallback;
  const char *const end = text + std::strlen(text);
  unsigned value = 0;
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc() || rest != end || value < least)
    throw popdist_error(std::string(name) + " is '" + text + "', which is no number from " +
                        std::to_string(least) + " on; poprun sets it");
  return value;
}

/// Returns the number of instances that \p replicas make, all of them alike.
unsigned instancesOf(unsigned replicas, const char *who) {
  const char *const uniform = std::getenv("POPDIST_UNIFORM_REPLICAS_PER_INSTANCE");
  if (uniform != nullptr && (std::strcmp(uniform, "0") == 0 || std::strcmp(uniform, "false") == 0))
    throw popdist_error(std::string(who) + ": instances have different numbers of replicas");
  const unsigned local = getNumLocalReplicas();
  if (replicas % local != 0)
    throw popdist_error(std::string(who) + ": " + std::to_string(replicas) +
                        " replicas are no multiple of the " + std::to_string(local) +
                        " of this instance");
  return replicas / local;
}

} // namespace

bool isPopdistEnvSet() { return std::getenv(kTotal) != nullptr && std::getenv(kLocal) != nullptr; }
unsigned getNumTotalReplicas() { return numberIn(kTotal, 1, 1); }
unsigned getNumLocalReplicas() { return numberIn(kLocal, 1, 1); }
unsigned getNumIpusPerReplica() { return numberIn("POPDIST_NUM_IPUS_PER_REPLICA", 1, 1); }
bool checkNumIpusPerReplica(unsigned ipus) { return getNumIpusPerReplica() == ipus; }
unsigned getReplicaIndexOffset() { return numberIn("POPDIST_REPLICA_INDEX_OFFSET", 0, 0); }
unsigned getLocalInstanceIndex() { return numberIn("POPDIST_LOCAL_INSTANCE_INDEX", 0, 0); }
unsigned getNumInstances() { return instancesOf(getNumTotalReplicas(), "getNumInstances"); }
unsigned getInstanceIndex() { return instancesOf(getReplicaIndexOffset(), "getInstanceIndex"); }

} // namespace popdist
