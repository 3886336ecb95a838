#include "link_plan.hpp"

#include "fabric/topology.hpp"
#include "wire/ipu_names.hpp"

#include <string>

namespace copse::fabric {

wire::Status checkPlan(const LinkPlan &plan) {
  if (wire::Status status = checkPartition(plan.ipus); !status.ok())
    return status;
  if (plan.self.value >= plan.ipus)
    return {wire::Code::InvalidOption,
            "there is no " + nameOf(plan.self) + " among " + std::to_string(plan.ipus)};
  for (const wire::IpuId neighbour : neighbours(plan.wiring(), plan.self))
    if (!plan.endpoints.contains(neighbour))
      return {wire::Code::InvalidOption,
              nameOf(plan.self) + " has no endpoint of its neighbour " + nameOf(neighbour)};
  return wire::Status::success();
}

wire::Status noLinkTo(const LinkPlan &plan, wire::IpuId to) {
  return {wire::Code::NotFound, "no IPU-Link leads from " + nameOf(plan.self) + " to " +
                                    nameOf(to) + " in a partition of " + std::to_string(plan.ipus)};
}

wire::Status noLinkFrom(const LinkPlan &plan, wire::IpuId from) {
  return {wire::Code::NotFound, "no message can arrive at " + nameOf(plan.self) + " from " +
                                    nameOf(from) + " in a partition of " +
                                    std::to_string(plan.ipus)};
}

} // namespace copse::fabric
