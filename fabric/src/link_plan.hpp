#pragma once

#include "fabric/link_node.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

namespace copse::fabric {

/// \returns InvalidOption for a plan that makes no sense or lacks a neighbour's endpoint
wire::Status checkPlan(const LinkPlan &plan);

/// Return NotFound, for an IPU that is not in the partition or is the node itself.
wire::Status noLinkTo(const LinkPlan &plan, wire::IpuId to);
wire::Status noLinkFrom(const LinkPlan &plan, wire::IpuId from);

} // namespace copse::fabric
