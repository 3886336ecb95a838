#include "instances.hpp"

#include <algorithm>
#include <cstring>
#include <popdist/popdist_poplar.hpp>

namespace digits {

Instances::Instances(unsigned replicas) : replicas_(replicas), ownReplicas_(replicas) {
  if (!popdist::isPopdistEnvSet())
    return;
  replicas_ = popdist::getNumTotalReplicas();
  ownReplicas_ = popdist::getNumLocalReplicas();
  firstReplica_ = popdist::getReplicaIndexOffset();
  if (!areSeveral())
    return;
  popdist::registerDefaultBackend();
  popdist::initializeBackend();
}

Instances::~Instances() {
  try {
    popdist::finalizeBackend();
  } catch (const std::exception &) { // the results are complete, or there is an error already
  }
}

std::optional<unsigned> Instances::device() const {
  if (!areSeveral())
    return std::nullopt;
  return popdist::getDeviceId(1);
}

std::vector<std::uint64_t> Instances::gather(std::uint64_t value) const {
  std::vector<std::uint64_t> all(popdist::getNumInstances());
  popdist::collectives::allGather(&value, all.data(), 1, poplar::UNSIGNED_LONGLONG, "gather");
  return all;
}

double Instances::sum(double value) const {
  std::uint64_t bits = 0;
  static_assert(sizeof bits == sizeof value, "a double travels as its bits");
  std::memcpy(&bits, &value, sizeof bits);
  double total = 0;
  for (const std::uint64_t one : gather(bits)) {
    std::memcpy(&value, &one, sizeof value);
    total += value;
  }
  return total;
}

std::uint64_t Instances::largest(std::uint64_t value) const {
  const auto all = gather(value);
  return *std::max_element(all.begin(), all.end());
}

bool Instances::agreeOn(const std::string &text) const {
  std::string all(text.size() * popdist::getNumInstances(), ' ');
  popdist::collectives::allGather(text.data(), all.data(), text.size(), poplar::CHAR, "agreeOn");
  for (std::size_t at = 0; at < all.size(); at += text.size())
    if (all.compare(at, text.size(), text) != 0)
      return false;
  return true;
}

} // namespace digits
