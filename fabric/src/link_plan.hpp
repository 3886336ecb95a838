#pragma once

#include "fabric/link_node.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

namespace copse::fabric {

/// Checks a plan.
/// \returns InvalidOption for a plan that is inconsistent or lacks a neighbour's endpoint
wire::Status checkPlan(const LinkPlan &plan);

/// Returns the error NotFound for an IPU that is not in the partition, or that is the node itself.
wire::Status noLinkTo(const LinkPlan &plan, wire::IpuId to);
wire::Status noLinkFrom(const LinkPlan &plan, wire::IpuId from);

} // namespace copse::fabric
