#include "control/loaded.hpp"

namespace copse::ipud {

void computeCosts(Loaded &loaded, const sync::TimingModel &timing) {
  const auto &image = loaded.image;
  for (const auto &set : image.computeSets) {
    loaded.computeSetCosts.push_back(timing.computeSet(set, image.functions));
    std::uint64_t work = 0;
    for (const auto &vertex : set.vertices)
      work += vertex.cycles;
    loaded.computeSetWork.push_back(work);
  }
  const auto &place = loaded.placement;
  for (const auto &exchange : image.exchanges)
    loaded.exchangeCosts.push_back(timing.internalExchange(exchange) +
                                   timing.externalExchange(exchange, image.ipu, place.replica.value,
                                                           place.replicas, place.ipusPerReplica));
}

} // namespace copse::ipud
